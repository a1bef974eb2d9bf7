#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope::causal {

/// What is known of configurations where one of their columns is judged; equal lengths, the same on every
/// rank.
struct ConfigurationFacts {
  std::vector<double> x;             ///< the column
  std::vector<std::int64_t> rows;    ///< launches, 0: the configuration takes no part
  std::vector<double> usual;         ///< median duration, ns
  std::vector<double> deviation;     ///< Σ |d − usual|, ns
  std::vector<std::uint32_t> kernel; ///< only configurations of one kernel are compared
};

/// Whether configurations with larger values of the column vary more relative to their duration (+1) or less
/// (−1): the sign of the slope over all kernels, every configuration counted by configuration_weight().
int trend_of_configurations(const ConfigurationFacts& facts);

/// What would be left if every configuration varied as those at the steadier end of the column.
struct ConfigurationEffect {
  std::vector<double> expected; ///< mean |d − usual| by configuration, ns; NaN where nothing changes
  double share = 0;             ///< 1 − Σ left / Σ |d − usual|; negative: there would be more
};

/// The steadier end of a kernel is that on the side of small values for a trend of +1, of large ones for −1
/// (the same for all kernels and resamples: the steadier of two ends is always steadier), wide enough to hold
/// a tenth of the kernel's launches, and ten. Its spread is carried over relative to the usual duration or in
/// ns, whichever is more. `draws`: how often every configuration stands in a resample; empty: once each.
ConfigurationEffect effect_of_configurations(const ConfigurationFacts& facts, int trend,
                                             const std::vector<int>& draws = {});

} // namespace jitterscope::causal
