#pragma once

#include <optional>
#include <vector>

#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {

/// Rows for testing what the graph's straight lines do not show (stretch_sample.h): the target's parents,
/// then other columns that may be associated with it, then the target. All are normal scores of their
/// mid-ranks among rows of the same configuration (of all rows if there are none, and for the reading
/// "pooled"). Configurations then do not differ in level, in spread or in how their rows are distributed over
/// a column.
struct RankedSample {
  /// What the columns may explain.
  struct Response {
    Eigen::VectorXd y;
    Eigen::VectorXd left;  ///< residual from the parents' lines
    double left_share = 1; ///< fraction of the variance of `y` in `left`
  };
  StretchSample sample;
  Eigen::Index parents = 0;
  /// The target, and for variability the duration: if half of the launches take longer, none is further from
  /// the middle than the others.
  std::vector<Response> responses;
  std::vector<std::vector<Eigen::Index>> rows_of_fold;

  auto column(Eigen::Index c) const { return sample.z.col(c); }

  /// Empty below 200 rows, without columns, and for the reading "between", whose rows repeat. Collective.
  static Expected<std::optional<RankedSample>> draw(const Frame& frame, const std::vector<int>& parents,
                                                    const std::vector<int>& others, const Options& options,
                                                    Communicator& communicator, const Job& job);
};

/// Upper ends of at most `classes` classes with equal numbers of rows; one class per value if values are few.
std::vector<double> class_ends(const Eigen::Ref<const Eigen::VectorXd>& column, std::size_t classes);
std::vector<std::size_t> classes_of(const Eigen::Ref<const Eigen::VectorXd>& column,
                                    const std::vector<double>& ends);

} // namespace jitterscope::causal
