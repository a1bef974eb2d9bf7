#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/causal/base/graph.h"

namespace jitterscope::causal {

/// Linear structural equations x_j = Σ_k b_jk x_k + e_j on a directed graph.
struct LinearModel {
  Eigen::MatrixXd coefficients;      ///< b(j, k): direct effect of k on j, 0 unless k is a parent of j
  Eigen::VectorXd residual_variance; ///< variance of e_j
};

/// Least squares for every vertex on its parents, from a covariance (units) or correlation matrix
/// (standardised). Parents that are linear combinations of others get the coefficient 0.
LinearModel fit(const Eigen::MatrixXd& covariance, const Digraph& dag);

/// T = (I − B)⁻¹: T(j, k) sums the products of coefficients over all directed paths k → … → j (1 for j = k).
Eigen::MatrixXd total_effects(const LinearModel& model);

/// Variance of `target` when `vertex` is held at a value: Σ_j T'_yj² σ²(e_j), where T' are the effects along
/// paths that avoid the vertex, T'_yj = T_yj − T_yv T_vj. `total`: total_effects(model).
double variance_when_fixed(const LinearModel& model, const Eigen::MatrixXd& total, int vertex, int target);

/// Origin of the target's variance: t_j² σ²(e_j) / Σ of these over all vertices, where t_j is the total
/// effect of j's own noise (Janzing et al. 2020, intrinsic contributions, for linear models). Sums to 1, the
/// target's own noise included.
Eigen::VectorXd intrinsic_shares(const LinearModel& model, int target);

/// Sets of parents that `vertex` has in the members of a class, as far as its own edges decide (IDA,
/// Maathuis, Kalisch, Bühlmann 2009). A set has the directed parents of the vertex and any of its undirected
/// neighbours that can point to it together in a member. One set when all its edges are directed; at most 2⁸
/// sets are tried.
std::vector<std::vector<int>> possible_parents(const PartialGraph& graph, const Background& background,
                                               int vertex);

/// Total effect of `vertex` on `target` if `parents` are the parents of `vertex`: its coefficient in the
/// regression of `target` on `vertex` and `parents` (Pearl 2009, back-door adjustment). 0 if the target is
/// one of the parents.
double effect_given_parents(const Eigen::MatrixXd& covariance, int vertex, int target,
                            const std::vector<int>& parents);

/// Regression coefficients and R² of `target` on `predictors` from a covariance matrix.
struct Regression {
  Eigen::VectorXd coefficients;
  double r_squared = 0;
};
Regression regress(const Eigen::MatrixXd& covariance, int target, const std::vector<int>& predictors);

} // namespace jitterscope::causal
