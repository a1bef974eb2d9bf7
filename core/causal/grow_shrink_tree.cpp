#include "core/causal/grow_shrink_tree.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "core/causal/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr double kVarianceFloor = 1e-6;   ///< below this a fit is as good as exact
constexpr double kDependentColumn = 1e-8; ///< a candidate explained this well by the others adds nothing

/// Residual variances of the vertex and of every column, and their residual covariances with the vertex,
/// given a path of parents; one Gram-Schmidt step a parent.
struct Residuals {
  Eigen::VectorXd variance;
  Eigen::VectorXd covariance;

  Residuals(const Eigen::MatrixXd& c, int vertex, const std::vector<int>& path)
      : variance(c.diagonal()), covariance(c.col(vertex)) {
    Eigen::MatrixXd directions(c.rows(), static_cast<Eigen::Index>(path.size()));
    for (Eigen::Index k = 0; k < directions.cols(); ++k) {
      const int a = path[static_cast<std::size_t>(k)];
      auto w = directions.col(k);
      w = c.col(a);
      for (Eigen::Index j = 0; j < k; ++j) w -= directions(a, j) * directions.col(j);
      const double residual = w(a);
      if (residual < kDependentColumn) {
        w.setZero();
        continue;
      }
      w /= std::sqrt(residual);
      variance -= w.cwiseAbs2();
      covariance -= w(vertex) * w;
    }
  }
};

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
    if (nodes_[node].first_child < 0) grow(node, path_);
    const auto first = static_cast<std::size_t>(nodes_[node].first_child);
    const auto last = first + static_cast<std::size_t>(nodes_[node].children);
    std::size_t child = first;
    while (child < last && !available[static_cast<std::size_t>(nodes_[child].added)]) ++child;
    if (child == last) break;
    path_.push_back(nodes_[child].added);
    node = child;
  }
  if (!nodes_[node].shrunk) shrink(nodes_[node], path_);
  return {nodes_[node].score, &nodes_[node].parents};
}

void GrowShrinkTree::grow(std::size_t node, const std::vector<int>& path) {
  const Residuals given(correlation_, vertex_, path);
  const double now = score_(given.variance(vertex_), path.size());
  std::vector<std::pair<double, int>> better;
  for (const int x : candidates_) {
    if (given.variance(x) < kDependentColumn || std::find(path.begin(), path.end(), x) != path.end())
      continue;
    const double explained = given.covariance(x) * given.covariance(x) / given.variance(x);
    const double score = score_(given.variance(vertex_) - explained, path.size() + 1);
    if (score > now) better.emplace_back(score, x);
  }
  std::sort(better.begin(), better.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  nodes_[node].first_child = static_cast<int>(nodes_.size());
  nodes_[node].children = static_cast<int>(better.size());
  for (const auto& [score, x] : better) nodes_.emplace_back().added = x;
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
