#include "core/causal/statistics/shapley.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/causal/base/lists.h"
#include "core/causal/base/random.h"
#include "core/causal/statistics/effects.h"

namespace jitterscope::causal {
namespace {

/// R² of every subset of the predictors, by its bits. Sweeps in one predictor at a time: each subset costs
/// one rank-one update of the residual covariance (Goodnight 1979).
void visit_subsets(const Eigen::MatrixXd& rest, Eigen::Index next, std::uint32_t subset, double variance,
                   std::vector<double>& r_squared) {
  const Eigen::Index k = rest.rows() - 1; // the last row is the target
  for (Eigen::Index i = next; i < k; ++i) {
    const std::uint32_t with = subset | (std::uint32_t{1} << i);
    Eigen::MatrixXd swept = rest;
    if (rest(i, i) > 1e-10) swept -= rest.col(i) * rest.row(i) / rest(i, i);
    r_squared[with] = 1.0 - swept(k, k) / variance;
    visit_subsets(swept, i + 1, with, variance, r_squared);
  }
}

Shares exact(const Eigen::MatrixXd& correlation) {
  const auto k = static_cast<std::size_t>(correlation.rows() - 1);
  std::vector<double> r_squared(std::size_t{1} << k, 0.0);
  visit_subsets(correlation, 0, 0, correlation(correlation.rows() - 1, correlation.rows() - 1), r_squared);
  std::vector<double> weight(k); // |S|! (k − |S| − 1)! / k!
  for (std::size_t s = 0; s < k; ++s)
    weight[s] = std::exp(std::lgamma(static_cast<double>(s) + 1) + std::lgamma(static_cast<double>(k - s)) -
                         std::lgamma(static_cast<double>(k) + 1));
  Shares shares{std::vector<double>(k, 0.0), r_squared.back()};
  for (std::uint32_t subset = 0; subset < r_squared.size(); ++subset)
    for (std::size_t i = 0; i < k; ++i) {
      const std::uint32_t bit = std::uint32_t{1} << i;
      if (!(subset & bit))
        shares.share[i] += weight[static_cast<std::size_t>(std::popcount(subset))] *
                           (r_squared[subset | bit] - r_squared[subset]);
    }
  return shares;
}

/// Each random order is used backwards, too: what a predictor adds early is then balanced by what it adds
/// late.
Shares sampled(const Eigen::MatrixXd& correlation) {
  constexpr int pairs = 250;
  using Row = Eigen::Map<const Eigen::VectorXd>;
  const Eigen::Index k = correlation.rows() - 1;
  auto order = numbers_below<Eigen::Index>(static_cast<std::size_t>(k));
  Random random(1);
  Shares shares{std::vector<double>(static_cast<std::size_t>(k), 0.0), 0.0};
  // By predictor in the order: its row of the Cholesky factor L, and what it adds to the target: z = L⁻¹ r.
  Eigen::MatrixXd rows(k, k); // a row of L is a column of this matrix
  Eigen::VectorXd z(k);
  const auto left = [](double value, const double* a, const double* b, Eigen::Index count) {
    return value - Row(a, count).dot(Row(b, count));
  };
  for (int o = 0; o < 2 * pairs; ++o) {
    if (o % 2)
      std::ranges::reverse(order);
    else
      random.shuffle(order);
    shares.r_squared = 0;
    for (Eigen::Index a = 0; a < k; ++a) {
      const auto predictor = order[static_cast<std::size_t>(a)];
      double* const row = rows.col(a).data();
      for (Eigen::Index b = 0; b < a; ++b) {
        const double* const other = rows.col(b).data();
        const double common = correlation(predictor, order[static_cast<std::size_t>(b)]);
        row[b] = other[b] > 0 ? left(common, row, other, b) / other[b] : 0.0;
      }
      const double own = left(correlation(predictor, predictor), row, row, a);
      row[a] = own > 1e-10 ? std::sqrt(own) : 0.0; // 0: the predictors before it determine it
      z(a) = row[a] > 0 ? left(correlation(predictor, k), row, z.data(), a) / row[a] : 0.0;
      const double added = z(a) * z(a) / correlation(k, k);
      shares.share[static_cast<std::size_t>(predictor)] += added, shares.r_squared += added;
    }
  }
  for (double& share : shares.share) share /= 2 * pairs;
  return shares;
}

} // namespace

Shares lmg_shares(const Eigen::MatrixXd& covariance, int target, const std::vector<int>& predictors) {
  std::vector<int> all = predictors;
  all.push_back(target);
  const Eigen::MatrixXd part = covariance(all, all);
  Eigen::VectorXd scale = part.diagonal();
  for (Eigen::Index i = 0; i < scale.size(); ++i) scale(i) = scale(i) > 0 ? 1.0 / std::sqrt(scale(i)) : 0.0;
  const Eigen::MatrixXd correlation = scale.asDiagonal() * part * scale.asDiagonal();
  const std::size_t k = predictors.size();
  if (k == 0 || !(correlation(correlation.rows() - 1, correlation.rows() - 1) > 0))
    return {std::vector<double>(k, 0.0), 0.0};
  return k <= kExactShapley ? exact(correlation) : sampled(correlation);
}

} // namespace jitterscope::causal
