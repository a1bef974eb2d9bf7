#pragma once

#include <string>
#include <vector>

#include "core/causal/statistics/configuration_moments.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/table/centring.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Which side of the target a column of the discovery matrix shows. Variability that is computed from
/// durations is seen from three sides, because no one scale shows every cause: a cause can shift durations
/// (seen best in logs when it is rare and strong, in ranks when it is frequent and weak) or widen their
/// spread. Where columns that are constant within configurations stand beside others (Reading::automatic),
/// the sides show rows within their configuration, and one more shows what configurations differ in.
enum class Side { value, shift_log, shift_rank, spread_rank, value_between, spread_between };
inline bool between_configurations(Side side) {
  return side == Side::value_between || side == Side::spread_between;
}

/// Everything the models need to know about the rows.
struct Statistics {
  std::vector<Centring> centring; ///< of every column of the frame
  std::vector<Side> sides;        ///< responses, after the columns of the frame; empty for a column target
  BlockMoments discovery;         ///< columns on the discovery scale, then responses
  BlockMoments raw;               ///< columns in units, then the target in its unit (derived targets)
  Eigen::MatrixXd
      log_correlation; ///< of log1p of the non-negative columns in a sample of rows; else of the column
  std::vector<double> magnitude; ///< largest that each column of `discovery` can take
  double degrees_of_freedom = 0; ///< rows, less what centring took
  /// Columns that are constant within configurations and sides between them are not among the blocks (0
  /// there), but here; empty without such a side.
  ConfigurationMeans discovery_means;
  ConfigurationMeans raw_means; ///< columns of `raw` where discovery_means are, as one kernel
  /// Reading::between: all that is compared are configurations. discovery_means and raw_means hold all
  /// columns, each configuration weighted by its launches, and resamples are drawn of configurations.
  bool of_configurations = false;
  /// Reading::pooled: columns that are the same in all launches of a configuration.
  std::vector<bool> constant_in_configuration;
  ConfigurationCount configurations; ///< that can be compared with another one of their kernel
  /// Columns that rank the rows of each configuration as their durations do (another unit, a rate of equal
  /// work); empty for a target that is a column.
  std::vector<bool> tells_duration;
  /// A sample of rows (at most 100,000) in the columns of `discovery`, centred but not ranked: what
  /// DirectLiNGAM looks at. The same on every rank; empty when it is not wanted.
  Eigen::MatrixXd linear_rows;

  int columns() const { return static_cast<int>(centring.size()); }
  bool derived() const { return !sides.empty(); }
  bool has_between() const { return discovery_means.values.size() > 0 && !of_configurations; }
  /// Whether only configurations differ in a column, so that it says something as often as there are these.
  bool only_configurations_differ_in(std::size_t column) const {
    return of_configurations || centring[column] == Centring::kernel ||
           (column < constant_in_configuration.size() && constant_in_configuration[column]);
  }
  /// Moments of resamples: of blocks, and of configurations for what only they differ in.
  Moments discovery_resampled(const std::vector<int>& blocks, const std::vector<int>& configurations) const;
  /// Whole configurations resampled, what launches differ in within them as it is.
  Moments raw_of_configurations(const std::vector<int>& configurations) const;
  /// Resample of `raw`: of blocks, or of configurations where these are what is compared.
  Moments raw_resampled(const std::vector<int>& blocks, const std::vector<int>& configurations) const;
};

/// Two passes over the rows (collective): normal scores and means of configurations, then the moments.
Expected<Statistics> gather_statistics(const Frame& frame, const Options& options, Communicator& communicator,
                                       const Job& job);

} // namespace jitterscope::causal
