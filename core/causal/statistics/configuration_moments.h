#pragma once

#include <cstdint>
#include <vector>

#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {

/// What configurations, not launches, differ in: one row of means a configuration. A column that is constant
/// within configurations says something only here, and as often as there are configurations, however many
/// launches each has.
struct ConfigurationMeans {
  Eigen::MatrixXd values;            ///< configurations × columns
  std::vector<std::uint32_t> kernel; ///< of a configuration; only configurations of one kernel are compared
  std::vector<double> weight;        ///< of a configuration; 0: it takes no part

  /// Cross-products of the columns, each minus its weighted mean over the kernel; n is Σ weight. `draws`: how
  /// often every configuration stands in a resample, empty for once each.
  Moments moments(const std::vector<int>& draws = {}) const;
};

/// How many configurations can be compared with another one of their kernel.
struct ConfigurationCount {
  std::int64_t configurations = 0;
  std::int64_t kernels = 0; ///< that have them
  /// Configurations less the means taken off, plus one: as many as one kernel would need to tell as much.
  double effective() const {
    return configurations > 0 ? static_cast<double>(configurations - kernels + 1) : 0;
  }
};
ConfigurationCount count_configurations(const std::vector<std::uint32_t>& kernel,
                                        const std::vector<std::int64_t>& rows);

/// Weight of a configuration of so many launches where configurations are compared: its mean counts once,
/// less when it rests on few launches.
double configuration_weight(std::int64_t rows);

/// How often every configuration that has launches stands in resample r: as many are drawn as there are. The
/// same on every rank.
std::vector<int> draw_configurations(const std::vector<std::int64_t>& rows, std::uint64_t seed,
                                     int replicate);

} // namespace jitterscope::causal
