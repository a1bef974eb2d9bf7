#include "core/causal/discovery.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/causal/effects.h"
#include "core/causal/grow_shrink_tree.h"
#include "core/causal/moments.h"
#include "core/causal/random.h"

namespace jitterscope::causal {
namespace {

/// The exact correlation matrix of a random linear model on p columns, causes first.
struct RandomModel {
  Digraph dag;
  Eigen::MatrixXd correlation;
};

RandomModel random_model(int p, double density, std::uint64_t seed) {
  Random random(seed);
  RandomModel m{Digraph(p), {}};
  LinearModel linear{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Ones(p)};
  for (int j = 0; j < p; ++j)
    for (int k = 0; k < j; ++k)
      if (random.uniform() < density) {
        m.dag.parents[static_cast<std::size_t>(j)].push_back(k);
        linear.coefficients(j, k) = (random.uniform() < 0.5 ? -1 : 1) * (0.4 + 0.8 * random.uniform());
      }
  const Eigen::MatrixXd t = total_effects(linear);
  m.correlation = correlation_of(t * t.transpose());
  return m;
}

TEST(Boss, FindsTheClassFromExactCorrelations) {
  int exact = 0;
  constexpr int models = 40;
  for (int seed = 0; seed < models; ++seed) {
    const RandomModel m = random_model(12, 0.25, static_cast<std::uint64_t>(seed));
    const Discovered found = boss({m.correlation, 1e6, {}}, {});
    exact += structural_hamming_distance(complete(m.dag, {}), found.cpdag) == 0;
  }
  EXPECT_GE(exact, models - 2);
}

TEST(Boss, TiersOrientEverythingBetweenThem) {
  const RandomModel m = random_model(10, 0.3, 4);
  Background background;
  for (int v = 0; v < 10; ++v) background.tier.push_back(v);
  const Discovered found = boss({m.correlation, 1e6, background}, {});
  for (int v = 0; v < 10; ++v)
    EXPECT_EQ(found.dag.parents[static_cast<std::size_t>(v)], m.dag.parents[static_cast<std::size_t>(v)]);
}

TEST(Boss, RequiredAndForbiddenEdgesHold) {
  const RandomModel m = random_model(8, 0.4, 9);
  Background background;
  background.required = {{7, 0}, {6, 7}};
  background.forbidden = {{1, 2}, {2, 1}};
  const Discovered found = boss({m.correlation, 1e4, background}, {});
  EXPECT_TRUE(found.dag.has(7, 0));
  EXPECT_TRUE(found.dag.has(6, 7));
  EXPECT_FALSE(found.dag.adjacent(1, 2));
  EXPECT_TRUE(found.dag.acyclic());
}

TEST(Boss, TheSmallestCorrelationLimitsEdgesAtAnyNumberOfRows) {
  Eigen::MatrixXd r(2, 2);
  r << 1, 0.02, 0.02, 1;
  EXPECT_FALSE(boss({r, 1e9, {}}, {}).dag.adjacent(0, 1));
  r(0, 1) = r(1, 0) = 0.05;
  EXPECT_TRUE(boss({r, 1e9, {}}, {}).dag.adjacent(0, 1));
}

TEST(Boss, DuplicatedColumnsDoNotBreakTheSearch) {
  Eigen::MatrixXd r = Eigen::MatrixXd::Constant(3, 3, 1.0);
  const Discovered found = boss({r, 1e4, {}}, {});
  EXPECT_TRUE(found.dag.acyclic());
}

TEST(GrowShrinkTreeTest, AnswersDependOnTheSetNotOnTheQuestionsBefore) {
  const RandomModel m = random_model(9, 0.4, 21);
  std::vector<int> candidates(8);
  std::iota(candidates.begin(), candidates.end(), 0);
  const GaussianScore score{1'000, edge_price(1'000, 2, 0.03)};
  GrowShrinkTree used(m.correlation, 8, score, candidates, {});
  Random random(2);
  for (int question = 0; question < 200; ++question) {
    std::vector<std::uint8_t> available(9, 0);
    for (int c = 0; c < 8; ++c) available[static_cast<std::size_t>(c)] = random.uniform() < 0.6;
    GrowShrinkTree fresh(m.correlation, 8, score, candidates, {});
    const auto a = used.best(available), b = fresh.best(available);
    EXPECT_EQ(*a.parents, *b.parents);
    EXPECT_EQ(a.score, b.score);
    for (const int p : *a.parents) EXPECT_TRUE(available[static_cast<std::size_t>(p)]);
  }
}

TEST(Methods, OnlyBossIsThere) {
  EXPECT_EQ(*method_from("boss"), Method::boss);
  for (const char* name : {"pc", "ges", "lingam", "magic"})
    EXPECT_EQ(method_from(name).error().kind, ErrorKind::BadUse);
}

} // namespace
} // namespace jitterscope::causal
