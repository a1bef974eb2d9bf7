#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/analysis/lanes/coverage.h"
#include "core/analysis/lanes/lane_sums.h"
#include "core/analysis/lanes/tile_cursor.h"
#include "core/base/time.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::analysis {

/// Whether a launch is selected, by row of its table. Empty: all launches are selected.
using RowSelected = std::function<bool(std::size_t row)>;

/// Reusable buffers for the sums.
struct SumBuffers {
  Coverage coverage;
  LaneSums lane;
};

/// The sums of every bin: from tiles where the series has them, else event by event, at most kTileEvents of
/// them per bin. With `selected` always event by event. The same bins give the same sums either way. Valid
/// until `room` is used again.
std::span<const BinSum> sum_bins(const store::Series& series, const ColumnBins& bins, SumBuffers& room,
                                 const RowSelected& selected = {}, bool use_tiles = true);

/// Sums of the bin of a column.
struct ColumnSum {
  std::uint64_t count = 0; ///< events that touch the bin
  double busy = 0; ///< Σ length of the events inside the bin / length of the bin; above 1 if events overlap
  double covered = 0; ///< length of the union of the events inside the bin / length of the bin
  double selected =
      1; ///< selected fraction of the busy time, or of the number of events if the busy time is 0
  std::uint32_t name = kNone;
  double name_busy = 0; ///< time of `name` inside the bin / length of the bin
};
ColumnSum column_sum(const ColumnBins& bins, std::span<const BinSum> sums, int column);

} // namespace jitterscope::analysis
