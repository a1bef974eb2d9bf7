#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/causal/graph.h"

namespace jitterscope::causal {

/// Linear structural equations x_j = Σ_k b_jk x_k + e_j on a directed graph.
struct LinearModel {
  Eigen::MatrixXd coefficients;      ///< b(j, k): direct effect of k on j, 0 unless k is a parent of j
  Eigen::VectorXd residual_variance; ///< of e_j
};

/// Least squares for every vertex on its parents, from a covariance (units) or correlation matrix
/// (standardised). Parents that are linear combinations of others get the coefficient 0.
LinearModel fit(const Eigen::MatrixXd& covariance, const Digraph& dag);

/// T = (I − B)⁻¹: T(j, k) sums the products of coefficients over all directed paths k → … → j (1 for j = k).
Eigen::MatrixXd total_effects(const LinearModel& model);

/// Variance of `target` when `vertex` is held at a value: var(y) without the terms that pass through the
/// vertex, Σ_j T'_yj² σ²(e_j) with the vertex's equation removed.
double variance_when_fixed(const LinearModel& model, int vertex, int target);

/// Regression coefficients and R² of `target` on `predictors` from a covariance matrix.
struct Regression {
  Eigen::VectorXd coefficients;
  double r_squared = 0;
};
Regression regress(const Eigen::MatrixXd& covariance, int target, const std::vector<int>& predictors);

} // namespace jitterscope::causal
