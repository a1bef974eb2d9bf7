#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/store/tiles/name_times.h"
#include "core/store/tiles/tile_bin.h"
#include "core/store/tiles/tiles.h"

namespace jitterscope::store {

/// Aggregate of a bin for its parent. Time of events that cover the whole parent is left out: the parent
/// accounts for it itself.
struct Summary {
  Tile tile;                   ///< busy and name without events that cover this bin and its parent
  std::vector<NameTime> times; ///< times of the names in the bin, sorted by name
};

/// The tile of a bin from those of its halves, without names.
Tile joined(const Bin& bin, const Tile& left, const Tile& right);

/// The events of a bin.
struct BinEvents {
  std::span<const Event> begin_inside; ///< sorted by start
  SpillVector<Event> from_before;      ///< begin before the bin and end after its start
  std::size_t first_position = 0;      ///< position in the series of the first one that begins inside
  NameRange names;                     ///< of all of them
};

/// Builds the tiles of a bin and of all bins below it: of those in which more than `minimum` events begin.
Summary build_subtree(const Bin& bin, BinEvents events, std::uint32_t minimum, TileTree& tiles);

} // namespace jitterscope::store
