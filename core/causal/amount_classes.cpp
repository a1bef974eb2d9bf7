#include "core/causal/amount_classes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>

namespace jitterscope::causal {
namespace {

/// Weighted straight line through (k, value_k): value at 0 and slope.
std::pair<double, double> line_through(const std::vector<double>& values,
                                       const std::vector<double>& weights) {
  double w = 0, wk = 0, wv = 0, wkk = 0, wkv = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto position = static_cast<double>(k);
    w += weights[k], wk += weights[k] * position, wv += weights[k] * values[k];
    wkk += weights[k] * position * position, wkv += weights[k] * position * values[k];
  }
  const double spread = wkk * w - wk * wk;
  const double slope = spread > 0 ? (wkv * w - wk * wv) / spread : 0.0;
  return {w > 0 ? (wv - slope * wk) / w : 0.0, slope};
}

} // namespace

std::vector<double> class_effects(const std::vector<double>& counts, const std::vector<double>& sums,
                                  std::size_t classes) {
  const auto k = static_cast<Eigen::Index>(classes);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(k, k);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(k);
  double rows = 0;
  for (std::size_t at = 0; at < counts.size(); at += classes) {
    const Eigen::Map<const Eigen::VectorXd> n(counts.data() + at, k), y(sums.data() + at, k);
    const double all = n.sum();
    if (all <= 0) continue;
    rows += all;
    normal.diagonal() += n;
    normal.noalias() -= n * n.transpose() / all;
    right += y - n * (y.sum() / all);
  }
  normal.diagonal().array() += 1e-9 * std::max(rows, 1.0); // the effects are known up to a constant only
  const Eigen::VectorXd effect = normal.ldlt().solve(right);
  return {effect.data(), effect.data() + k};
}

double shrink_to_steady_end(std::vector<double>& spread, const std::vector<double>& weight,
                            std::vector<double>& scale) {
  double all = 0, n = 0;
  for (std::size_t k = 0; k < spread.size(); ++k)
    all += spread[k], n += weight[k], spread[k] /= std::max(weight[k], 1.0);
  const auto line = line_through(spread, weight);
  const auto at = [&](std::size_t k) {
    return std::max(line.first + line.second * static_cast<double>(k), 0.1 * all / std::max(n, 1.0));
  };
  const std::size_t steady = line.second > 0 ? 0 : spread.size() - 1;
  for (std::size_t k = 0; k < spread.size(); ++k)
    scale[k] = at(k) > 0 ? std::min(1.0, at(steady) / at(k)) : 1.0;
  return line.second;
}

int trend_of(const std::vector<double>& effect, const std::vector<double>& weight) {
  double w = 0, k1 = 0, e1 = 0;
  for (std::size_t k = 0; k < effect.size(); ++k)
    w += weight[k], k1 += weight[k] * static_cast<double>(k), e1 += weight[k] * effect[k];
  if (!(w > 0)) return 0;
  double kk = 0, ee = 0, ke = 0;
  for (std::size_t k = 0; k < effect.size(); ++k) {
    const double dk = static_cast<double>(k) - k1 / w, de = effect[k] - e1 / w;
    kk += weight[k] * dk * dk, ee += weight[k] * de * de, ke += weight[k] * dk * de;
  }
  const double r = kk > 0 && ee > 0 ? ke / std::sqrt(kk * ee) : 0.0;
  return r >= 0.7 ? 1 : r <= -0.7 ? -1 : 0;
}

} // namespace jitterscope::causal
