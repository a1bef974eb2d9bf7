#include "core/causal/statistics/earlier.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "core/causal/statistics/effects.h"

namespace jitterscope::causal {
namespace {

/// Part of a column's variance that the columns `others` do not explain.
double own_part(const Eigen::MatrixXd& correlation, int column, const std::vector<int>& others) {
  return 1 - regress(correlation, column, others).r_squared;
}

/// Coefficient of one regressor in a least-squares fit, and its standard error.
struct Slope {
  double value = 0, error = 0;
};

/// Slope of `column` on `regressors[index]`.
Slope slope(const Moments& m, int column, const std::vector<int>& regressors, std::size_t index) {
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
    if (scale(i) == 0) xx(i, i) = 1; // constant: no slope
  }
  const auto at = static_cast<Eigen::Index>(index);
  if (scale(at) == 0) return {0, INFINITY};
  const Eigen::LDLT<Eigen::MatrixXd> solver(xx);
  const Eigen::VectorXd b = solver.solve(xy);
  const Eigen::VectorXd inverse = solver.solve(Eigen::VectorXd::Unit(k, at));
  const double freedom = m.n - 1 - static_cast<double>(k);
  const double left = std::max(0.0, m.cross(column, column) - b.dot(xy));
  if (!(freedom > 0) || !(inverse(at) > 0)) return {0, INFINITY};
  return {b(at) * scale(at), std::sqrt(left / freedom * inverse(at)) * scale(at)};
}

} // namespace

bool begins_at_the_end_of_earlier_work(std::string_view feature) {
  const auto name = feature.substr(0, feature.find(' '));
  return name == "gap_ns" || name == "gap" || name == "burst_position"; // "gap": a table's column in any unit
}

bool only_reflects_earlier(const Moments& all, const std::vector<TargetFit>& sides, int regressor,
                           int earlier) {
  constexpr double kLeftOfSlope = 1.0 / 3, kLeftOfOwn = 0.05, kSharedSlope = 2.0 / 3;
  const Eigen::MatrixXd correlation = correlation_of(all.cross);
  double maximum = 0;
  bool only = false;
  for (const TargetFit& side : sides) {
    const auto at = std::ranges::find(side.regressors, regressor);
    if (at == side.regressors.end()) continue;
    const auto asked = static_cast<std::size_t>(at - side.regressors.begin());
    const Slope before = slope(all, side.column, side.regressors, asked);
    const double strength = std::fabs(before.value) *
                            std::sqrt(all.cross(regressor, regressor) / all.cross(side.column, side.column));
    if (!(strength > maximum)) continue;
    maximum = strength;
    auto others = side.regressors;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(asked));
    const double own = own_part(correlation, regressor, others);
    others.push_back(earlier);
    only = own_part(correlation, regressor, others) <= kLeftOfOwn * own; // the slope is then undetermined
    if (only) continue;
    auto with_earlier = side.regressors;
    with_earlier.push_back(earlier);
    const Slope held = slope(all, side.column, with_earlier, asked);
    only = std::fabs(held.value) <= kLeftOfSlope * std::fabs(before.value);
    if (only || std::fabs(held.value) > kSharedSlope * std::fabs(before.value)) continue;
    const Slope of_earlier = slope(all, side.column, with_earlier, with_earlier.size() - 1);
    only = std::fabs(of_earlier.value) * std::sqrt(all.cross(earlier, earlier)) >
           std::fabs(held.value) * std::sqrt(all.cross(regressor, regressor));
  }
  return only;
}

} // namespace jitterscope::causal
