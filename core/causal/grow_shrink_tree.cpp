#include "core/causal/grow_shrink_tree.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "core/base/vector_clones.h"
#include "core/causal/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr double kVarianceFloor = 1e-6;   ///< below this a fit is as good as exact
constexpr double kDependentColumn = 1e-8; ///< a candidate explained this well by the others adds nothing

/// target −= factor · direction.
JITTERSCOPE_VECTOR_CLONES void take_away(double* target, const double* direction, double factor, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) target[i] -= factor * direction[i];
}

/// One Gram-Schmidt step: the direction takes its part of every column's variance and of its covariance.
JITTERSCOPE_VECTOR_CLONES void step(double* direction, double scale, double own, double* variance, double* covariance,
                                    std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const double d = direction[i] * scale;
    direction[i] = d;
    variance[i] -= d * d;
    covariance[i] -= own * d;
  }
}

/// What the vertex would keep of its variance with each column as one more parent.
JITTERSCOPE_VECTOR_CLONES void variance_left(double now, const double* variance, const double* covariance, double* left,
                                             std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const double own = variance[i] < kDependentColumn ? kDependentColumn : variance[i];
    left[i] = now - covariance[i] * covariance[i] / own;
  }
}

} // namespace

double GaussianScore::operator()(double residual_variance, std::size_t parents) const {
  return -0.5 * n * std::log(std::max(residual_variance, kVarianceFloor)) -
         lambda * static_cast<double>(parents);
}

namespace {

/// The correlation of n normal rows that unrelated columns exceed, in magnitude, with this probability.
/// Student's t by its expansion in normal quantiles (Abramowitz and Stegun 26.7.5).
double largest_by_chance(double n, double probability) {
  const double freedom = std::max(n - 2, 2.0);
  const double z = -normal_quantile(probability / 2), z3 = z * z * z, z5 = z3 * z * z;
  const double t = z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
                   (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
  return t / std::sqrt(freedom + t * t);
}

} // namespace

double edge_price(double n, double penalty, double smallest_correlation, double candidates) {
  const double bic = 0.5 * penalty * std::log(std::max(n, 2.0));
  const double chance = largest_by_chance(n, 0.05 / std::max(candidates, 1.0));
  const double smallest = std::max(smallest_correlation, chance);
  return std::max(bic, -0.5 * n * std::log1p(-smallest * smallest));
}

GrowShrinkTree::GrowShrinkTree(const Eigen::MatrixXd& correlation, int vertex, GaussianScore score,
                               std::vector<int> candidates, std::vector<int> required)
    : correlation_(correlation), vertex_(vertex), score_(score), candidates_(std::move(candidates)),
      required_(std::move(required)), nodes_(1) {}

bool GrowShrinkTree::is_required(int v) const {
  return std::find(required_.begin(), required_.end(), v) != required_.end();
}

GrowShrinkTree::Choice GrowShrinkTree::best(const std::vector<std::uint8_t>& available) {
  path_ = required_;
  std::size_t node = 0;
  for (;;) {
    if (nodes_[node].first_branch < 0) grow(node, path_);
    const auto first = static_cast<std::size_t>(nodes_[node].first_branch);
    const auto last = first + static_cast<std::size_t>(nodes_[node].branches);
    std::size_t taken = first;
    while (taken < last && !available[static_cast<std::size_t>(branches_[taken].added)]) ++taken;
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
    Residuals& next = given_[known_ + 1]; // keeps the memory of the path before
    const int a = next.added = path[known_];
    next.direction = correlation_.col(a);
    next.variance = before.variance;
    next.covariance = before.covariance;
    for (std::size_t k = 1; k <= known_; ++k)
      take_away(next.direction.data(), given_[k].direction.data(), given_[k].direction(a), next.direction.size());
    const double residual = next.direction(a);
    if (residual < kDependentColumn) {
      next.direction.setZero();
    } else {
      const double scale = 1 / std::sqrt(residual);
      step(next.direction.data(), scale, next.direction(vertex_) * scale, next.variance.data(), next.covariance.data(),
           next.direction.size());
    }
  }
  return given_[known_];
}

// A parent pays when it lowers the residual variance by more than its price: no logarithm is needed to tell that, nor to
// tell which of two is the better.
void GrowShrinkTree::grow(std::size_t node, const std::vector<int>& path) {
  const Residuals& given = residuals(path);
  const double now = given.variance(vertex_);
  const double largest = std::max(now, kVarianceFloor) * std::exp(-2 * score_.lambda / score_.n);
  left_.resize(given.variance.size());
  variance_left(now, given.variance.data(), given.covariance.data(), left_.data(), left_.size());
  better_.clear();
  for (const int x : candidates_) {
    if (given.variance(x) < kDependentColumn) continue; // also those on the path
    const double left = std::max(left_(x), kVarianceFloor);
    if (left < largest) better_.emplace_back(left, x);
  }
  std::sort(better_.begin(), better_.end());
  nodes_[node].first_branch = static_cast<int>(branches_.size());
  nodes_[node].branches = static_cast<int>(better_.size());
  for (const auto& [left, x] : better_) branches_.push_back({x, -1});
}

void GrowShrinkTree::shrink(Node& node, const std::vector<int>& path) const {
  node.shrunk = true;
  node.parents = path;
  for (;;) {
    const auto k = static_cast<Eigen::Index>(node.parents.size());
    std::vector<int> all = node.parents;
    all.push_back(vertex_);
    // Precision matrix K of parents and vertex: σ²(v | Pa) = 1 / K_vv; without parent i, 1 / (K_vv − K_vi² /
    // K_ii).
    const Eigen::MatrixXd covariance = correlation_(all, all);
    const Eigen::MatrixXd precision = covariance.llt().solve(Eigen::MatrixXd::Identity(k + 1, k + 1));
    const double own = precision(k, k);
    node.score = score_(1.0 / own, node.parents.size());
    double best = node.score;
    Eigen::Index leaving = -1;
    for (Eigen::Index i = 0; i < k; ++i) {
      if (is_required(node.parents[static_cast<std::size_t>(i)])) continue;
      const double without = own - precision(k, i) * precision(k, i) / precision(i, i);
      const double score = score_(1.0 / without, node.parents.size() - 1);
      if (score > best) best = score, leaving = i;
    }
    if (leaving < 0) break;
    node.parents.erase(node.parents.begin() + leaving);
  }
  std::sort(node.parents.begin(), node.parents.end());
}

} // namespace jitterscope::causal
