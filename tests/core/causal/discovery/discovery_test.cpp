#include "core/causal/discovery/discovery.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/causal/base/random.h"
#include "core/causal/discovery/grow_shrink_tree.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/normal_scores.h"
#include "tests/core/causal/discovery/graph_distance.h"

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

/// Score of a graph, up to a constant: the quantity that the search maximises.
double score_of(const Digraph& dag, const Eigen::MatrixXd& r, double n) {
  double score = 0;
  for (int v = 0; v < dag.size(); ++v) {
    const auto& parents = dag.parents[static_cast<std::size_t>(v)];
    const double left = parents.empty() ? 1.0 : 1.0 - regress(r, v, parents).r_squared;
    score -= n / 2 * std::log(left) + std::log(n) * static_cast<double>(parents.size());
  }
  return score;
}

/// Resamples start with the order of the current graph: one search from this order finds what random starts
/// may miss.
TEST(Boss, BeginsWithTheOrderItIsGiven) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const RandomModel m = random_model(30, 0.2, seed);
    const DiscoveryInput input{m.correlation, 1e5, {}};
    DiscoveryOptions once;
    once.restarts = 1;
    const double by_chance = score_of(boss(input, once).dag, m.correlation, 1e5);
    once.start.resize(30);
    std::iota(once.start.begin(), once.start.end(), 0); // causes first
    const double from_the_truth = score_of(boss(input, once).dag, m.correlation, 1e5);
    EXPECT_GE(from_the_truth, by_chance - 1) << seed;
    better += from_the_truth > by_chance + 1;
  }
  EXPECT_GE(better, 3);
}

TEST(Boss, DuplicatedColumnsDoNotBreakTheSearch) {
  Eigen::MatrixXd r = Eigen::MatrixXd::Constant(3, 3, 1.0);
  const Discovered found = boss({r, 1e4, {}}, {});
  EXPECT_TRUE(found.dag.acyclic());
}

TEST(EdgePrice, RarelyAcceptsChanceWithManyColumns) {
  EXPECT_DOUBLE_EQ(edge_price(1'000, 0.03, 100), std::log(1'000.0))
      << "with many rows the price is that of BIC";
  Random random(4);
  constexpr int n = 25, columns = 500, tables = 200;
  int let_in = 0;
  for (int t = 0; t < tables; ++t) {
    Eigen::MatrixXd x(n, columns + 1);
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x.data()[i] = normal_quantile(random.uniform() * 0.999998 + 1e-6);
    const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
    const Eigen::VectorXd norm = centred.colwise().norm();
    double largest = 0;
    for (int c = 1; c <= columns; ++c)
      largest = std::max(largest, std::fabs(centred.col(0).dot(centred.col(c))) / (norm(0) * norm(c)));
    let_in += -0.5 * n * std::log1p(-largest * largest) > edge_price(n, 0.03, columns);
  }
  EXPECT_LE(let_in, tables * 8 / 100);
}

TEST(GrowShrinkTreeTest, AnswersDependOnTheSetNotOnTheQuestionsBefore) {
  const RandomModel m = random_model(9, 0.4, 21);
  std::vector<int> candidates(8);
  std::iota(candidates.begin(), candidates.end(), 0);
  const GaussianScore score{1'000, edge_price(1'000, 0.03, 8)};
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

TEST(PcStable, FindsTheClassFromExactCorrelations) {
  int exact = 0;
  constexpr int models = 40;
  for (int seed = 0; seed < models; ++seed) {
    const RandomModel m = random_model(12, 0.2, static_cast<std::uint64_t>(seed));
    exact += structural_hamming_distance(
                 complete(m.dag, {}),
                 pc_stable({m.correlation, 1e9, {}}, {.smallest_correlation = 1e-3}).cpdag) == 0;
  }
  EXPECT_GE(exact, models * 8 / 10);
}

TEST(PcStable, OrderOfColumnsDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomModel m = random_model(9, 0.35, seed);
    std::vector<int> order(9);
    std::iota(order.begin(), order.end(), 0);
    Random random(seed + 100);
    random.shuffle(order);
    const PartialGraph plain = pc_stable({m.correlation, 300, {}}, {}).cpdag;
    const Eigen::MatrixXd shuffled = m.correlation(order, order);
    const PartialGraph other = pc_stable({shuffled, 300, {}}, {}).cpdag;
    for (int a = 0; a < 9; ++a)
      for (int b = 0; b < 9; ++b)
        EXPECT_EQ(other.mark(a, b),
                  plain.mark(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]));
  }
}

TEST(Ges, FindsTheClassFromExactCorrelations) {
  int exact = 0;
  constexpr int models = 40;
  for (int seed = 0; seed < models; ++seed) {
    const RandomModel m = random_model(12, 0.2, static_cast<std::uint64_t>(seed));
    exact += structural_hamming_distance(complete(m.dag, {}), ges({m.correlation, 1e6, {}}, {}).cpdag) == 0;
  }
  EXPECT_GE(exact, models * 8 / 10);
}

/// A linear model with Laplace noise: samples in rows, columns in random order.
struct Samples {
  Digraph dag;
  Eigen::MatrixXd rows;
};

Samples laplace_samples(int p, Eigen::Index n, std::uint64_t seed) {
  Random random(seed, 5);
  std::vector<int> place(static_cast<std::size_t>(p));
  std::iota(place.begin(), place.end(), 0);
  random.shuffle(place);
  Samples s{Digraph(p), Eigen::MatrixXd(n, p)};
  std::vector<std::vector<double>> weight(static_cast<std::size_t>(p),
                                          std::vector<double>(static_cast<std::size_t>(p), 0.0));
  for (int j = 0; j < p; ++j)
    for (int k = 0; k < j; ++k)
      if (random.uniform() < 0.3) {
        const auto to = static_cast<std::size_t>(place[static_cast<std::size_t>(j)]);
        const auto from = place[static_cast<std::size_t>(k)];
        s.dag.parents[to].push_back(from);
        weight[to][static_cast<std::size_t>(from)] =
            (random.uniform() < 0.5 ? -1 : 1) * (0.4 + 0.8 * random.uniform());
      }
  for (auto& parents : s.dag.parents) std::sort(parents.begin(), parents.end());
  for (Eigen::Index r = 0; r < n; ++r)
    for (const int v : place) {
      double value = std::log(random.uniform() + 1e-12) * (random.uniform() < 0.5 ? -1 : 1);
      for (const int k : s.dag.parents[static_cast<std::size_t>(v)])
        value += weight[static_cast<std::size_t>(v)][static_cast<std::size_t>(k)] * s.rows(r, k);
      s.rows(r, v) = value;
    }
  return s;
}

TEST(DirectLingam, FindsTheDirectionOfEveryEdge) {
  int exact = 0;
  constexpr int models = 15;
  for (std::uint64_t seed = 0; seed < models; ++seed) {
    const Samples s = laplace_samples(10, 6'000, seed);
    const Eigen::MatrixXd r = correlation_of(Moments::of(s.rows).cross);
    EXPECT_EQ(gaussian_residuals(s.dag, s.rows), 0);
    const Discovered found = direct_lingam({r, 6'000, {}}, s.rows, {});
    exact += found.dag.parents == s.dag.parents;
    EXPECT_TRUE(found.dag.acyclic());
  }
  EXPECT_GE(exact, models - 3);
}

TEST(DirectLingam, GaussianColumnsAreRecognised) {
  Random random(3);
  Eigen::MatrixXd rows(5'000, 3);
  for (Eigen::Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = normal_quantile(random.uniform() * 0.999998 + 1e-6);
  EXPECT_EQ(gaussian_residuals(Digraph(3), rows), 3);
}

class EveryMethod : public testing::TestWithParam<Method> {};

TEST_P(EveryMethod, HonoursTiersRequiredAndForbiddenEdges) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Samples s = laplace_samples(9, 1'500, seed);
    DiscoveryInput input{correlation_of(Moments::of(s.rows).cross), 1'500, {}};
    for (int v = 0; v < 9; ++v) input.background.tier.push_back(v / 3);
    input.background.required = {{0, 4}, {6, 7}};
    input.background.forbidden = {{1, 2}, {2, 1}, {3, 8}};
    const Discovered found = discover(GetParam(), input, s.rows, {});
    EXPECT_TRUE(found.dag.acyclic());
    for (int a = 0; a < 9; ++a)
      for (int b = 0; b < 9; ++b) {
        if (a / 3 > b / 3) {
          EXPECT_FALSE(found.dag.has(a, b));
        }
        if (found.cpdag.undirected(a, b)) {
          EXPECT_EQ(a / 3, b / 3);
        }
        EXPECT_EQ(found.dag.adjacent(a, b), found.cpdag.adjacent(a, b));
        if (found.cpdag.directed(a, b) && GetParam() != Method::pc) {
          EXPECT_TRUE(found.dag.has(a, b));
        }
      }
    EXPECT_TRUE(found.dag.has(0, 4));
    EXPECT_TRUE(found.dag.has(6, 7));
    EXPECT_FALSE(found.dag.adjacent(1, 2));
    EXPECT_FALSE(found.dag.has(3, 8));
  }
}

TEST_P(EveryMethod, IsRecognisedByItsName) {
  EXPECT_EQ(*method_from(to_string(GetParam())), GetParam());
  EXPECT_FALSE(display_name(GetParam()).empty());
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethod,
                         testing::Values(Method::boss, Method::pc, Method::ges, Method::lingam));

TEST(Methods, UnknownNamesAreRefused) {
  EXPECT_EQ(method_from("magic").error().kind, ErrorKind::BadUse);
}

TEST(Searches, EndWhenTheirWorkIsSpentOrTheyAreCancelled) {
  const RandomModel m = random_model(30, 0.6, 3);
  DiscoveryOptions little;
  little.work = 200;
  EXPECT_FALSE(pc_stable({m.correlation, 1e4, {}}, little).complete);
  EXPECT_FALSE(ges({m.correlation, 1e4, {}}, little).complete);
  DiscoveryOptions cancelled;
  cancelled.cancelled = [] { return true; };
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Random(600, 30);
  for (const Method method : {Method::boss, Method::pc, Method::ges, Method::lingam}) {
    EXPECT_FALSE(discover(method, {m.correlation, 1e4, {}}, rows, cancelled).complete) << to_string(method);
    EXPECT_TRUE(discover(method, {Eigen::MatrixXd::Identity(5, 5), 1e4, {}}, rows.leftCols(5), {}).complete)
        << to_string(method);
  }
}

} // namespace
} // namespace jitterscope::causal
