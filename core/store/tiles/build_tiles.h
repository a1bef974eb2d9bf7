#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/store/tiles/range_blocks.h"
#include "core/store/tiles/tiles.h"

namespace jitterscope::store {

struct TileOptions {
  std::uint32_t min_events = kTileEvents; ///< a bin has a tile if more than this number of events begin in it
  std::size_t events_per_task = std::size_t{1} << 17;
  int threads = 1;
  std::function<bool()> stop_requested = [] { return false; };
};

/// All tiles of a series whose blocks are built. Events must be sorted by start; they may overlap, and times
/// are in ±2⁶². Long series are split at borders of bins and built in parallel, with the same result for
/// any split. Returns nothing when stopped.
std::optional<TileTree> build_tiles(const EventSource& source, const Blocks& blocks,
                                    const TileOptions& options);

/// The smallest shift at which [begin, end) is in one bin, or in the two bins around 0, which never merge.
int root_shift(std::int64_t begin, std::int64_t end);

} // namespace jitterscope::store
