// An association due only to slow changes of both columns is reported and not called a cause.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/causal/base/tiers.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::few_resamples;
using test::normal;
using test::run;
using test::warning_of;

constexpr int kRows = 2'000;

LaunchTable table_of(std::vector<double> x, std::vector<double> y) {
  LaunchTable rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, std::move(x)), rows.add({"y", "", 5, {}, {}, {}, {}}, std::move(y));
  rows.target = "y";
  return rows;
}

std::vector<double> trend(Random& random, double slope) {
  std::vector<double> values;
  for (int i = 0; i < kRows; ++i) values.push_back(slope * i / kRows + normal(random));
  return values;
}

// Autoregressive values with coefficient 0.99.
std::vector<double> wandering(Random& random) {
  std::vector<double> values;
  double at = 0;
  for (int i = 0; i < kRows; ++i) values.push_back(at = 0.99 * at + normal(random));
  return values;
}

bool names_x(const CausalResult& r) {
  return std::any_of(r.contributions.begin(), r.contributions.end(),
                     [](const Contribution& c) { return c.role == Role::cause; });
}

TEST(Drift, TrendsThatHaveNothingToDoWithEachOtherAreNotCauses) {
  int not_said = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const auto x = trend(random, 4), y = trend(random, -4);
    const CausalResult r = run(table_of(x, y), few_resamples());
    ASSERT_EQ(r.contributions.size(), 1u) << seed; // x and y are associated
    EXPECT_FALSE(names_x(r)) << seed;
    if (!r.contributions[0].drifts && ++not_said) continue;
    EXPECT_NE(warning_of(r, "drift").find("x and y only change slowly or rarely over the rows"),
              std::string::npos)
        << warning_of(r, "drift");
    EXPECT_TRUE(std::any_of(r.sentences.begin(), r.sentences.end(), [](const std::string& sentence) {
      return sentence.find("the factor and the target only change slowly or rarely") != std::string::npos;
    })) << seed;
  }
  EXPECT_LE(not_said, 3); // by chance, the noise of both moves together: eight tests at 1 % each
}

TEST(Drift, ACauseThatDriftsIsACause) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const auto x = trend(random, 4);
    std::vector<double> y;
    for (const double v : x) y.push_back(v + normal(random));
    const CausalResult r = run(table_of(x, y), few_resamples());
    EXPECT_TRUE(names_x(r)) << seed;
    EXPECT_EQ(warning_of(r, "drift"), "") << seed;
  }
}

TEST(Drift, WalksThatHaveNothingToDoWithEachOtherAreNotCauses) {
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto x = wandering(random), y = wandering(random);
    named += names_x(run(table_of(x, y), few_resamples()));
  }
  EXPECT_LE(named, 1);
}

TEST(Drift, OfAssociationsWithoutADirectionIsSaidInsteadOfTheQuestionForIt) {
  int only_drift = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto x = trend(random, 4), y = trend(random, -4);
    LaunchTable rows = table_of(x, y);
    for (auto& column : rows.columns) column.tier = static_cast<int>(Tier::unknown);
    const CausalResult r = run(rows, few_resamples());
    ASSERT_EQ(r.contributions.size(), 1u) << seed;
    EXPECT_TRUE(r.contributions[0].undirected) << seed;
    only_drift += r.contributions[0].drifts;
    const bool asks = std::ranges::any_of(r.sentences, [](const std::string& sentence) {
      return sentence.find("do not identify the direction") != std::string::npos;
    });
    EXPECT_EQ(asks, !r.contributions[0].drifts) << seed;
  }
  EXPECT_GE(only_drift, 18);
}

TEST(Drift, ACurveThroughTwoSlowWavesIsNotACause) {
  // The faster wave is a function of the slower one (cos 2a = 1 − 2 sin² a), and of anything else as slow.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    std::vector<double> x, y;
    for (int i = 0; i < kRows; ++i) {
      const double angle = 3 * static_cast<double>(i) / kRows * 6.283185307179586;
      x.push_back(std::sin(angle) + 0.1 * normal(random));
      y.push_back(std::cos(2 * angle) + 0.1 * normal(random));
    }
    const CausalResult r = run(table_of(x, y), few_resamples());
    for (const Contribution& c : r.contributions) EXPECT_TRUE(c.drifts) << seed;
    EXPECT_FALSE(names_x(r)) << seed;
  }
}

TEST(Drift, ATableThatIsSortedDoesNotHideItsCause) {
  Random random(3);
  std::vector<double> x, y;
  for (int i = 0; i < kRows; ++i) x.push_back(normal(random)), y.push_back(x.back() + 0.5 * normal(random));
  std::vector<std::size_t> order(kRows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const auto* by : {&y, &x}) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return (*by)[a] < (*by)[b]; });
    std::vector<double> sorted_x, sorted_y;
    for (const auto i : order) sorted_x.push_back(x[i]), sorted_y.push_back(y[i]);
    const CausalResult r = run(table_of(sorted_x, sorted_y), few_resamples());
    ASSERT_FALSE(r.contributions.empty());
    EXPECT_FALSE(r.contributions[0].drifts);
  }
}

TEST(Drift, ANoisyFactorThatSwitchesOftenIsACause) {
  // A clock that drops for 100 of every 400 rows; while it is constant, its measured values are mere noise.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    std::vector<double> x, y;
    for (int i = 0; i < kRows; ++i) {
      const double clock = (i / 100) % 4 == 2 ? 1'200 : 1'700;
      x.push_back(clock * (1 + 0.01 * normal(random)));
      y.push_back(1e6 / clock + 20 * normal(random));
    }
    const CausalResult r = run(table_of(x, y), few_resamples());
    EXPECT_TRUE(names_x(r)) << seed;
  }
}

} // namespace
} // namespace jitterscope::causal
