#include "core/causal/discovery/grow_shrink_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/vector_clones.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr double kVarianceFloor = 1e-6; ///< residual variance below which a fit counts as exact
constexpr double kDependentColumn =
    1e-8; ///< residual variance, given the other parents, below which a candidate adds nothing
constexpr double kNever = std::numeric_limits<double>::infinity();

constexpr std::ptrdiff_t kSideBySide = 8;

/// to = from − Σ factor · direction, subtracted in the order of the directions.
JITTERSCOPE_VECTOR_CLONES void remove_causes(const double* from, const double* const* directions,
                                             const double* factors, std::size_t causes, double* to,
                                             std::ptrdiff_t count) {
  std::ptrdiff_t first = 0;
  for (; first + kSideBySide <= count; first += kSideBySide) {
    double left[kSideBySide];
    for (std::ptrdiff_t k = 0; k < kSideBySide; ++k) left[k] = from[first + k];
    for (std::size_t c = 0; c < causes; ++c)
      for (std::ptrdiff_t k = 0; k < kSideBySide; ++k) left[k] -= factors[c] * directions[c][first + k];
    for (std::ptrdiff_t k = 0; k < kSideBySide; ++k) to[first + k] = left[k];
  }
  for (; first < count; ++first) {
    double left = from[first];
    for (std::size_t c = 0; c < causes; ++c) left -= factors[c] * directions[c][first];
    to[first] = left;
  }
}

/// A Gram-Schmidt step, by column.
struct RowStep {
  double* direction;                   ///< direction of the step, scaled in place
  const double *variance, *covariance; ///< values before the step
  double *variance_left, *covariance_left;
};

/// Subtracts what the direction explains from every column's variance and covariance.
JITTERSCOPE_VECTOR_CLONES void apply_step(const RowStep& step, double scale, double own,
                                          std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const double d = step.direction[i] * scale;
    step.direction[i] = d;
    step.variance_left[i] = step.variance[i] - d * d;
    step.covariance_left[i] = step.covariance[i] - own * d;
  }
}

/// Remaining variance of the vertex with each column as an additional parent. Columns that cannot be parents
/// (`open` is 0) or that earlier parents explain get more than the current variance.
JITTERSCOPE_VECTOR_CLONES void variance_left(double now, const double* variance, const double* covariance,
                                             const double* open, double* left, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const bool adds = open[i] != 0 && variance[i] >= kDependentColumn;
    const double own = adds ? variance[i] : 1.0;
    const double kept = now - covariance[i] * covariance[i] / own;
    left[i] = adds ? (kept < kVarianceFloor ? kVarianceFloor : kept) : kNever;
  }
}

/// Number of values smaller than each value, by counting, since values are few. `count` is a multiple of
/// kSideBySide.
JITTERSCOPE_VECTOR_CLONES void count_smaller(const double* values, double* smaller, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; i += kSideBySide) {
    double below[kSideBySide] = {}, own[kSideBySide];
    for (std::ptrdiff_t k = 0; k < kSideBySide; ++k) own[k] = values[i + k];
    for (std::ptrdiff_t other = 0; other < count; ++other)
      for (std::ptrdiff_t k = 0; k < kSideBySide; ++k) below[k] += values[other] < own[k] ? 1.0 : 0.0;
    for (std::ptrdiff_t k = 0; k < kSideBySide; ++k) smaller[i + k] = below[k];
  }
}

/// The correlation of n normal rows that unrelated columns exceed, in magnitude, with this probability. Uses
/// the expansion of Student's t in normal quantiles (Abramowitz and Stegun 26.7.5).
double largest_by_chance(double n, double probability) {
  const double freedom = std::max(n - 2, 2.0);
  const double z = -normal_quantile(probability / 2), z3 = z * z * z, z5 = z3 * z * z;
  const double t = z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
                   (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
  return t / std::sqrt(freedom + t * t);
}

} // namespace

double GaussianScore::operator()(double residual_variance, std::size_t parents) const {
  return -0.5 * n * std::log(std::max(residual_variance, kVarianceFloor)) -
         lambda * static_cast<double>(parents);
}

double edge_price(double n, double smallest_correlation, double candidates) {
  const double bic = std::log(std::max(n, 2.0)); // twice the penalty of BIC
  const double chance = largest_by_chance(n, 0.05 / std::max(candidates, 1.0));
  const double smallest = std::max(smallest_correlation, chance);
  return std::max(bic, -0.5 * n * std::log1p(-smallest * smallest));
}

GrowShrinkTree::GrowShrinkTree(const Eigen::MatrixXd& correlation, int vertex, GaussianScore score,
                               const std::vector<int>& candidates, std::vector<int> required)
    : correlation_(correlation), vertex_(vertex), score_(score), required_(std::move(required)), nodes_(1),
      open_(Eigen::VectorXd::Zero(correlation.rows())) {
  for (const int x : candidates) open_(x) = 1;
}

GrowShrinkTree::Choice GrowShrinkTree::best(const std::vector<std::uint8_t>& available,
                                            std::vector<std::uint8_t>* depends_on) {
  path_ = required_;
  std::size_t node = 0;
  for (;;) {
    if (nodes_[node].first_branch < 0) grow(node, path_);
    const auto first = static_cast<std::size_t>(nodes_[node].first_branch);
    const auto last = first + static_cast<std::size_t>(nodes_[node].branches);
    std::size_t taken = first;
    while (taken < last && !available[branches_[taken].added]) ++taken;
    if (depends_on)
      for (std::size_t b = first; b < std::min(taken + 1, last); ++b) (*depends_on)[branches_[b].added] = 1;
    if (taken == last) break;
    path_.push_back(branches_[taken].added);
    if (branches_[taken].node < 0) {
      branches_[taken].node = static_cast<int>(nodes_.size());
      nodes_.emplace_back();
    }
    node = static_cast<std::size_t>(branches_[taken].node);
  }
  if (!nodes_[node].shrunk) shrink(nodes_[node], path_);
  return {nodes_[node].score, &nodes_[node].parents};
}

const GrowShrinkTree::Residuals& GrowShrinkTree::residuals(const std::vector<int>& path) {
  if (given_.empty()) given_.push_back({-1, {}, correlation_.diagonal(), correlation_.col(vertex_)});
  std::size_t shared = 0;
  while (shared < path.size() && shared < known_ && given_[shared + 1].added == path[shared]) ++shared;
  for (known_ = shared; known_ < path.size(); ++known_) {
    if (given_.size() < known_ + 2) given_.emplace_back();
    const Residuals& before = given_[known_];
    Residuals& next = given_[known_ + 1]; // reuses the memory of the previous path
    const int a = next.added = path[known_];
    const Eigen::Index columns = correlation_.rows();
    next.direction.resize(columns), next.variance.resize(columns), next.covariance.resize(columns);
    directions_.clear(), factors_.clear();
    for (std::size_t k = 1; k <= known_; ++k)
      directions_.push_back(given_[k].direction.data()), factors_.push_back(given_[k].direction(a));
    remove_causes(&correlation_(0, a), directions_.data(), factors_.data(), known_, next.direction.data(),
                  columns);
    const double residual = next.direction(a);
    if (residual < kDependentColumn) {
      next.direction.setZero(), next.variance = before.variance, next.covariance = before.covariance;
    } else {
      const double scale = 1 / std::sqrt(residual);
      apply_step({next.direction.data(), before.variance.data(), before.covariance.data(),
                  next.variance.data(), next.covariance.data()},
                 scale, next.direction(vertex_) * scale, columns);
    }
  }
  return given_[known_];
}

// A parent pays if it lowers the residual variance by more than its price: neither this test nor the
// comparison of two parents needs a logarithm.
void GrowShrinkTree::grow(std::size_t node, const std::vector<int>& path) {
  const Residuals& given = residuals(path);
  const double now = given.variance(vertex_);
  const double largest = std::max(now, kVarianceFloor) * std::exp(-2 * score_.lambda / score_.n);
  const Eigen::Index columns = given.variance.size();
  left_.resize(columns);
  variance_left(now, given.variance.data(), given.covariance.data(), open_.data(), left_.data(), columns);
  const auto room = static_cast<std::size_t>(columns + kSideBySide);
  kept_.resize(room), paying_.resize(room), places_.resize(room);
  std::size_t count = 0;
  for (Eigen::Index x = 0; x < columns; ++x) { // branch-free, because which columns pay is unpredictable
    kept_[count] = left_(x), paying_[count] = static_cast<int>(x);
    count += left_(x) < largest;
  }
  nodes_[node].first_branch = static_cast<int>(branches_.size());
  nodes_[node].branches = static_cast<int>(count);
  branches_.resize(branches_.size() + count);
  const std::size_t padded = (count + kSideBySide - 1) / kSideBySide * kSideBySide;
  std::fill(kept_.begin() + static_cast<std::ptrdiff_t>(count),
            kept_.begin() + static_cast<std::ptrdiff_t>(padded), kNever);
  count_smaller(kept_.data(), places_.data(), static_cast<std::ptrdiff_t>(padded));
  Branch* const first = branches_.data() + nodes_[node].first_branch;
  for (std::size_t i = 0; i < count; ++i) {
    auto place = static_cast<std::size_t>(places_[i]);
    while (first[place].added >= 0) ++place; // ties in the order of columns
    first[place].added = paying_[i];
  }
}

// With the precision matrix K of parents and vertex: σ²(v | Pa) = 1 / K_vv; without parent i, 1 / (K_vv −
// K_vi² / K_ii). From the inverse W of the Cholesky factor (K = Wᵀ W, v last): K_vv = W_vv², K_vi = W_vv
// W_vi, K_ii = Σ_r W_ri².
void GrowShrinkTree::shrink(Node& node, const std::vector<int>& path) {
  node.shrunk = true;
  node.parents = path;
  for (;;) {
    const std::size_t k = node.parents.size(), size = k + 1;
    invert_cholesky_factor(node.parents);
    const double* last = &inverse_[k * size];
    const double own = last[k] * last[k];
    node.score = score_(1.0 / own, k);
    double minimum = kNever;
    std::size_t leaving = k;
    for (std::size_t i = 0; i < k; ++i) {
      if (is_required(node.parents[i])) continue;
      double diagonal = 0;
      for (std::size_t r = i; r < size; ++r) diagonal += inverse_[r * size + i] * inverse_[r * size + i];
      const double without = own - own * last[i] * last[i] / diagonal;
      const double left = std::max(1.0 / without, kVarianceFloor);
      if (left < minimum) minimum = left, leaving = i;
    }
    if (leaving == k || score_(minimum, k - 1) <= node.score) break;
    node.parents.erase(node.parents.begin() + static_cast<std::ptrdiff_t>(leaving));
  }
  std::ranges::sort(node.parents);
}

/// `inverse_`: the inverse of the Cholesky factor of the correlations of `parents` and the vertex, row by
/// row.
void GrowShrinkTree::invert_cholesky_factor(const std::vector<int>& parents) {
  const std::size_t size = parents.size() + 1;
  factor_.assign(size * size, 0);
  inverse_.assign(size * size, 0);
  const auto column = [&](std::size_t i) { return i < parents.size() ? parents[i] : vertex_; };
  for (std::size_t i = 0; i < size; ++i) {
    double* row = &factor_[i * size];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = &factor_[j * size];
      double rest = correlation_(column(j), column(i));
      for (std::size_t t = 0; t < j; ++t) rest -= row[t] * other[t];
      row[j] = j < i ? rest / other[j] : std::sqrt(std::max(rest, kDependentColumn));
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = j < i ? 0.0 : 1.0;
      for (std::size_t t = j; t < i; ++t) sum -= row[t] * inverse_[t * size + j];
      inverse_[i * size + j] = sum / row[i];
    }
  }
}

} // namespace jitterscope::causal
