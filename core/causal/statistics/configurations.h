#pragma once

#include <cstdint>
#include <vector>

#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {

/// Differences between configurations instead of launches: one row of means per configuration. For a column
/// that is constant within configurations, the sample size is the number of configurations, however many
/// launches each has.
struct ConfigurationMeans {
  Eigen::MatrixXd values;            ///< configurations × columns
  std::vector<std::uint32_t> kernel; ///< by configuration: its kernel, within which it is compared
  std::vector<double> weight;        ///< weight of each configuration; 0: excluded

  /// Cross-products of the columns, each minus its weighted mean over the kernel; n is Σ weight. `draws`: how
  /// often every configuration occurs in a resample, empty for once each.
  Moments moments(const std::vector<int>& draws = {}) const;
};

/// Number of configurations with another configuration of the same kernel.
struct ConfigurationCount {
  std::int64_t configurations = 0;
  std::int64_t kernels = 0; ///< kernels with comparable configurations
  /// Configurations minus kernels, whose means are subtracted, plus one: the equivalent number for one
  /// kernel.
  double effective() const {
    return configurations > 0 ? static_cast<double>(configurations - kernels + 1) : 0;
  }
};
ConfigurationCount count_configurations(const std::vector<std::uint32_t>& kernel,
                                        const std::vector<std::int64_t>& rows);

/// Weight of a configuration with this number of launches in comparisons of configurations: 1, less for few
/// launches.
double configuration_weight(std::int64_t rows);

/// How often every configuration that has launches occurs in resample r: the number drawn equals the number
/// of configurations. The same on every rank.
std::vector<int> draw_configurations(const std::vector<std::int64_t>& rows, std::uint64_t seed,
                                     int replicate);

/// Data on configurations for judging one of their columns; vectors of equal length, the same on every
/// rank.
struct ConfigurationFacts {
  std::vector<double> x;             ///< by configuration: value of the column
  std::vector<std::int64_t> rows;    ///< launches; 0: the configuration is excluded
  std::vector<double> typical;       ///< by configuration: median duration, ns
  std::vector<double> deviation;     ///< Σ |d − typical|, ns
  std::vector<std::uint32_t> kernel; ///< only configurations of one kernel are compared
};

/// Whether configurations with larger values of the column vary more relative to their duration (+1) or less
/// (−1): the sign of the slope over all kernels, every configuration counted by configuration_weight().
int trend_of_configurations(const ConfigurationFacts& facts);

/// Variability that would be left if every configuration varied like those at the steadier end of the column.
struct ConfigurationEffect {
  std::vector<double> expected; ///< mean |d − typical| by configuration, ns; NaN where nothing changes
  double share = 0;             ///< 1 − Σ left / Σ |d − typical|; negative: there would be more
};

/// The steadier end of a kernel is at small values for trend +1, at large values for −1. All kernels and
/// resamples share the trend, because the steadier of two ends always looks steadier. The end covers at least
/// a tenth of the kernel's launches and at least ten. Its spread is applied relative to the typical duration
/// or in ns, whichever is more: without any cause, longer launches vary more in ns and short ones relative to
/// their duration (timers have ticks). `draws`: how often every configuration occurs in a resample; empty:
/// once each.
ConfigurationEffect effect_of_configurations(const ConfigurationFacts& facts, int trend,
                                             const std::vector<int>& draws = {});

} // namespace jitterscope::causal
