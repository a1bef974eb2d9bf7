// What an amount does to durations: its share of the variability, and how sure that is.

#include "core/causal/amount_effect.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/median.h"
#include "core/causal/isotonic.h"
#include "tests/core/causal/amounts.h"
#include "tests/core/causal/answers.h"

namespace jitterscope::causal {
namespace {

using test::AmountCause;

TEST(Isotonic, PoolsWhatWouldGoTheWrongWay) {
  EXPECT_EQ(isotonic({1, 3, 2, 5}, {1, 1, 1, 1}, true), (std::vector<double>{1, 2.5, 2.5, 5}));
  EXPECT_EQ(isotonic({1, 3, 2, 5}, {1, 1, 3, 1}, true), (std::vector<double>{1, 2.25, 2.25, 5}));
  EXPECT_EQ(isotonic({5, 1, 3}, {1, 1, 1}, false), (std::vector<double>{5, 2, 2}));
  EXPECT_EQ(isotonic({9, 1, 9, 2}, {0, 1, 0, 1}, true), (std::vector<double>{1, 1, 1, 2}))
      << "what has no weight has no say";
  EXPECT_TRUE(isotonic({}, {}, true).empty());
}

TEST(StepFunctions, HoldTheirValueToTheNextStart) {
  const StepFunction f{{1, 4}, {10, 20}};
  EXPECT_EQ(f(0), 10);
  EXPECT_EQ(f(1), 10);
  EXPECT_EQ(f(3.9), 10);
  EXPECT_EQ(f(4), 20);
}

struct Planted {
  AmountCause cause;
  double truth; ///< percent of the variability
  double affected_low, affected_high; ///< of 3,000 launches
  const char* name;
};

class SharesOfAmounts : public testing::TestWithParam<Planted> {};

TEST_P(SharesOfAmounts, AreThoseOfTheirPlantedEffect) {
  const Planted& p = GetParam();
  int inside = 0;
  double mean = 0;
  constexpr int tables = 8;
  for (std::uint64_t seed = 1; seed <= tables; ++seed) {
    const CausalResult r = test::run(test::amount_launches({.cause = p.cause, .seed = seed}));
    ASSERT_FALSE(r.contributions.empty());
    const Contribution& c = r.contributions.front();
    EXPECT_EQ(c.feature, "gap_ns");
    EXPECT_EQ(c.role, Role::cause);
    EXPECT_EQ(c.sign, 1);
    inside += c.attributable_ci_low <= p.truth && p.truth <= c.attributable_ci_high;
    mean += *c.attributable_percent / tables;
    EXPECT_GE(c.affected, p.affected_low);
    EXPECT_LE(c.affected, p.affected_high);
  }
  EXPECT_NEAR(mean, p.truth, 3);
  EXPECT_GE(inside, tables - 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, SharesOfAmounts,
    testing::Values(Planted{AmountCause::spread_line, 54, 1'800, 2'800, "SpreadAlongALine"},
                    Planted{AmountCause::spread_step, 37.6, 800, 1'000, "SpreadBeyondAStep"},
                    Planted{AmountCause::spread_large_step, 66, 800, 1'000, "LargeSpreadBeyondAStep"},
                    Planted{AmountCause::shift_rare, 48, 60, 120, "RareShift"},
                    Planted{AmountCause::shift_line, 81, 1'800, 2'900, "ShiftAlongALine"}),
    [](const auto& planted) { return std::string(planted.param.name); });

TEST(AmountShares, DoNotDependOnConfigurations) {
  const CausalResult r =
      test::run(test::amount_launches({.cause = AmountCause::spread_step, .launches = 4'000, .configurations = 5}));
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_LE(r.contributions.front().attributable_ci_low, 37.6);
  EXPECT_GE(r.contributions.front().attributable_ci_high, 37.6);
}

TEST(AmountShares, AreNotMadeOfNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const auto& c : test::run(test::amount_launches({.launches = 600, .seed = seed})).contributions)
      EXPECT_EQ(c.role, Role::associated) << seed;
}

/// Rows of one configuration of 20 µs with amounts between 0 and 1, in 40 blocks.
struct Rows {
  AmountRows rows;
  std::vector<double> usual = {20e3};

  void add(double x, double log_ratio, std::uint32_t stratum) {
    rows.x.push_back(x), rows.duration.push_back(20e3 * std::exp(log_ratio));
    rows.group.push_back(0), rows.stratum.push_back(stratum), rows.block.push_back(block_++ % 40);
  }
  /// Share that vanishes.
  double share(bool shifts, bool spreads) const {
    AmountEffect effect(rows, usual, {0});
    effect.fit(shifts, spreads, {});
    return effect.share_as_fitted(std::vector<int>(40, 1));
  }

private:
  std::uint32_t block_ = 0;
};

// Launches with larger amounts vary three times as much; a few that something else made long met amounts in between.
TEST(AmountEffects, WhatLiesFarAwayIsLeftToOtherCauses) {
  Random random(3, 1);
  Rows plain, with_far;
  double far = 0, all = 0;
  for (int i = 0; i < 8'000; ++i) {
    const double x = test::open_uniform(random), z = normal_quantile(test::open_uniform(random));
    const double log_ratio = (x > 0.5 ? 0.06 : 0.02) * z;
    plain.add(x, log_ratio, 0);
    const bool is_far = i % 200 == 77;
    with_far.add(is_far ? 0.4 + 0.5 * x : x, is_far ? 3.0 : log_ratio, 0);
    const double deviation = 20e3 * std::fabs(std::exp(is_far ? 3.0 : log_ratio) - 1);
    all += deviation, far += is_far ? deviation : 0;
  }
  EXPECT_NEAR(plain.share(false, true), 0.5, 0.04);
  EXPECT_GT(far / all, 0.7);
  EXPECT_NEAR(with_far.share(false, true), 0.5 * (1 - far / all), 0.05);
}

// An event that makes launches long goes with the amount, which does nothing beside it.
TEST(AmountEffects, LaunchesAreComparedWithinTheirStratum) {
  Random random(4, 1);
  Rows together, apart;
  for (int i = 0; i < 8'000; ++i) {
    const double x = test::open_uniform(random), z = normal_quantile(test::open_uniform(random));
    const bool event = random.uniform() < x * x;
    const double log_ratio = 0.02 * z + (event ? 0.3 : 0.0);
    together.add(x, log_ratio, 0), apart.add(x, log_ratio, event);
  }
  EXPECT_GT(together.share(true, false), 0.15);
  EXPECT_NEAR(apart.share(true, false), 0, 0.04);
}

/// Launches of three kernels that an amount between 0 and 1 makes longer, and what they would have varied without it.
struct Lengthened {
  const char* name;
  double (*level)(double usual, double x);           ///< ns that the amount adds
  double (*noise)(double usual, double x, double z); ///< ns beside it
  double (*noise_without)(double usual, double z);
};

class AmountsOfSeveralKernels : public testing::TestWithParam<Lengthened> {
protected:
  static constexpr std::uint32_t kKernels = 3;
  const std::vector<double> usual_ = {20e3, 50e3, 100e3};

  double variability(const std::vector<double>& durations) const {
    double sum = 0;
    for (std::uint32_t g = 0; g < kKernels; ++g) {
      std::vector<double> mine;
      for (std::size_t i = g; i < durations.size(); i += kKernels) mine.push_back(durations[i]);
      std::vector<double> ordered = mine;
      const double middle = median_of(ordered);
      for (const double d : mine) sum += std::fabs(d - middle);
    }
    return sum;
  }
};

TEST_P(AmountsOfSeveralKernels, AreTakenAwayAsTheyWereAdded) {
  const Lengthened& planted = GetParam();
  Random random(5, 1);
  AmountRows rows;
  std::vector<double> without;
  for (std::uint32_t i = 0; i < 6'000; ++i) {
    const double x = test::open_uniform(random), z = normal_quantile(test::open_uniform(random));
    const double usual = usual_[i % kKernels];
    without.push_back(usual + planted.noise_without(usual, z));
    rows.x.push_back(x), rows.duration.push_back(usual + planted.level(usual, x) + planted.noise(usual, x, z));
    rows.group.push_back(i % kKernels), rows.stratum.push_back(i % kKernels), rows.block.push_back(i / 150);
  }
  std::vector<double> medians;
  for (std::uint32_t g = 0; g < kKernels; ++g) {
    std::vector<double> mine;
    for (std::size_t i = g; i < rows.duration.size(); i += kKernels) mine.push_back(rows.duration[i]);
    medians.push_back(median_of(mine));
  }
  const double truth = 1 - variability(without) / variability(rows.duration);
  ASSERT_GT(truth, 0.3);
  AmountEffect effect(std::move(rows), medians, {0, 1, 2});
  effect.fit(true, true, std::vector<std::vector<int>>(200, std::vector<int>(40, 1)));
  EXPECT_NEAR(effect.share_as_fitted(std::vector<int>(40, 1)), truth, 0.02);
}

INSTANTIATE_TEST_SUITE_P(
    All, AmountsOfSeveralKernels,
    testing::Values(
        Lengthened{"EqualNsForAll", [](double, double x) { return 5e3 * x; },
                   [](double, double, double z) { return 800 * z; }, [](double, double z) { return 800 * z; }},
        Lengthened{"PartsOfTheirDuration", [](double usual, double x) { return 0.15 * usual * x; },
                   [](double usual, double, double z) { return 0.02 * usual * z; },
                   [](double usual, double z) { return 0.02 * usual * z; }},
        Lengthened{"AFactorOfAllTheyDo", [](double usual, double x) { return 0.5 * usual * x; },
                   [](double usual, double x, double z) { return 0.06 * usual * (1 + 0.5 * x) * z; },
                   [](double usual, double z) { return 0.06 * usual * z; }},
        Lengthened{"TwoKernelsOfThree", [](double usual, double x) { return usual == 50e3 ? 0.0 : 0.2 * usual * x; },
                   [](double usual, double, double z) { return 0.02 * usual * z; },
                   [](double usual, double z) { return 0.02 * usual * z; }}),
    [](const auto& planted) { return std::string(planted.param.name); });

} // namespace
} // namespace jitterscope::causal
