#pragma once

#include <string>
#include <vector>

#include "core/causal/frame.h"
#include "core/causal/moments.h"

namespace jitterscope::causal {

/// What is taken off a column before rows are compared.
enum class Centring {
  none,
  group,      ///< minus the mean of the configuration
  kernel,     ///< minus the mean of the kernel
  group_mean, ///< replaced by the mean of the configuration
};
std::string to_string(Centring centring);

/// Which side of the target a column of the discovery matrix shows. Variability that is computed from
/// durations is seen from three sides, because no one scale shows every cause: a cause can shift durations
/// (seen best in logs when it is rare and strong, in ranks when it is frequent and weak) or widen their
/// spread.
enum class Side { value, shift_log, shift_rank, spread_rank };

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
  /// A sample of rows (at most 100,000) in the columns of `discovery`, centred but not ranked: what
  /// DirectLiNGAM looks at. The same on every rank; empty when it is not wanted.
  Eigen::MatrixXd linear_rows;

  int columns() const { return static_cast<int>(centring.size()); }
  bool derived() const { return !sides.empty(); }
};

/// Two passes over the rows (collective): normal scores and means of configurations, then the moments.
Expected<Statistics> gather_statistics(const Frame& frame, const Options& options, Communicator& communicator,
                                       const Job& job);

} // namespace jitterscope::causal
