#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/statistics/statistics.h"

namespace jitterscope::analysis {

/// Statistics of one kernel over the selected launches; durations in ns.
struct KernelRow {
  std::uint32_t kernel = 0;
  std::int64_t launches = 0; ///< number of selected launches
  Statistics duration;       ///< duration statistics of the launches with a known duration
  double p75 = 0, p90 = 0, p99 = 0, p999 = 0;
  double variability_sum = 0;      ///< Σ kernel variability over the launches that have a variability
  std::int64_t configurations = 0; ///< distinct configurations among the selected launches
  std::int64_t run_once = 0;       ///< launches of configurations that ran only once in the session
};

/// Collective; rows (kernels with at least one selected launch, by kernel id) on rank 0. Durations are summed
/// as integers, and quantiles are found by QuantileSearch: the table is the same for any number of ranks and
/// threads, and no rank stores the durations. The summed variability is rounded to 2^-20 ns per launch.
/// Errors: Cancelled.
Expected<std::vector<KernelRow>> kernel_table(const Session& session, const LaunchColumns& columns,
                                              const Selection& selection, Communicator& communicator,
                                              const Job& job);

} // namespace jitterscope::analysis
