#include "core/causal/statistics/effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/causal/statistics/shapley.h"
#include "tests/core/causal/discovery/graph_distance.h"

namespace jitterscope::causal {
namespace {

/// A random covariance matrix of p columns.
Eigen::MatrixXd covariance_of(int p, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd a(p, p + 3);
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = random.uniform() - 0.5;
  return a * a.transpose();
}

TEST(Effects, TotalEffectsEqualTheSumOverAllPaths) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const int p = 6;
    LinearModel model{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Ones(p)};
    for (int j = 0; j < p; ++j)
      for (int k = 0; k < j; ++k)
        if (random.uniform() < 0.5) model.coefficients(j, k) = random.uniform() * 2 - 1;
    const Eigen::MatrixXd total = total_effects(model);
    const std::function<double(int, int)> paths = [&](int from, int to) {
      if (from == to) return 1.0;
      double sum = 0;
      for (int next = 0; next < p; ++next)
        if (model.coefficients(next, from) != 0) sum += model.coefficients(next, from) * paths(next, to);
      return sum;
    };
    for (int j = 0; j < p; ++j)
      for (int k = 0; k < p; ++k) EXPECT_NEAR(total(j, k), paths(k, j), 1e-12);
  }
}

TEST(Effects, FixingAVertexRemovesItsPathsFromTheVariance) {
  // x → y with b = 2, var(x) = 3, var(e) = 1: var(y) = 13, and 1 with x held.
  Eigen::MatrixXd covariance(2, 2);
  covariance << 3, 6, 6, 13;
  Digraph dag(2);
  dag.parents[1] = {0};
  const LinearModel model = fit(covariance, dag);
  EXPECT_NEAR(model.coefficients(1, 0), 2, 1e-12);
  EXPECT_NEAR(variance_when_fixed(model, total_effects(model), 0, 1), 1, 1e-12);
}

TEST(Effects, FixingAVertexKeepsThePathsThatAvoidIt) {
  // x → m → y and x → y; all noises have variance 1. With m held, y = x + 2 m + e still varies with x.
  LinearModel model{Eigen::MatrixXd::Zero(3, 3), Eigen::VectorXd::Ones(3)};
  model.coefficients(1, 0) = 1, model.coefficients(2, 1) = 2, model.coefficients(2, 0) = 1;
  const auto total = total_effects(model);
  EXPECT_NEAR(variance_when_fixed(model, total, 1, 2), 2, 1e-12);
  EXPECT_NEAR(variance_when_fixed(model, total, 0, 2), 5, 1e-12) << "noises of m and y";
}

TEST(Effects, ADependentPredictorDoesNotBreakTheFit) {
  Eigen::MatrixXd covariance(3, 3); // column 1 = 2 · column 0, target = column 0 + noise
  covariance << 1, 2, 1, 2, 4, 2, 1, 2, 1.5;
  const Regression r = regress(covariance, 2, {0, 1});
  EXPECT_NEAR(r.r_squared, 1 / 1.5, 1e-9);
  EXPECT_TRUE(r.coefficients.allFinite());
}

TEST(Shapley, TwoPredictorsByHand) {
  // r(y,1) = .6, r(y,2) = .5, r(1,2) = .3: R² = (.36 + .25 − 2·.6·.5·.3) / (1 − .09) = .43 / .91;
  // share of 1 = ½ (.36 + R² − .25).
  Eigen::MatrixXd r(3, 3);
  r << 1, .3, .6, .3, 1, .5, .6, .5, 1;
  const Shares shares = lmg_shares(r, 2, {0, 1});
  const double r_squared = 0.43 / 0.91;
  EXPECT_NEAR(shares.r_squared, r_squared, 1e-12);
  EXPECT_NEAR(shares.share[0], 0.5 * (0.36 + r_squared - 0.25), 1e-12);
  EXPECT_NEAR(shares.share[1], 0.5 * (0.25 + r_squared - 0.36), 1e-12);
}

TEST(Shapley, SharesSumToRSquaredAndAreNotNegative) {
  for (int p = 2; p <= 9; ++p) {
    const Eigen::MatrixXd covariance = covariance_of(p, static_cast<std::uint64_t>(p));
    std::vector<int> predictors(static_cast<std::size_t>(p - 1));
    std::iota(predictors.begin(), predictors.end(), 0);
    const Shares shares = lmg_shares(covariance, p - 1, predictors);
    EXPECT_NEAR(std::accumulate(shares.share.begin(), shares.share.end(), 0.0), shares.r_squared, 1e-10);
    EXPECT_NEAR(shares.r_squared, regress(covariance, p - 1, predictors).r_squared, 1e-9);
    for (const double s : shares.share) EXPECT_GE(s, -1e-12);
  }
}

// Predictors that nothing depends on leave the exact shares of the others as they are.
TEST(Shapley, SampledSharesAreNearTheExactOnes) {
  const int p = 10, without_effect = 9;
  std::vector<int> predictors(p - 1);
  std::iota(predictors.begin(), predictors.end(), 0);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(p + without_effect, p + without_effect);
  covariance.topLeftCorner(p, p) = covariance_of(p, 4);
  const Shares exact = lmg_shares(covariance, p - 1, predictors);
  for (int i = 0; i < without_effect; ++i) predictors.push_back(p + i);
  const Shares sampled = lmg_shares(covariance, p - 1, predictors);
  for (std::size_t i = 0; i < predictors.size(); ++i)
    EXPECT_NEAR(sampled.share[i], i < exact.share.size() ? exact.share[i] : 0, 0.01) << i;
}

TEST(Shapley, ManyPredictorsAreSampled) {
  const int p = 15;
  const Eigen::MatrixXd covariance = covariance_of(p, 3);
  std::vector<int> predictors(p - 1);
  std::iota(predictors.begin(), predictors.end(), 0);
  const Shares shares = lmg_shares(covariance, p - 1, predictors);
  EXPECT_NEAR(std::accumulate(shares.share.begin(), shares.share.end(), 0.0), shares.r_squared, 1e-9);
}

TEST(Shapley, NothingToShareWithoutPredictorsOrVariance) {
  EXPECT_EQ(lmg_shares(Eigen::MatrixXd::Identity(2, 2), 0, {}).r_squared, 0);
  EXPECT_EQ(lmg_shares(Eigen::MatrixXd::Zero(2, 2), 0, {1}).r_squared, 0);
}

/// A random graph on p vertices, 0 first, and the model of it with unit noise.
std::pair<Digraph, LinearModel> random_linear(int p, double density, Random& random) {
  Digraph dag(p);
  LinearModel model{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Ones(p)};
  for (int j = 0; j < p; ++j)
    for (int k = 0; k < j; ++k)
      if (random.uniform() < density) {
        dag.parents[static_cast<std::size_t>(j)].push_back(k);
        model.coefficients(j, k) = (random.uniform() < 0.5 ? -1 : 1) * (0.4 + 0.6 * random.uniform());
      }
  return {dag, model};
}

/// Parent sets of a vertex in all members of a class, by trying every orientation.
std::set<std::vector<int>> parents_in_members(const PartialGraph& cpdag, const Background& background,
                                              int vertex) {
  std::vector<std::pair<int, int>> open;
  Digraph fixed(cpdag.size());
  for (int a = 0; a < cpdag.size(); ++a)
    for (int b = 0; b < cpdag.size(); ++b) {
      if (cpdag.directed(a, b)) fixed.parents[static_cast<std::size_t>(b)].push_back(a);
      if (a < b && cpdag.undirected(a, b)) open.emplace_back(a, b);
    }
  std::set<std::vector<int>> sets;
  for (std::size_t bits = 0; bits < (std::size_t{1} << open.size()); ++bits) {
    Digraph dag = fixed;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const auto [from, to] = bits >> k & 1 ? std::pair{open[k].second, open[k].first} : open[k];
      dag.parents[static_cast<std::size_t>(to)].push_back(from);
    }
    for (auto& parents : dag.parents) std::sort(parents.begin(), parents.end());
    if (dag.acyclic() && structural_hamming_distance(complete(dag, background), cpdag) == 0)
      sets.insert(dag.parents[static_cast<std::size_t>(vertex)]);
  }
  return sets;
}

TEST(Ida, ParentSetsAreThoseOfTheMembersOfTheClass) {
  Random random(41);
  for (int trial = 0; trial < 60; ++trial) {
    const auto [dag, model] = random_linear(6, 0.4, random);
    Background background;
    if (trial % 2) background.tier = {0, 0, 0, 1, 1, 1};
    const PartialGraph cpdag = complete(dag, background);
    for (int v = 0; v < 6; ++v) {
      const auto found = possible_parents(cpdag, background, v);
      EXPECT_EQ(std::set<std::vector<int>>(found.begin(), found.end()),
                parents_in_members(cpdag, background, v));
    }
  }
}

TEST(Ida, TheTrueEffectIsAmongThoseOfTheClass) {
  Random random(42);
  for (int trial = 0; trial < 60; ++trial) {
    const auto [dag, model] = random_linear(7, 0.35, random);
    const Eigen::MatrixXd total = total_effects(model), covariance = total * total.transpose();
    const PartialGraph cpdag = complete(dag, {});
    for (int v = 0; v < 6; ++v) {
      double nearest = 1e9;
      for (const auto& parents : possible_parents(cpdag, {}, v))
        nearest = std::min(nearest, std::fabs(effect_given_parents(covariance, v, 6, parents) - total(6, v)));
      EXPECT_LT(nearest, 1e-9);
    }
  }
}

TEST(Intrinsic, SharesStateWhereVarianceEnters) {
  // a → b → y: b transmits the effect of a.
  LinearModel chain{Eigen::MatrixXd::Zero(3, 3), Eigen::Vector3d(4, 1, 3)};
  chain.coefficients(1, 0) = 1, chain.coefficients(2, 1) = 1;
  EXPECT_TRUE(intrinsic_shares(chain, 2).isApprox(Eigen::Vector3d(0.5, 0.125, 0.375), 1e-12));
  Random random(43);
  for (int trial = 0; trial < 20; ++trial) {
    const auto model = random_linear(6, 0.5, random).second;
    EXPECT_NEAR(intrinsic_shares(model, 5).sum(), 1, 1e-12);
  }
}

} // namespace
} // namespace jitterscope::causal
