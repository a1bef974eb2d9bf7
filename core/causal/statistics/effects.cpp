#include "core/causal/statistics/effects.h"

#include <algorithm>

#include <Eigen/LU>
#include <Eigen/QR>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {
namespace {

/// Whether orienting all of `parents` to their child adds no unshielded collider except those among `sure`.
bool no_new_collider(const PartialGraph& graph, const std::vector<int>& parents,
                     const std::vector<int>& sure) {
  const auto is_sure = [&](int x) { return contains(sure, x); };
  for (const int a : parents)
    for (const int b : parents)
      if (a < b && !(is_sure(a) && is_sure(b)) && !graph.adjacent(a, b)) return false;
  return true;
}

} // namespace

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
    const auto& parents = dag.parents[j];
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

double variance_when_fixed(const LinearModel& model, const Eigen::MatrixXd& total, int vertex, int target) {
  const Eigen::RowVectorXd past = total.row(target) - total(target, vertex) * total.row(vertex);
  return past.cwiseAbs2().dot(model.residual_variance.transpose());
}

Eigen::VectorXd intrinsic_shares(const LinearModel& model, int target) {
  const Eigen::VectorXd entering =
      total_effects(model).row(target).transpose().cwiseAbs2().cwiseProduct(model.residual_variance);
  const double all = entering.sum();
  return all > 0 ? Eigen::VectorXd(entering / all) : entering;
}

std::vector<std::vector<int>> possible_parents(const PartialGraph& graph, const Background& background,
                                               int vertex) {
  constexpr std::size_t maximum = 8;
  std::vector<int> sure, open;
  for (int x = 0; x < graph.size(); ++x) {
    if (graph.directed(x, vertex)) sure.push_back(x);
    if (graph.undirected(x, vertex) && open.size() < maximum) open.push_back(x);
  }
  std::vector<std::vector<int>> sets;
  for (std::size_t bits = 0; bits < (std::size_t{1} << open.size()); ++bits) {
    PartialGraph oriented = graph;
    std::vector<int> parents = sure;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (bits >> k & 1) {
        oriented.orient(open[k], vertex);
        parents.push_back(open[k]);
      } else {
        oriented.orient(vertex, open[k]);
      }
    }
    const bool allowed = std::ranges::all_of(parents, [&](int x) { return background.allows(x, vertex); });
    if (open.empty() || (allowed && no_new_collider(graph, parents, sure) &&
                         consistent_extension(oriented, background).exact)) {
      std::ranges::sort(parents);
      sets.push_back(std::move(parents));
    }
  }
  return sets;
}

double effect_given_parents(const Eigen::MatrixXd& covariance, int vertex, int target,
                            const std::vector<int>& parents) {
  if (contains(parents, target)) return 0;
  std::vector<int> predictors{vertex};
  predictors.insert(predictors.end(), parents.begin(), parents.end());
  return regress(covariance, target, predictors).coefficients(0);
}

} // namespace jitterscope::causal
