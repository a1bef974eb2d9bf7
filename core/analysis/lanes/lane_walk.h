#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/analysis/lanes/column_bins.h"
#include "core/analysis/lanes/lane_sums.h"

namespace jitterscope::analysis {

/// Sums the bins of a series whose events never overlap, all of them selected, as far as it is asked to: from
/// tiles where the series has them, else event by event.
class LaneWalk {
public:
  /// All three must outlive this object.
  LaneWalk(const store::Series& series, const ColumnBins& bins, LaneSums& sums, bool use_tiles = true);

  /// Goes on until an event is to be read whose row is `row` or behind it, give or take a block.
  void walk_to(std::size_t row);
  /// Row of the next event that is to be read, nothing when there is none.
  std::optional<std::size_t> next_row() const;
  /// Goes to the end. The bins, all of them.
  std::span<const BinSum> finish();

private:
  void take_tiles();
  void find_next_tile();

  const store::Series& series_;
  const ColumnBins& bins_;
  LaneSums& sums_;
  TileCursor tiles_;
  bool use_tiles_;
  std::size_t position_ = 0, last_ = 0; // of the series
  std::size_t end_ = 0;                 // of the events before the next tile
  std::size_t bin_ = 0;                 // of that tile, behind all bins when there is none
};

/// Walks all to their ends, side by side: rows of several series that lie between each other come into the
/// cache once for all of them.
void walk_together(std::span<LaneWalk* const> walks);

} // namespace jitterscope::analysis
