#include "core/causal/effects.h"

#include <algorithm>

#include <Eigen/LU>
#include <Eigen/QR>

namespace jitterscope::causal {

Regression regress(const Eigen::MatrixXd& covariance, int target, const std::vector<int>& predictors) {
  Regression result;
  const auto k = static_cast<Eigen::Index>(predictors.size());
  result.coefficients = Eigen::VectorXd::Zero(k);
  const double variance = covariance(target, target);
  if (k == 0 || !(variance > 0)) return result;
  const Eigen::MatrixXd inner = covariance(predictors, predictors);
  const Eigen::VectorXd with = covariance(predictors, target);
  // Scaled to correlations first, so that the rank decision does not depend on units.
  Eigen::VectorXd scale = inner.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (Eigen::Index i = 0; i < k; ++i) scale(i) = scale(i) > 0 ? 1.0 / scale(i) : 0.0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scale.asDiagonal() * inner * scale.asDiagonal());
  qr.setThreshold(1e-10);
  result.coefficients = scale.asDiagonal() * qr.solve(scale.asDiagonal() * with);
  result.r_squared = std::clamp(result.coefficients.dot(with) / variance, 0.0, 1.0);
  return result;
}

LinearModel fit(const Eigen::MatrixXd& covariance, const Digraph& dag) {
  const Eigen::Index p = covariance.rows();
  LinearModel model{Eigen::MatrixXd::Zero(p, p), covariance.diagonal()};
  for (int j = 0; j < dag.size(); ++j) {
    const auto& parents = dag.parents[static_cast<std::size_t>(j)];
    const Regression r = regress(covariance, j, parents);
    for (std::size_t i = 0; i < parents.size(); ++i)
      model.coefficients(j, parents[i]) = r.coefficients(static_cast<Eigen::Index>(i));
    model.residual_variance(j) = covariance(j, j) * (1.0 - r.r_squared);
  }
  return model;
}

Eigen::MatrixXd total_effects(const LinearModel& model) {
  const Eigen::Index p = model.coefficients.rows();
  return (Eigen::MatrixXd::Identity(p, p) - model.coefficients).partialPivLu().inverse();
}

double variance_when_fixed(const LinearModel& model, int vertex, int target) {
  LinearModel cut = model;
  cut.coefficients.row(vertex).setZero();
  cut.residual_variance(vertex) = 0;
  const Eigen::MatrixXd t = total_effects(cut);
  return t.row(target).cwiseAbs2().dot(cut.residual_variance.transpose());
}

} // namespace jitterscope::causal
