#pragma once

#include <vector>

#include "core/causal/statistics/configurations.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/table/centrer.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Which side of the target a column of the discovery matrix is.
///
/// Variability that is computed from durations has three sides, because no single scale shows every cause. A
/// cause can widen the spread of durations, or shift them; a shift is most visible in logs if it is rare and
/// strong, in ranks if it is frequent and weak.
///
/// If some columns are constant within configurations and others are not (Reading::automatic), the sides show
/// rows within their configuration, and additional sides show differences between configurations.
enum class Side { value, shift_log, shift_rank, spread_rank, value_between, spread_between };
inline bool between_configurations(Side side) {
  return side == Side::value_between || side == Side::spread_between;
}

/// Everything the models need to know about the rows.
struct Statistics {
  std::vector<Centring> centring; ///< centring of every column of the frame
  std::vector<Side> sides;        ///< responses, after the columns of the frame; empty for a column target
  BlockMoments discovery;         ///< columns on the discovery scale, then responses
  BlockMoments raw;               ///< columns in units, then the target in its unit (derived targets)
  /// Correlations in a sample of rows of the logarithms of positive columns, and of other columns as they
  /// are.
  Eigen::MatrixXd log_correlation;
  std::vector<double> magnitude; ///< maximum magnitude by column of `discovery`
  double degrees_of_freedom = 0; ///< rows, minus the means subtracted by centring
  /// Means of columns that are constant within configurations and of sides between them. In the blocks these
  /// columns are 0. Empty without sides between configurations.
  ConfigurationMeans discovery_means;
  ConfigurationMeans raw_means; ///< columns of `raw` that are in discovery_means, as one kernel
  /// Reading::between: only configurations are compared. discovery_means and raw_means hold all columns, each
  /// configuration weighted by its launches, and resamples are drawn of configurations.
  bool of_configurations = false;
  /// Reading::pooled: whether a column is the same in all launches of a configuration.
  std::vector<bool> constant_in_configuration;
  ConfigurationCount configurations; ///< configurations that can be compared with another one of their kernel
  /// Columns that rank the rows of each configuration as their durations do (another unit, a rate for the
  /// same work); empty for a target that is a column.
  std::vector<bool> like_duration;
  /// A sample of rows (at most 100,000) in the columns of `discovery`, centred but not ranked, for
  /// DirectLiNGAM. The same on every rank; empty if not requested.
  Eigen::MatrixXd linear_rows;

  int columns() const { return static_cast<int>(centring.size()); }
  bool derived() const { return !sides.empty(); }
  bool has_between() const { return discovery_means.values.size() > 0 && !of_configurations; }
  /// Whether a column is constant within configurations, so that its sample size is the number of
  /// configurations.
  bool only_configurations_differ_in(std::size_t column) const {
    return of_configurations || centring[column] == Centring::kernel ||
           (column < constant_in_configuration.size() && constant_in_configuration[column]);
  }
  /// Moments of resamples: of blocks, and of configurations for columns that are constant within them.
  Moments discovery_resampled(const std::vector<int>& blocks, const std::vector<int>& configurations) const;
  /// Resamples whole configurations; differences of launches within them stay unchanged.
  Moments raw_of_configurations(const std::vector<int>& configurations) const;
  /// Resample of `raw`: of blocks, or of configurations if configurations are compared.
  Moments raw_resampled(const std::vector<int>& blocks, const std::vector<int>& configurations) const;
};

/// One pass over the rows: the moments of every block; `values` computes the columns of a tile. Collective.
Expected<BlockMoments> block_moments(const Frame& frame, Eigen::Index columns, const auto& values,
                                     Communicator& communicator, const Job& job,
                                     const std::string& progress = "covariances") {
  std::vector<Moments> mine(static_cast<std::size_t>(frame.local.last_block - frame.local.first_block),
                            Moments(columns));
  auto walked = frame.walk(job, progress, [&](std::int64_t block, const Tile& tile) {
    mine[block - frame.local.first_block].merge(Moments::of(values(tile)));
  });
  if (!walked) return forward(walked.error());
  return BlockMoments::gather(mine, columns, communicator, job);
}

/// Reads the rows several times: for normal scores, for means of configurations, and for moments. Collective.
Expected<Statistics> gather_statistics(const Frame& frame, const Options& options, Communicator& communicator,
                                       const Job& job);

} // namespace jitterscope::causal
