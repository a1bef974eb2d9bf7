#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/spill_vector.h"
#include "core/store/tracks/range_blocks.h"

namespace jitterscope::store {

/// A tile is stored for every dyadic bin [at · 2^shift, (at + 1) · 2^shift) ns, shift 0 … 62, aligned to the
/// trace's zero, in which more events of the series begin than this. So the bins of a level without a tile
/// hold at most so many events, empty time costs nothing, and a view reads at most so many rows for each bin
/// it draws (models.md 6.2 A, with the finest level chosen by the events and not for the whole track).
inline constexpr std::uint32_t kTileEvents = 32;
inline constexpr int kTileLevels = 63;

/// What happened in one bin. Exact but for the saturation of minimum and maximum; sums are modulo 2⁶⁴ and
/// 2¹²⁸.
struct Tile {
  std::int64_t at = 0;       ///< number of the bin
  std::uint32_t first = 0;   ///< position in the series of the first event that begins in it
  std::uint32_t count = 0;   ///< events that begin in it
  std::uint32_t open = 0;    ///< events that began before and end after its begin
  std::uint32_t minimum = 0; ///< of the lengths of the events that begin in it, at most 2³² − 1
  std::uint32_t maximum = 0;
  std::uint32_t name = 0;      ///< name with most time inside the bin; ties: smallest number
  std::uint64_t name_busy = 0; ///< that time [ns]
  std::uint64_t busy = 0;      ///< Σ length of all events, cut to the bin [ns]
  std::uint64_t covered = 0;   ///< length of their union inside the bin [ns]
  std::uint64_t sum = 0;       ///< Σ length of the events that begin in it, uncut [ns]
  UInt128 squares = 0;         ///< Σ length² of these [ns²]
  bool operator==(const Tile&) const = default;
};

/// Tiles of a series by shift; at each level ascending.
using TileTree = std::array<SpillVector<Tile>, kTileLevels>;

struct TileOptions {
  std::uint32_t least_events = kTileEvents; ///< a bin with more than these has a tile
  std::size_t events_per_task = std::size_t{1} << 17;
  int threads = 1;
  std::function<bool()> stop_wanted = [] { return false; };
};

/// All tiles of a series whose blocks are built. Events must be sorted by begin; they may overlap, and times
/// lie in ±2⁶². Long series are split at borders of bins and built in parallel; the result does not depend on
/// how. Nothing when stopped.
std::optional<TileTree> build_tiles(const EventSource& source, const Blocks& blocks,
                                    const TileOptions& options);

/// The smallest shift at which [begin, end) lies in one bin, or in the two around zero, which never meet.
int root_shift(std::int64_t begin, std::int64_t end);

} // namespace jitterscope::store
