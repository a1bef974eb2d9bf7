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

} // namespace jitterscope::causal
