#include "core/causal/effects/joint_effects.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/tiers.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;

CausalResult quick(const RowSource& rows, int bootstrap = 20) {
  Options options;
  options.bootstrap = bootstrap;
  return run(rows, options);
}

/// Whether an edge to the target was found along a curve: the search for straight lines, which gives edges
/// their coefficients, does not have it.
bool has_bent_edge(const CausalResult& r) {
  return std::any_of(r.edges.begin(), r.edges.end(),
                     [&](const Edge& e) { return e.to == r.target && e.coefficient == 0; });
}

/// Durations grow with the square of the distance of the column "place" (0 to 19) from its middle.
LaunchTable slow_at_both_ends(std::uint64_t seed) {
  LaunchTable rows = test::planted_launches({.launches = 4'000, .seed = seed, .noise = 0.02});
  Random random(seed, 9);
  std::vector<double> place(4'000);
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] = static_cast<double>(random.below(20));
    rows.duration_ns[i] = std::round(rows.duration_ns[i] * (1 + 0.004 * (place[i] - 9.5) * (place[i] - 9.5)));
  }
  rows.add({"place", "", 2, {}, {}, {}, {}}, place);
  return rows;
}

TEST(Bends, ANonlinearCauseIsFound) {
  for (const std::uint64_t seed : {7, 8, 9}) {
    const CausalResult r = quick(slow_at_both_ends(seed));
    EXPECT_TRUE(r.bends.empty());
    EXPECT_TRUE(has_bent_edge(r));
    ASSERT_FALSE(r.contributions.empty());
    EXPECT_EQ(r.contributions.front().feature, "place");
    EXPECT_EQ(r.contributions.front().role, Role::cause);
    EXPECT_GT(r.contributions.front().attributable_ci_low, 30);
    EXPECT_NE(r.sentences[0].find("comes from place: launches are shortest at "), std::string::npos)
        << r.sentences[0];
  }
}

TEST(Bends, OfATargetColumnAreCausesWithTheirShares) {
  // y = w + x² − 1 + noise: variances 1, 2, 1.
  Random random(3);
  std::vector<double> x, w, y;
  for (int i = 0; i < 3'000; ++i) {
    x.push_back(normal(random)), w.push_back(normal(random));
    y.push_back(w.back() + x.back() * x.back() - 1 + normal(random));
  }
  LaunchTable rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"w", "", 2, {}, {}, {}, {}}, w);
  rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  const CausalResult r = quick(rows);
  ASSERT_EQ(r.contributions.size(), 2u);
  EXPECT_TRUE(r.shares_of_levels);
  EXPECT_EQ(r.contributions.front().feature, "x");
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  EXPECT_NEAR(r.contributions.front().percent, 50, 5);
  EXPECT_NEAR(r.contributions.back().percent, 25, 4);
  EXPECT_NEAR(r.unexplained_percent, 25, 3);
  EXPECT_NE(r.sentences[0].find("comes from x: y is higher at some of its values than at others"),
            std::string::npos)
      << r.sentences[0];
  EXPECT_TRUE(r.spreads.empty()); // what its straight line leaves is no spread
  // Columns after the target are not among its causes, nor are those with a forbidden edge.
  rows.columns[0].tier = 5, rows.columns[2].tier = 3;
  EXPECT_EQ(test::contribution_of(quick(rows), "x"), nullptr);
  rows.columns[0].tier = 1, rows.columns[2].tier = 5;
  Options forbidden;
  forbidden.bootstrap = 20;
  forbidden.knowledge.forbidden = {{"x", "y"}};
  EXPECT_EQ(test::contribution_of(run(rows, forbidden), "x"), nullptr);
}

TEST(Bends, AValleyAmongOtherEffectsIsFound) {
  // Variances of y: 25 by u, 18 by the valley of v, 16 by w, 25 of noise; the other columns are independent.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    std::vector<std::vector<double>> x(10);
    std::vector<double> y;
    for (int i = 0; i < 1'500; ++i) {
      for (auto& column : x) column.push_back(normal(random));
      y.push_back(5 * x[3].back() - 4 * x[7].back() + 3 * x[4].back() * x[4].back() + 5 * normal(random));
    }
    LaunchTable rows;
    for (std::size_t c = 0; c < x.size(); ++c)
      rows.add({"m" + std::to_string(c), "", 2, {}, {}, {}, {}}, x[c]);
    rows.add({"y", "", 5, {}, {}, {}, {}}, y);
    rows.target = "y";
    const CausalResult r = quick(rows);
    const auto* valley = test::contribution_of(r, "m4");
    ASSERT_NE(valley, nullptr) << seed;
    EXPECT_NEAR(valley->percent, 100 * 18.0 / 84, 6) << seed;
    EXPECT_EQ(r.contributions.size(), 3u) << seed;
  }
}

TEST(Bends, ErrorsSavedByChanceAreRarelyAboveIt) {
  Random random(11);
  int above[2] = {0, 0};
  for (int trial = 0; trial < 2'000; ++trial) {
    ErrorsByStretch independent{}, alike{}; // the latter: neighbouring stretches correlate by 0.7
    double before = 0;
    for (int s = 0; s < kSampleStretches; ++s) {
      independent[s] = normal(random);
      alike[s] = before = 0.7 * before + normal(random);
    }
    above[0] += is_above_chance(independent, 1), above[1] += is_above_chance(alike, 1);
  }
  EXPECT_LE(above[0], 50); // 2.5 %
  EXPECT_LE(above[1], 100);
  ErrorsByStretch clear{};
  for (double& saved : clear) saved = 1 + 2 * normal(random); // five standard errors
  EXPECT_TRUE(is_above_chance(clear, 10));
}

TEST(Bends, AStepOfATargetColumnHasItsWholeShare) {
  for (const std::uint64_t seed : {5, 6, 7}) {
    Random random(seed);
    std::vector<double> x, y;
    for (int i = 0; i < 1'000; ++i) {
      x.push_back(60 + 8 * normal(random));
      y.push_back((x.back() > 68 ? 3.0 : 0.0) +
                  0.5 * normal(random)); // a sixth of the rows: variance 1.2, 0.25
    }
    LaunchTable rows;
    rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
    rows.target = "y";
    const CausalResult r = quick(rows);
    ASSERT_EQ(r.contributions.size(), 1u);
    const Contribution& c = r.contributions.front();
    EXPECT_EQ(c.role, Role::cause);
    EXPECT_NEAR(c.percent, 82.8, 4); // a straight line explains 45 %
  }
}

/// 100 stretches of 20 rows: x has another level in each, and varies within them; y is U-shaped over the
/// levels of the stretches or over x itself.
RankedSample stretches_of_rows(bool follows_x) {
  Random random(17);
  RankedSample ranked;
  const Eigen::Index rows = 2'000;
  ranked.sample.z.resize(rows, 2);
  double level = 0;
  for (Eigen::Index r = 0; r < rows; ++r) {
    if (r % 20 == 0) level = 4 * random.uniform() - 2;
    const double x = level + 0.3 * normal(random), bent = follows_x ? x : level;
    ranked.sample.z.row(r) << x, bent * bent - 1 + 0.3 * normal(random);
    ranked.sample.stretch.push_back(static_cast<int>(r / 20));
  }
  ranked.responses.push_back({ranked.sample.y(), ranked.sample.y(), 1});
  ranked.rows_of_fold = ranked.sample.rows_of_folds();
  return ranked;
}

TEST(Bends, MustHoldWithinStretchesOfRows) {
  const auto acting = find_bends(stretches_of_rows(true), {0}, {}),
             drifting = find_bends(stretches_of_rows(false), {0}, {});
  ASSERT_TRUE(acting && drifting);
  EXPECT_EQ(acting->size(), 1u);
  EXPECT_TRUE(drifting->empty());
}

TEST(Bends, WithoutAKnownOrderAreAssociations) {
  LaunchTable rows = slow_at_both_ends(7);
  rows.columns.back().tier = static_cast<int>(Tier::unknown);
  const CausalResult r = quick(rows);
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_EQ(r.contributions.front().feature, "place");
  EXPECT_EQ(r.contributions.front().role, Role::associated);
  EXPECT_TRUE(r.contributions.front().undirected);
  EXPECT_GT(r.contributions.front().ci_low, 30);
  EXPECT_NE(r.sentences[1].find("place is associated with the variability, but"), std::string::npos)
      << r.sentences[1];
}

/// Half of the launches take longer: none deviates more from the middle than the others.
TEST(Pairs, OneOfTwoEventsButNotBothMakesLaunchesLonger) {
  LaunchTable rows = test::planted_launches({.launches = 2'000, .seed = 4, .noise = 0.02});
  Random random(5);
  std::vector<double> a(2'000), b(2'000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(random.below(2)), b[i] = static_cast<double>(random.below(2));
    if (a[i] != b[i]) rows.duration_ns[i] = std::round(1.4 * rows.duration_ns[i]);
  }
  rows.add({"a", "", 2, {}, {}, {}, {}}, a), rows.add({"b", "", 2, {}, {}, {}, {}}, b);
  const CausalResult r = quick(rows);
  ASSERT_EQ(r.pairs.size(), 1u);
  EXPECT_EQ(r.pairs.front().first, "a");
  EXPECT_EQ(r.pairs.front().second, "b");
  EXPECT_GT(r.pairs.front().percent, 30);
  EXPECT_TRUE(r.sentences[0].starts_with("No recorded factor alone explains the variability"))
      << r.sentences[0];
}

/// x and y are independent; p depends on x² and on q, which y depends on. With the straight line of p held, y
/// seems to depend on x².
TEST(Bends, AreNotMadeByTheLinesThatAreHeld) {
  Random random(11);
  std::vector<double> x, p, y;
  for (int i = 0; i < 3'000; ++i) {
    const double q = normal(random);
    x.push_back(normal(random));
    p.push_back(q + x.back() * x.back() - 1), y.push_back(q + 0.3 * normal(random));
  }
  LaunchTable rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"p", "", 2, {}, {}, {}, {}}, p);
  rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  const CausalResult r = quick(rows);
  ASSERT_EQ(r.contributions.size(), 1u);
  EXPECT_EQ(r.contributions.front().feature, "p");
  EXPECT_TRUE(r.bends.empty());
}

TEST(Bends, ChanceAndStraightCausesAreNotCalledBent) {
  int bent = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto cause = seed % 4 == 0   ? test::Cause::clock
                       : seed % 4 == 1 ? test::Cause::stream
                       : seed % 4 == 2 ? test::Cause::rare_migration
                                       : test::Cause::none;
    const CausalResult r =
        quick(test::planted_launches({.cause = cause, .launches = seed % 3 ? 400 : 2'000, .seed = seed}), 5);
    bent += has_bent_edge(r) || !r.bends.empty();
  }
  EXPECT_EQ(bent, 0);
}

TEST(Bends, AreTheSameForAnyNumberOfRanksAndInAnyText) {
  const LaunchTable rows = slow_at_both_ends(7);
  const CausalResult one = quick(rows);
  for (const int ranks : {2, 4, 7})
    test::ThreadRanks(ranks).run([&](Communicator& communicator) {
      Options options;
      options.bootstrap = 20;
      const auto result = analyse(rows, options, communicator);
      ASSERT_TRUE(result);
      EXPECT_EQ(to_json(*result).dump(), to_json(one).dump()) << ranks;
      communicator.finish(true);
    });
  const auto back = decode_result(encode(one));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->contributions.front().feature, "place");
  EXPECT_EQ(back->contributions.front().reference, one.contributions.front().reference);
}

/// y depends on two coins, but only in combination; x has no effect.
LaunchTable two_coins(std::uint64_t seed) {
  Random random(seed);
  std::vector<double> a, c, x, y;
  for (int i = 0; i < 2'000; ++i) {
    a.push_back(static_cast<double>(random.below(2))), c.push_back(static_cast<double>(random.below(2)));
    x.push_back(random.uniform());
    y.push_back((a.back() == c.back() ? 0.0 : 2.0) + normal(random));
  }
  LaunchTable rows;
  rows.add({"a", "", 1, {}, {}, {}, {}}, a), rows.add({"c", "", 2, {}, {}, {}, {}}, c),
      rows.add({"x", "", 2, {}, {}, {}, {}}, x), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  return rows;
}

TEST(JointEffects, ColumnsThatCountOnlyTogetherAreReported) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const CausalResult r = quick(two_coins(seed));
    ASSERT_EQ(r.pairs.size(), 1u);
    EXPECT_EQ(r.pairs[0].first + r.pairs[0].second, "ac");
    EXPECT_NEAR(r.pairs[0].percent, 50, 6); // variance of y: 1 from the coins, 1 from the noise
    EXPECT_TRUE(r.spreads.empty());
    EXPECT_TRUE(r.sentences[0].starts_with("No recorded factor alone explains the variance of y"));
    EXPECT_TRUE(r.sentences[1].starts_with(
        "These columns explain y only together (in brackets: share of the variance of its ranks, "
        "beyond each column alone): a and c ("))
        << r.sentences[1];
  }
}

TEST(JointEffects, EffectsThatAddUpAreNotAPair) {
  // Correlated causes, one of them nonlinear: the cells of both explain more than lines, but no more than the
  // sum of two curves.
  Random random(4);
  std::vector<double> a, b, y;
  for (int i = 0; i < 3'000; ++i) {
    a.push_back(normal(random)), b.push_back(0.8 * a.back() + 0.6 * normal(random));
    y.push_back(a.back() * a.back() + 2 * b.back() + normal(random));
  }
  LaunchTable rows;
  rows.add({"a", "", 1, {}, {}, {}, {}}, a), rows.add({"b", "", 2, {}, {}, {}, {}}, b),
      rows.add({"y", "", 5, {}, {}, {}, {}}, y);
  rows.target = "y";
  EXPECT_TRUE(quick(rows).pairs.empty());
}

TEST(JointEffects, ColumnsThatWidenTheTargetAreReported) {
  LaunchTable rows = two_coins(7);
  Random random(8);
  for (Eigen::Index i = 0; i < rows.values.rows(); ++i)
    rows.values(i, 3) = normal(random) * (0.1 + 2 * rows.values(i, 2));
  const CausalResult r = quick(rows);
  ASSERT_EQ(r.spreads.size(), 1u);
  EXPECT_EQ(r.spreads[0].feature, "x");
  EXPECT_GT(r.spreads[0].percent, 20);
  EXPECT_TRUE(r.pairs.empty());
  EXPECT_NE(r.sentences[1].find("The spread of y, not its level, is associated with these columns ("),
            std::string::npos)
      << r.sentences[1];
}

TEST(JointEffects, NoiseHasNone) {
  int reported = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed, 3);
    LaunchTable rows;
    for (const char* name : {"a", "b", "c", "d", "e", "y"}) {
      std::vector<double> values(400);
      for (double& v : values) v = normal(random);
      rows.add({name, "", name[0] == 'y' ? 5 : 2, {}, {}, {}, {}}, values);
    }
    rows.target = "y";
    const CausalResult r = quick(rows);
    reported += !r.pairs.empty() || !r.spreads.empty();
  }
  EXPECT_LE(reported, 1);
}

TEST(JointEffects, ComeBackFromTheDocument) {
  const CausalResult r = quick(two_coins(1));
  const auto back = decode_result(encode(r));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->pairs.size(), 1u);
  EXPECT_EQ(back->pairs[0].second_label, r.pairs[0].second_label);
}

} // namespace
} // namespace jitterscope::causal
