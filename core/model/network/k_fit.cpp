#include "core/model/network/k_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/model/network/regimes.h"

namespace jitterscope::model {
namespace {

using Three = std::array<double, 3>;

Expected<void> check(std::span<const PairPoint> points, std::size_t minimum) {
  if (points.size() < minimum) return failure(ErrorKind::BadInput, "too few message sizes for the K-model");
  for (const auto& p : points)
    if (!(p.bytes > 0) || !(p.pairs > 0) || !(p.time > 0) || !std::isfinite(p.bytes * p.pairs * p.time))
      return failure(ErrorKind::BadInput, "a message size, number of pairs or time is not positive");
  return {};
}

double r_squared(std::span<const PairPoint> points, const MessageRegime& regime) {
  double mean = 0, left = 0, all = 0;
  for (const auto& p : points) mean += p.time / static_cast<double>(points.size());
  for (const auto& p : points) {
    const double error = p.time - regime.time(p.bytes, p.pairs);
    left += error * error;
    all += (p.time - mean) * (p.time - mean);
  }
  return all > 0 ? 1 - left / all : 1;
}

/// Weighted line T = α + β x through points (x, T, weight).
struct Line {
  double alpha = 0, beta = 0;
};
template <class X>
Line weighted_line(std::span<const PairPoint> points, X x) {
  double w = 0, wx = 0, wt = 0;
  for (const auto& p : points) {
    w += 1 / p.bytes;
    wx += x(p) / p.bytes;
    wt += p.time / p.bytes;
  }
  const double mean_x = wx / w, mean_t = wt / w;
  double xx = 0, xt = 0;
  for (const auto& p : points) {
    xx += (x(p) - mean_x) * (x(p) - mean_x) / p.bytes;
    xt += (x(p) - mean_x) * (p.time - mean_t) / p.bytes;
  }
  const double beta = xx > 0 ? std::max(xt / xx, 0.0) : 0;
  return {mean_t - beta * mean_x, beta};
}

/// Solves a symmetric positive definite 3 × 3 system by Cholesky; false if it is singular.
bool solve(std::array<Three, 3> a, Three b, Three& x) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i == j) {
        if (!(sum > 0)) return false;
        a[i][i] = std::sqrt(sum);
      } else {
        a[i][j] = sum / a[j][j];
      }
    }
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = 3; i-- > 0;) {
    for (std::size_t k = i + 1; k < 3; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  x = b;
  return true;
}

/// Weighted sum of squares at (α, R_Cb, R_Ci), with gradient and JᵀJ in parameters scaled to 1.
struct Squares {
  double sum = 0;
  Three gradient{};
  std::array<Three, 3> normal{};
};
Squares squares_of(std::span<const PairPoint> points, const Three& at, const Three& scale) {
  Squares out;
  for (const auto& p : points) {
    const double rate = at[1] + (p.pairs - 1) * at[2];
    const double moved = p.pairs * p.bytes / rate, weight = 1 / p.bytes;
    const double error = p.time - at[0] - moved;
    const Three slope{scale[0], -moved / rate * scale[1], -moved / rate * (p.pairs - 1) * scale[2]};
    out.sum += weight * error * error;
    for (std::size_t i = 0; i < 3; ++i) {
      out.gradient[i] += weight * slope[i] * error;
      for (std::size_t j = 0; j < 3; ++j) out.normal[i][j] += weight * slope[i] * slope[j];
    }
  }
  return out;
}

bool rates_positive(std::span<const PairPoint> points, const Three& at) {
  return at[0] >= 0 && at[1] > 0 && std::all_of(points.begin(), points.end(), [&](const PairPoint& p) {
           return at[1] + (p.pairs - 1) * at[2] > 0;
         });
}

struct Descent {
  Three at{};
  int iterations = 0;
  bool converged = false;
};

Descent descend(std::span<const PairPoint> points, Three start, bool several) {
  constexpr int kMax = 500;
  constexpr double kEnough = 1e-13; // relative step at convergence
  Descent out{start, 0, false};
  const Three scale{std::max(start[0], 1e-3), start[1], std::max(start[2], 1e-3 * start[1])};
  double damping = 1e-3;
  auto now = squares_of(points, out.at, scale);
  for (; out.iterations < kMax && !out.converged; ++out.iterations) {
    auto normal = now.normal;
    auto gradient = now.gradient;
    for (std::size_t i = 0; i < 3; ++i) normal[i][i] *= 1 + damping;
    if (!several) normal[2] = {0, 0, 1}, normal[0][2] = normal[1][2] = 0, gradient[2] = 0;
    Three step{};
    if (!solve(normal, gradient, step)) {
      damping *= 10;
      continue;
    }
    Three next = out.at;
    double largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      next[i] += step[i] * scale[i];
      largest = std::max(largest, std::abs(step[i] * scale[i]) / std::max(std::abs(next[i]), scale[i]));
    }
    next[0] = std::max(next[0], 0.0);
    const auto then = rates_positive(points, next) ? squares_of(points, next, scale)
                                                   : Squares{std::numeric_limits<double>::infinity(), {}, {}};
    if (then.sum <= now.sum) {
      out.converged = largest < kEnough || then.sum == 0;
      out.at = next;
      now = then;
      damping = std::max(damping / 10, 1e-15);
    } else {
      out.converged = largest < kEnough;
      damping *= 10;
    }
  }
  return out;
}

} // namespace

Expected<KFit> fit_k_short(std::span<const PairPoint> points) {
  if (auto good = check(points, 2); !good) return forward(good.error());
  auto line = weighted_line(points, [](const PairPoint& p) { return p.pairs * p.bytes; });
  KFit fit;
  fit.regime.form = MessageForm::k_short;
  if (line.alpha < 0) {
    double xx = 0, xt = 0;
    for (const auto& p : points) {
      xx += p.pairs * p.pairs * p.bytes;
      xt += p.pairs * p.time;
    }
    line = {0, xt / xx};
  }
  fit.regime.alpha = line.alpha;
  fit.regime.beta = line.beta;
  fit.r_squared = r_squared(points, fit.regime);
  return fit;
}

Expected<KFit> fit_k_rate(std::span<const PairPoint> points) {
  if (auto good = check(points, 3); !good) return forward(good.error());
  const auto minimum = std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
                         return a.pairs < b.pairs;
                       })->pairs;
  std::vector<PairPoint> first;
  double shortest = std::numeric_limits<double>::infinity();
  bool several = false;
  for (const auto& p : points) {
    if (p.pairs == minimum) first.push_back(p);
    several = several || p.pairs != minimum;
    shortest = std::min(shortest, p.time);
  }
  const double beta =
      weighted_line(std::span<const PairPoint>(first), [](const PairPoint& p) { return p.bytes; }).beta;
  if (!(beta > 0))
    return failure(ErrorKind::BadInput,
                   "the time of messages does not grow with their size: no rate can be fitted");
  const auto found = descend(points, {shortest, 1 / beta, several ? 0.3 / beta : 0}, several);
  KFit fit;
  fit.regime.form = MessageForm::k_rate;
  fit.regime.alpha = found.at[0];
  fit.regime.rate = found.at[1];
  fit.regime.added_rate = found.at[2];
  fit.iterations = found.iterations;
  if (!std::isfinite(found.at[0] + found.at[1] + found.at[2]) || !(found.at[1] > 0))
    return failure(ErrorKind::Internal, "the fit of the K-model did not converge");
  fit.r_squared = r_squared(points, fit.regime);
  return fit;
}

} // namespace jitterscope::model
