#include "core/causal/statistics/drift.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace jitterscope::causal {

Slope slope(const Moments& m, double subtracted, int column, const std::vector<int>& regressors,
            std::size_t index) {
  const auto k = static_cast<Eigen::Index>(regressors.size());
  Eigen::VectorXd scale(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const int c = regressors[i];
    scale(i) = m.cross(c, c) > 0 ? 1 / std::sqrt(m.cross(c, c)) : 0;
  }
  Eigen::MatrixXd xx(k, k);
  Eigen::VectorXd xy(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const int a = regressors[i];
    for (Eigen::Index j = 0; j < k; ++j) xx(i, j) = scale(i) * scale(j) * m.cross(a, regressors[j]);
    xy(i) = scale(i) * m.cross(a, column);
    if (scale(i) == 0) xx(i, i) = 1; // constant within every stretch: no slope
  }
  const auto at = static_cast<Eigen::Index>(index);
  if (scale(at) == 0) return {0, INFINITY};
  const Eigen::LDLT<Eigen::MatrixXd> solver(xx);
  const Eigen::VectorXd b = solver.solve(xy);
  const Eigen::VectorXd inverse = solver.solve(Eigen::VectorXd::Unit(k, at));
  const double freedom = m.n - subtracted - static_cast<double>(k);
  const double left = std::max(0.0, m.cross(column, column) - b.dot(xy));
  if (!(freedom > 0) || !(inverse(at) > 0)) return {0, INFINITY};
  return {b(at) * scale(at), std::sqrt(left / freedom * inverse(at)) * scale(at)};
}

WithoutTrend without_trend(const Moments& all, const Moments& beyond, int column,
                           const std::vector<int>& regressors, int regressor) {
  constexpr double min_rows = 30;
  WithoutTrend found;
  const auto index = static_cast<std::size_t>(std::ranges::find(regressors, regressor) - regressors.begin());
  if (index == regressors.size()) return found;
  found.overall = slope(all, 1, column, regressors, index).value;
  const Slope left = slope(beyond, 1 + kTrendDegree, column, regressors, index);
  found.beyond = left.value, found.beyond_error = left.error;
  found.comparable = all.n >= min_rows && std::isfinite(left.error);
  return found;
}

bool is_in_order(const Moments& all, const Moments& near, int column) {
  // Within 100 stretches, a sorted column has about 10⁻⁴ of its variance; with 1 % noise variance it has
  // 10⁻².
  constexpr double in_order = 0.005;
  return near.cross(column, column) <= in_order * all.cross(column, column);
}

} // namespace jitterscope::causal
