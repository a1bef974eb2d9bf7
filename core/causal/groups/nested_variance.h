#pragma once

#include <vector>

#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// Rows of one innermost group. Groups of an inner level belong to one group of each outer level.
struct GroupSums {
  std::vector<int> path; ///< by level, outermost first: group index over the whole table
  double n = 0, mean = 0;
  double squares = 0; ///< Σ (y − mean)² of the rows
};

inline constexpr std::size_t kMinGroups = 5; ///< minimum groups of a level, for an interval over groups

/// Adds rows to a group; merges means and squares exactly (Chan, Golub, LeVeque 1983).
void merge(const GroupSums& more, GroupSums& into);

/// Variances of a nested random-effects model y = μ + a₁ + a₂ + … + e, outermost level first, the rows last.
struct NestedVariances {
  std::vector<double> variance; ///< levels + 1 values, none negative
  double mean = 0;              ///< μ, weighted by rows
};

struct VarianceShare {
  double share = 0; ///< share of the variance, 0 … 1
  Range interval;   ///< 95 % interval of `share`
};

/// Components of variance on unbalanced data by the analysis of variance, that is the method of moments
/// (Searle, Casella, McCulloch 1992, "Variance components", section 5.4, for any number of levels). Negative
/// estimates are set to 0. `groups` must be in order of their paths, with two rows in some group and two
/// groups at every level.
NestedVariances nested_variances(const std::vector<GroupSums>& groups);

/// Share of every component and, last, of the sum of the first `between` components. Intervals: jackknife
/// on the scale asin √share, Student's t (Arvesen and Schmitz 1970, "Robust procedures for variance component
/// problems using the jackknife"); for a share of 0 or 1 on the scale of the share, with negative estimates.
/// The parts left out are the groups of the outermost level or, if there are fewer than kMinGroups, blocks of
/// rows: `without` has the groups without each block. With fewer than kMinGroups parts the ends are NaN.
std::vector<VarianceShare> variance_shares(const std::vector<GroupSums>& groups, std::size_t between,
                                           const std::vector<std::vector<GroupSums>>& without = {});

/// Effect of one group, shrunk towards 0 by the scatter of its rows. The interval includes the uncertainty of
/// the shrinkage (Morris 1983, "Parametric empirical Bayes inference").
struct GroupEffect {
  double n = 0;      ///< number of rows
  double effect = 0; ///< beyond the mean of all groups: best linear unbiased prediction
  Range interval;    ///< 95 % interval of `effect`
};
/// By group index at `level`: the sum of the effects of all levels up to `level`.
std::vector<GroupEffect> group_effects(const std::vector<GroupSums>& groups, std::size_t level,
                                       const NestedVariances& variances);

} // namespace jitterscope::causal
