#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/communicator.h"
#include "core/efficiency/metrics/evaluation.h"
#include "core/efficiency/metrics/question.h"

namespace jitterscope::efficiency::metrics {

/// A metric in the columns of a range; column c is [begin + c · length / n, begin + (c + 1) · length / n),
/// rounded down.
struct ColumnValues {
  std::vector<double> average, minimum,
      maximum; ///< average weighted by time; NaN in columns of zero length
};

/// Values by object. Every value is exact: every record of the column is read. Collective; bit-equal for any
/// number of ranks and threads. Errors: BadUse, Cancelled.
Expected<std::vector<ColumnValues>> columns(const Bound& bound, const Question& question, int count,
                                            Communicator& communicator, const Job& job);

/// The timelines by object. Errors: BadUse if there are more than `limit` steps, Cancelled. Collective.
Expected<std::vector<Steps>> exact(const Bound& bound, const Question& question, std::size_t limit,
                                   Communicator& communicator, const Job& job);

/// Averages over intervals, for example of launches, weighted by time; over an interval of zero length the
/// value at its start. `objects`: for each interval the object of `level`; NaN if it is kNone. Intervals are
/// sorted by start. Not collective, any thread. After a halt the values are undefined. Errors: BadUse (no
/// values at this level).
Expected<std::vector<double>> averages(const Bound& bound, Level level, std::span<const Interval> intervals,
                                       std::span<const std::uint32_t> objects, Halt& halt);

/// What each object does at each value of a metric: Paraver's 2-D histogram, whose control window is the
/// metric. Cells: [object][bin].
struct Histogram {
  std::vector<double> edges;                     ///< ascending limits of the bins, one more than bins
  bool whole = false;                            ///< every bin has one whole number, its lower limit
  std::vector<std::vector<std::int64_t>> time;   ///< time at the values of a bin [ns]
  std::vector<std::vector<std::int64_t>> bursts; ///< number of intervals with one value of the bin
  std::vector<std::int64_t> outside;             ///< [object]: time at values outside all bins [ns]
  /// Of the data metric during the time of a cell: integral [value · ns], minimum and maximum; NaN without
  /// time. Empty without a data metric.
  std::vector<std::vector<double>> integral, minimum, maximum;
};
inline constexpr int kDefaultBins = 48;
inline constexpr int kMaxWholeNumbers = 100; ///< maximum number of default bins with one whole number each
/// Bins are half-open [low, …) except the last, which includes high. Equal limits have one bin. Default
/// limits are the minimum and maximum of the values, with a logarithmic axis of the values above 0; `zero`:
/// whether time at 0 counts. Collective.
struct HistogramQuestion {
  int bins = 1; ///< 0: one per whole number if all values are such and few, else kDefaultBins
  std::optional<double> low, high;
  bool zero = false;
  const Bound* data = nullptr; ///< another metric of the same session: Paraver's data window; may be null
  bool logarithmic = false;    ///< bins of equal ratio, not width; values of 0 and below are outside
};
/// Bit-equal for any number of ranks and threads. Errors: BadUse (of the data metric with place "data"),
/// Cancelled.
Expected<Histogram> histogram(const Bound& bound, const Question& question, const HistogramQuestion& bins,
                              Communicator& communicator, const Job& job);

/// Limits of bins of equal width or, if `logarithmic`, of equal ratio; low and high are exact.
std::vector<double> edges_of(double low, double high, int bins, bool logarithmic);
/// The bin of a value; −1 outside.
int bin_of(double value, const std::vector<double>& edges, bool logarithmic);

} // namespace jitterscope::efficiency::metrics
