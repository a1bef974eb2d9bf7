#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/analysis/lanes/lane_sums.h"
#include "core/analysis/lanes/tile_cursor.h"

namespace jitterscope::analysis {

/// Incrementally aggregates the bins of a series whose events never overlap and are all selected: from tiles
/// where the series has them, else event by event.
class LaneWalk {
public:
  /// All three arguments must outlive this object.
  LaneWalk(const store::Series& series, const ColumnBins& bins, LaneSums& sums, bool use_tiles = true);

  /// Advances until the next event to read has row `row` or later, to within a block.
  void walk_to(std::size_t row);
  /// Row of the next event to read, nothing if there is none.
  std::optional<std::size_t> next_row() const;
  /// Advances to the end. Returns all bins.
  std::span<const BinSum> finish();

private:
  void add_tiles();
  void find_next_tile();

  const store::Series& series_;
  const ColumnBins& bins_;
  LaneSums& sums_;
  TileCursor tiles_;
  bool use_tiles_;
  std::size_t position_ = 0, last_ = 0; // indices in the series
  std::size_t end_ = 0;                 // end of the events before the next tile
  std::size_t bin_ = 0;                 // bin of the next tile, past all bins if there is none
};

/// Advances all walks to their ends in parallel steps: interleaved rows of several series are then loaded
/// into the cache once for all.
void walk_together(std::span<LaneWalk* const> walks);

} // namespace jitterscope::analysis
