#pragma once

#include <vector>

#include "core/analysis/timeline/track_content.h"
#include "core/store/tracks/track_index.h"
#include "core/time_bins/column_bins.h"

namespace jitterscope::analysis {

/// A counter in pixel columns of a window, in the time of its trace: minimum, maximum and mean of the samples
/// in each column. Without samples in the column, the nearest sample within one sampling period (as for
/// launches, store::SampleTimes), else NaN.
///
/// If the values hold until the next sample, a column also contains the value at its start, its mean is
/// weighted by time (with more than 512 samples in it, the mean of the samples), and only columns before the
/// first sample or from `end` on are NaN. `end`: end of the last event of the trace; later samples count as
/// well.
std::vector<CounterColumn> counter_columns(const store::CounterSeries& series, Interval window, int columns,
                                           std::int64_t end);

/// The values of the bins that the columns show.
std::vector<CounterColumn> by_column(const ColumnBins& bins, std::span<const CounterColumn> counter);

} // namespace jitterscope::analysis
