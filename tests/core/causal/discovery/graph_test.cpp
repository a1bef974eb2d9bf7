#include "core/causal/base/graph.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "tests/core/causal/discovery/graph_distance.h"

namespace jitterscope::causal {
namespace {

Digraph dag(int vertices, const std::vector<std::pair<int, int>>& edges) {
  Digraph g(vertices);
  for (const auto& [from, to] : edges) g.parents[static_cast<std::size_t>(to)].push_back(from);
  for (auto& p : g.parents) std::sort(p.begin(), p.end());
  return g;
}

TEST(Graph, AChainStaysUndirectedAndAColliderIsOriented) {
  const auto chain = complete(dag(3, {{0, 1}, {1, 2}}), {});
  EXPECT_TRUE(chain.undirected(0, 1));
  EXPECT_TRUE(chain.undirected(1, 2));
  const auto collider = complete(dag(3, {{0, 1}, {2, 1}}), {});
  EXPECT_TRUE(collider.directed(0, 1));
  EXPECT_TRUE(collider.directed(2, 1));
}

TEST(Graph, RuleOneOrientsAwayFromACollider) {
  const auto g = complete(dag(4, {{0, 2}, {1, 2}, {2, 3}}), {});
  EXPECT_TRUE(g.directed(2, 3));
}

TEST(Graph, RuleTwoAvoidsACycle) {
  PartialGraph g(3);
  g.orient(0, 1), g.orient(1, 2), g.join(0, 2);
  apply_meek_rules(g);
  EXPECT_TRUE(g.directed(0, 2));
}

TEST(Graph, RuleThreeOrientsTheMiddleOfAKite) {
  PartialGraph g(4); // 0 joined to 1, 2, 3; 1 → 3 ← 2
  g.join(0, 1), g.join(0, 2), g.join(0, 3), g.orient(1, 3), g.orient(2, 3);
  apply_meek_rules(g);
  EXPECT_TRUE(g.directed(0, 3));
  EXPECT_TRUE(g.undirected(0, 1));
}

TEST(Graph, RuleFourFollowsBackgroundKnowledge) {
  PartialGraph g(4); // a = 0 — b = 1, a — c = 2, a — d = 3, c → d → b, c and b not adjacent
  g.join(0, 1), g.join(0, 2), g.join(0, 3), g.orient(2, 3), g.orient(3, 1);
  apply_meek_rules(g);
  EXPECT_TRUE(g.directed(0, 1));
}

TEST(Graph, TiersOrientEdgesBetweenThemAndWhatFollows) {
  Background background;
  background.tier = {0, 1, 1};
  const auto g = complete(dag(3, {{0, 1}, {1, 2}}), background);
  EXPECT_TRUE(g.directed(0, 1));
  EXPECT_TRUE(g.directed(1, 2)) << "by rule 1";
}

TEST(Graph, RequiredAndForbiddenEdgesAreHonoured) {
  Background background;
  background.required = {{1, 0}};
  const auto g = complete(dag(3, {{1, 0}, {1, 2}}), background);
  EXPECT_TRUE(g.directed(1, 0));
  background = {};
  background.forbidden = {{1, 0}};
  EXPECT_TRUE(complete(dag(2, {{0, 1}}), background).directed(0, 1));
}

TEST(Graph, DistanceCountsEveryDifferingPairOnce) {
  const auto a = complete(dag(4, {{0, 1}, {2, 1}, {1, 3}}), {});
  auto b = a;
  EXPECT_EQ(structural_hamming_distance(a, b), 0);
  b.join(0, 1);                    // orientation lost
  b.mark(1, 3) = b.mark(3, 1) = 0; // missing
  b.join(0, 3);                    // extra
  EXPECT_EQ(structural_hamming_distance(a, b), 3);
  EXPECT_NEAR(skeleton_f1(a, b), 2.0 * 2 / (3 + 3), 1e-12);
}

TEST(Graph, AnExtensionIsAMemberOfTheClass) {
  Random random(11);
  for (int trial = 0; trial < 60; ++trial) {
    Digraph g(9);
    for (int j = 0; j < 9; ++j)
      for (int k = 0; k < j; ++k)
        if (random.uniform() < 0.3) g.parents[static_cast<std::size_t>(j)].push_back(k);
    Background background;
    if (trial % 2)
      for (int v = 0; v < 9; ++v) background.tier.push_back(v / 4);
    const PartialGraph cpdag = complete(g, background);
    const Extension extension = consistent_extension(cpdag, background);
    EXPECT_TRUE(extension.exact);
    EXPECT_TRUE(extension.dag.acyclic());
    EXPECT_EQ(structural_hamming_distance(complete(extension.dag, background), cpdag), 0);
  }
}

TEST(Graph, ContradictionsStillExtendToAGraphWithoutCycles) {
  PartialGraph g(4);
  g.orient(0, 1), g.orient(1, 2), g.orient(2, 0), g.join(2, 3);
  const Extension extension = consistent_extension(g, {});
  EXPECT_FALSE(extension.exact);
  EXPECT_TRUE(extension.dag.acyclic());
  EXPECT_TRUE(extension.dag.adjacent(0, 2));
}

TEST(Graph, CyclesAreSeen) {
  EXPECT_TRUE(dag(3, {{0, 1}, {1, 2}}).acyclic());
  EXPECT_FALSE(dag(3, {{0, 1}, {1, 2}, {2, 0}}).acyclic());
}

} // namespace
} // namespace jitterscope::causal
