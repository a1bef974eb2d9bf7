// What goes with the target only because both change slowly is told and called no cause.

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/causal/drift.h"
#include "tests/core/causal/answers.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;
using test::warning_of;

constexpr int kRows = 2'000;

MemoryRows table_of(std::vector<double> x, std::vector<double> y) {
  MemoryRows rows;
  rows.add({"x", "", 1, {}, {}, {}, {}}, std::move(x)), rows.add({"y", "", 5, {}, {}, {}, {}}, std::move(y));
  rows.target = "y";
  return rows;
}

std::vector<double> trend(Random& random, double slope) {
  std::vector<double> values;
  for (int i = 0; i < kRows; ++i) values.push_back(slope * i / kRows + normal(random));
  return values;
}

// Each value keeps 99 % of the one before it.
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

Options few_resamples() {
  Options options;
  options.bootstrap = 50;
  options.nonlinear = false;
  return options;
}

TEST(Drift, TrendsThatHaveNothingToDoWithEachOtherAreNoCause) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const auto x = trend(random, 4), y = trend(random, -4);
    const CausalResult r = run(table_of(x, y), few_resamples());
    ASSERT_EQ(r.contributions.size(), 1u) << seed; // they do go together
    EXPECT_TRUE(r.contributions[0].drifts) << seed;
    EXPECT_FALSE(names_x(r)) << seed;
    EXPECT_NE(warning_of(r, "drift").find("x and y change together only slowly"), std::string::npos)
        << warning_of(r, "drift");
    EXPECT_TRUE(std::any_of(r.sentences.begin(), r.sentences.end(), [](const std::string& sentence) {
      return sentence.find("rows near each other do not show it") != std::string::npos;
    })) << seed;
  }
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

TEST(Drift, WalksThatHaveNothingToDoWithEachOtherAreNoCause) {
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto x = wandering(random), y = wandering(random);
    named += names_x(run(table_of(x, y), few_resamples()));
  }
  EXPECT_LE(named, 1);
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

TEST(Drift, SlopesAreThoseOfLeastSquaresWithinStretches) {
  // Two stretches of three rows, y = 2 x within each, the second one shifted by 10 in x and by −40 in y.
  Eigen::MatrixXd rows(6, 2);
  rows << 0, 0, 1, 2, 2, 4, 10, -40, 11, -38, 12, -36;
  Moments near(2);
  near = Moments::of(rows.topRows(3));
  near.cross += Moments::of(rows.bottomRows(3)).cross, near.n = 6;
  const NearAndFar found = near_and_far(Moments::of(rows), near, 2, 1, {0}, 0);
  EXPECT_NEAR(found.near, 2, 1e-12);
  EXPECT_NEAR(found.near_error, 0, 1e-7);
  // About the means 6 and −18: Σ x y = −592, Σ x² = 154.
  EXPECT_NEAR(found.overall, -592.0 / 154.0, 1e-9);
  EXPECT_FALSE(found.comparable); // two stretches are too few
}

} // namespace
} // namespace jitterscope::causal
