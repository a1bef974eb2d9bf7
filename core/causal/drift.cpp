#include "core/causal/drift.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace jitterscope::causal {
namespace {

constexpr int kFewestStretches = 10;
constexpr double kFewestRows = 3; ///< a stretch, beyond its mean
/// Within stretches a column that lies in order keeps about 1 / stretches² of its variance, one with as little
/// as a hundredth of noise a hundredth.
constexpr double kInOrder = 0.005;

struct Slope {
  double value = 0, error = 0;
};

/// Coefficient of one regressor and its standard error; `taken`: means taken off.
Slope slope(const Moments& m, double taken, int column, const std::vector<int>& regressors, std::size_t asked) {
  const auto k = static_cast<Eigen::Index>(regressors.size());
  Eigen::VectorXd scale(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const int c = regressors[static_cast<std::size_t>(i)];
    scale(i) = m.cross(c, c) > 0 ? 1 / std::sqrt(m.cross(c, c)) : 0;
  }
  Eigen::MatrixXd xx(k, k);
  Eigen::VectorXd xy(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const int a = regressors[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < k; ++j)
      xx(i, j) = scale(i) * scale(j) * m.cross(a, regressors[static_cast<std::size_t>(j)]);
    xy(i) = scale(i) * m.cross(a, column);
    if (scale(i) == 0) xx(i, i) = 1; // the same in all rows of a stretch: no slope
  }
  const auto at = static_cast<Eigen::Index>(asked);
  if (scale(at) == 0) return {0, INFINITY};
  const Eigen::LDLT<Eigen::MatrixXd> solver(xx);
  const Eigen::VectorXd b = solver.solve(xy);
  const Eigen::VectorXd inverse = solver.solve(Eigen::VectorXd::Unit(k, at));
  const double freedom = m.n - taken - static_cast<double>(k);
  const double left = std::max(0.0, m.cross(column, column) - b.dot(xy));
  if (!(freedom > 0) || !(inverse(at) > 0)) return {0, INFINITY};
  return {b(at) * scale(at), std::sqrt(left / freedom * inverse(at)) * scale(at)};
}

} // namespace

NearAndFar near_and_far(const Moments& all, const Moments& near, int stretches, int column,
                        const std::vector<int>& regressors, int regressor) {
  NearAndFar found;
  const auto asked = static_cast<std::size_t>(std::find(regressors.begin(), regressors.end(), regressor) -
                                              regressors.begin());
  if (asked == regressors.size()) return found;
  found.overall = slope(all, 1, column, regressors, asked).value;
  const Slope among_near = slope(near, stretches, column, regressors, asked);
  found.near = among_near.value, found.near_error = among_near.error;
  found.comparable = stretches >= kFewestStretches && near.n >= (1 + kFewestRows) * stretches &&
                     near.cross(column, column) > kInOrder * all.cross(column, column) &&
                     std::isfinite(found.near_error);
  return found;
}

} // namespace jitterscope::causal
