#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/statistics/statistics.h"

namespace jitterscope::analysis {

/// What to compute per bin and how to rank the bins (resources/help/bins.md).
struct BinOptions {
  std::int64_t width_ns = 0;                 ///< 0: the width that gives 2,000 bins over the launches' span
  std::string metric = "kernel_variability"; ///< any numeric column of launches
  std::string by = {}; ///< column of categories or texts that divides every bin into groups; empty: none
  Statistic rank_by = Statistic::Sum;
  double top_share = 0.01;    ///< share of the non-empty bins that are kept, if top_count is 0
  std::int64_t top_count = 0; ///< number of kept bins; 0: see top_share
  std::int64_t min_top = 20;  ///< minimum number of kept bins, if a share is used
  bool all = true;            ///< also return the statistics of the bins that are not kept
  /// Work in rounds and report the best bins so far after each round; the same on all ranks.
  bool report_partial = false;
  std::int64_t wide_rows = std::int64_t{1}
                           << 20;           ///< minimum launches of a bin that all threads and ranks share
  std::int64_t rows_per_round = 20'000'000; ///< approximate; takes a fraction of a second
  std::int64_t rows_per_task = 50'000; ///< approximate; takes less than 1 ms, so that cancelling is quick
};

/// One non-empty bin [start, start + width), or one group of its launches. Launches belong to the bin in
/// which they start.
struct Bin {
  std::int64_t index = 0;
  std::int64_t start_ns = 0;
  double group =
      std::numeric_limits<double>::quiet_NaN(); ///< value of the column `by`; NaN: no group, or no value
  Statistics statistics;     ///< statistics of the metric; n: number of launches with a value
  std::int64_t launches = 0; ///< selected launches, with a value or without
  std::int64_t rank = 0;     ///< position in the ranking, 1 for the best bin; 0: not ranked yet
  bool kept = false;
};

/// A kept bin with its contents.
struct KeptBin {
  Bin bin;
  std::int64_t last_end_ns = 0;     ///< end of the last launch in the bin; may be after the bin
  std::int64_t top_launch = -1;     ///< session row with the largest value, -1 if no launch has a value
  std::uint32_t top_kernel = kNone; ///< session kernel with the largest sum of the metric
  double top_kernel_share = 0;      ///< share of top_kernel in the absolute sums of all kernels
};

struct Bins {
  std::int64_t width_ns = 0;
  std::int64_t origin_ns = 0;
  std::string metric;
  std::string unit;
  std::string by;
  std::int64_t count = 0;    ///< number of non-empty bins, or of groups in bins
  std::vector<Bin> bins;     ///< all non-empty bins, sorted by index and group, if `listed`
  std::vector<KeptBin> kept; ///< kept bins with their contents, best first
  std::int64_t missing = 0;  ///< launches without a value of the metric
  double total = 0;          ///< Σ metric over all bins
  bool listed = false;       ///< all bins were requested and fit into one answer (at most a million)
};

/// Intermediate results over the bins computed so far, which are spread over the whole time: their number,
/// the launches without a value, the sum and the best bins. The sum is computed in an order that depends on
/// the ranks.
struct PartialBins {
  Bins bins;
  double share = 0; ///< fraction of the rounds that are completed
};
using ReportPartialBins = std::function<void(const PartialBins&)>;

} // namespace jitterscope::analysis
