#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace jitterscope::causal {

/// Shares of R² of the target's regression on the predictors, averaged over all orders of adding them (LMG:
/// Lindeman, Merenda, Gold 1980; Grömping 2007). Non-negative up to rounding; their sum is R².
struct Shares {
  std::vector<double> share; ///< share of each predictor
  double r_squared = 0;
};

inline constexpr std::size_t kExactShapley = 12; ///< maximum predictors for evaluating all subsets

/// Exact up to kExactShapley predictors, else from 250 random orders and their reverses (always the same;
/// antithetic sampling: Mitchell et al. 2022).
Shares lmg_shares(const Eigen::MatrixXd& covariance, int target, const std::vector<int>& predictors);

} // namespace jitterscope::causal
