// The effect of a numeric factor on durations: its share of the variability, and the uncertainty.

#include "core/causal/amounts/amount_effect.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/median.h"
#include "core/causal/statistics/isotonic.h"
#include "tests/core/causal/amounts/amounts.h"
#include "tests/core/causal/answer/answers.h"

namespace jitterscope::causal {
namespace {

const Job kJob;
const auto kAlone = local_communicator();

using test::AmountCause;

TEST(Isotonic, PoolsAdjacentViolators) {
  EXPECT_EQ(isotonic({1, 3, 2, 5}, {1, 1, 1, 1}, true), (std::vector<double>{1, 2.5, 2.5, 5}));
  EXPECT_EQ(isotonic({1, 3, 2, 5}, {1, 1, 3, 1}, true), (std::vector<double>{1, 2.25, 2.25, 5}));
  EXPECT_EQ(isotonic({5, 1, 3}, {1, 1, 1}, false), (std::vector<double>{5, 2, 2}));
  EXPECT_EQ(isotonic({9, 1, 9, 2}, {0, 1, 0, 1}, true), (std::vector<double>{1, 1, 1, 2}))
      << "values without weight have no influence";
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
  double truth;                       ///< planted share of the variability [%]
  double affected_low, affected_high; ///< bounds of the number of affected launches, of 3,000
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
                    Planted{AmountCause::shift_line, 79.6, 1'000, 1'600, "ShiftAlongALine"}),
    [](const auto& planted) { return std::string(planted.param.name); });

TEST(AmountShares, DoNotDependOnConfigurations) {
  const CausalResult r = test::run(
      test::amount_launches({.cause = AmountCause::spread_step, .launches = 4'000, .configurations = 5}));
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_LE(r.contributions.front().attributable_ci_low, 37.6);
  EXPECT_GE(r.contributions.front().attributable_ci_high, 37.6);
}

TEST(AmountShares, AreZeroWithoutAnEffect) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const auto& c : test::run(test::amount_launches({.launches = 600, .seed = seed})).contributions)
      EXPECT_EQ(c.role, Role::associated) << seed;
}

/// Rows of one configuration of 20 µs with values of a numeric factor between 0 and 1, in 40 blocks.
struct Rows {
  AmountRows rows;
  std::vector<double> typical = {20e3};

  void add(double x, double log_ratio, std::uint32_t stratum) {
    rows.x.push_back(x), rows.duration.push_back(20e3 * std::exp(log_ratio));
    rows.group.push_back(0), rows.stratum.push_back(stratum), rows.block.push_back(block_++ % 40);
  }
  /// Share of the variability that vanishes without the factor.
  double share(bool shifts, bool spreads) const {
    AmountEffect effect(rows, typical, {0});
    EXPECT_TRUE(effect.fit(shifts, spreads, {}, *kAlone, kJob));
    return effect.as_fitted(std::vector<int>(40, 1)).share();
  }

private:
  std::uint32_t block_ = 0;
};

// Launches with larger values vary three times as much. A few launches that another cause lengthened have
// values from 0.4 to 0.9.
/// Durations of work from 124 to 964, with noise in proportion to the work; `constant` ns are without noise.
void expect_the_rest_of_the_noise(double noise, double constant) {
  Random random(1, 77);
  AmountRows rows;
  std::vector<double> durations, without;
  for (int i = 0; i < 2'000; ++i) {
    const double work = std::floor(60 + 840 * random.uniform()),
                 factor = std::exp(noise * test::normal(random));
    rows.x.push_back(work), rows.duration.push_back(constant + 70 * (work + 64) * factor);
    rows.group.push_back(0), rows.stratum.push_back(0);
    rows.block.push_back(static_cast<std::uint32_t>(i / 8));
    durations.push_back(rows.duration.back()), without.push_back(constant + 70 * (480 + 64) * factor);
  }
  const auto variability = [](std::vector<double> values) {
    const double middle = median_of(values);
    double sum = 0;
    for (const double v : values) sum += std::fabs(v - middle);
    return sum;
  };
  std::vector<double> copy = durations;
  const double truth = variability(without) / variability(durations);
  AmountEffect effect(std::move(rows), {median_of(copy)}, {0});
  const std::vector<std::vector<int>> resamples(50, std::vector<int>(250, 1));
  const auto communicator = local_communicator();
  ASSERT_TRUE(effect.fit(true, true, resamples, *communicator, {}));
  const auto& fit = effect.fitted();
  EXPECT_NEAR(fit.left / fit.before / truth, 1, 0.12) << noise << ' ' << constant;
  EXPECT_GT(fit.stretch, 0.9) << noise << ' ' << constant;
}

TEST(AmountEffects, TheRestIsThatOfTheNoiseIfDurationsSpanAFactorOfEight) {
  for (const double noise : {0.03, 0.2}) expect_the_rest_of_the_noise(noise, 0);
}

// Short launches vary less, relative to their duration: with the median work for all, the rest is that of
// launches with this work, not that of the steadier short launches.
TEST(AmountEffects, TheRestHasTheSpreadOfTheReference) {
  for (const double noise : {0.03, 0.2}) expect_the_rest_of_the_noise(noise, 30'000);
}

TEST(AmountEffects, OutliersAreLeftToOtherCauses) {
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

TEST(AmountEffects, AFitEndsAtACancel) {
  AmountRows rows;
  for (std::uint32_t k = 0; k < 4'000; ++k) {
    const double x = k % 100 / 100.0;
    rows.x.push_back(x), rows.duration.push_back(20e3 * std::exp(0.3 * x));
    rows.group.push_back(0), rows.stratum.push_back(k % 3), rows.block.push_back(k % 40);
  }
  int checks = 0, limit = 1'000'000;
  Job job;
  job.cancelled = [&] { return ++checks > limit; };
  ASSERT_TRUE(AmountEffect(rows, {20e3}, {0}).fit(true, true, {}, *kAlone, job));
  const int whole = checks;
  ASSERT_GT(whole, 20);
  for (limit = 0; limit < whole; limit += 5) {
    checks = 0;
    const auto done = AmountEffect(rows, {20e3}, {0}).fit(true, true, {}, *kAlone, job);
    ASSERT_FALSE(done) << limit;
    EXPECT_EQ(done.error().kind, ErrorKind::Cancelled);
    EXPECT_LE(checks, limit + 2); // stops at the first cancelled check; the loop over candidates also checks
  }
}

// The first launch of a stream is long for another reason and happens to have the smallest value.
TEST(AmountEffects, TheOnlyRowOfAStratumIsNotEvidence) {
  Random random(5, 1);
  Rows plain, with_first;
  for (int i = 0; i < 4'000; ++i) {
    const double x = test::open_uniform(random),
                 log_ratio = 0.3 * (0.5 - x) + 0.02 * normal_quantile(test::open_uniform(random));
    plain.add(x, log_ratio, 0), with_first.add(x, log_ratio, 0);
  }
  const double first = std::exp(4.0);
  with_first.add(-0.001, std::log(first), 1);
  double before = 0;
  for (const double d : plain.rows.duration) before += std::fabs(d / 20e3 - 1);
  const double vanishes = plain.share(true, false) * before + (first - 1) * (1 - std::exp(-0.3));
  EXPECT_NEAR(with_first.share(true, false), vanishes / (before + first - 1), 0.02);
}

// The factor has no effect of its own; an event that lengthens launches is more frequent at large values.
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

// Durations rise with the gap before the launch and have 2 % of noise. With the same gap for all launches
// only the noise remains.
TEST(AmountSettings, GiveTheVariabilityLeftWithOneValueForAll) {
  const CausalResult r =
      test::run(test::amount_launches({.cause = AmountCause::shift_line, .launches = 6'000}));
  ASSERT_FALSE(r.contributions.empty());
  const double left = 1 - *r.contributions.front().attributable_percent / 100;
  for (const double gap : {1'000.0, 5'000.0, 10'000.0}) {
    const double level = std::exp(0.1 * gap / test::kMeanGap),
                 mean_level = 1 / (1 - 0.1); // mean of `level` over exponentially distributed gaps
    const auto answer = intervene(r, "gap_ns", gap);
    ASSERT_TRUE(answer);
    EXPECT_NEAR(answer->mean_after / answer->mean_before, left * level, 0.02) << gap;
    EXPECT_GE(answer->ci_high, answer->mean_after);
    EXPECT_LE(answer->ci_low, answer->mean_after);
    ASSERT_TRUE(answer->duration_change_ns);
    EXPECT_NEAR(*answer->duration_change_ns, 20e3 * (level - mean_level), 150) << gap;
    EXPECT_LE(answer->duration_interval.low, 20e3 * (level - mean_level) + 20) << gap;
    EXPECT_GE(answer->duration_interval.high, 20e3 * (level - mean_level) - 20) << gap;
    EXPECT_LT(answer->std_after, 0.5 * answer->std_before);
  }
  const auto back = decode_result(encode(r));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), to_json(r));
  EXPECT_DOUBLE_EQ(intervene(*back, "gap_ns", 7e3)->mean_after, intervene(r, "gap_ns", 7e3)->mean_after);
}

// One launch after another gap: the effect of the gap changes its duration, and its target is the distance of
// this duration from the typical duration.
TEST(AmountSettings, MoveOneLaunch) {
  const CausalResult r =
      test::run(test::amount_launches({.cause = AmountCause::shift_line, .launches = 6'000}));
  const double at_1 = 20e3 * std::exp(0.02), at_10 = 20e3 * std::exp(0.2);
  const auto c = counterfactual(r, "gap_ns", 1'000, 10'000, 22e3 - at_1, LaunchTime{at_1, 22e3});
  ASSERT_TRUE(c);
  ASSERT_TRUE(c->duration_after);
  EXPECT_NEAR(*c->duration_after, at_10, 0.3 * (at_10 - at_1));
  EXPECT_NEAR(c->target_after, std::fabs(*c->duration_after - 22e3), 1e-6);
  EXPECT_LE(c->ci_low, c->target_after);
  EXPECT_GE(c->ci_high, c->target_after);
  EXPECT_FALSE(counterfactual(r, "gap_ns", 1'000, 10'000, 1)->duration_after)
      << "the duration of the launch is not given";
}

/// Launches of two kernels with a spread that rises from 1 % to 4 % with the factor.
TEST(AmountSettings, GiveTheSpreadOfLaunches) {
  Random random(9, 1);
  AmountRows rows;
  for (std::uint32_t i = 0; i < 8'000; ++i) {
    const double x = test::open_uniform(random), typical = i % 2 ? 20e3 : 60e3;
    rows.x.push_back(x), rows.duration.push_back(
                             typical * (1 + (0.01 + 0.03 * x) * normal_quantile(test::open_uniform(random))));
    rows.group.push_back(i % 2), rows.stratum.push_back(i % 2), rows.block.push_back(i / 200);
  }
  AmountEffect effect(std::move(rows), {60e3, 20e3}, {0, 1});
  const std::vector<int> ones(40, 1);
  ASSERT_TRUE(effect.fit(true, true, std::vector<std::vector<int>>(200, ones), *kAlone, kJob));
  for (const auto& outcome : {effect.as_fitted(ones), effect.refitted(ones)}) {
    ASSERT_EQ(outcome.left.size(), effect.settings().size());
    for (const std::size_t i : {4u, 8u, 12u})
      EXPECT_NEAR(outcome.left[i] / outcome.before, (0.01 + 0.03 * effect.value_of_setting(i)) / 0.025, 0.1)
          << i;
  }
}

/// Launches of three kernels that a numeric factor between 0 and 1 lengthens, and their remaining variation.
struct Lengthened {
  const char* name;
  double (*level)(double typical, double x);           ///< added by the factor [ns]
  double (*noise)(double typical, double x, double z); ///< variation that the factor does not explain [ns]
};

class AmountsOfSeveralKernels : public testing::TestWithParam<Lengthened> {
protected:
  static constexpr std::uint32_t kKernels = 3;
  const std::vector<double> typical_ = {20e3, 50e3, 100e3};

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

TEST_P(AmountsOfSeveralKernels, AreRemovedAsTheyWereAdded) {
  const Lengthened& planted = GetParam();
  Random random(5, 1);
  AmountRows rows;
  std::vector<double> without;
  for (std::uint32_t i = 0; i < 6'000; ++i) {
    const double x = test::open_uniform(random), z = normal_quantile(test::open_uniform(random));
    const double typical = typical_[i % kKernels];
    without.push_back(typical + planted.level(typical, 0.5) +
                      planted.noise(typical, 0.5, z)); // with the factor at its median
    rows.x.push_back(x),
        rows.duration.push_back(typical + planted.level(typical, x) + planted.noise(typical, x, z));
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
  ASSERT_TRUE(
      effect.fit(true, true, std::vector<std::vector<int>>(200, std::vector<int>(40, 1)), *kAlone, kJob));
  EXPECT_NEAR(effect.as_fitted(std::vector<int>(40, 1)).share(), truth, 0.02);
}

INSTANTIATE_TEST_SUITE_P(
    All, AmountsOfSeveralKernels,
    testing::Values(
        Lengthened{"EqualNsForAll", [](double, double x) { return 5e3 * x; },
                   [](double, double, double z) { return 800 * z; }},
        Lengthened{"PartsOfTheirDuration", [](double typical, double x) { return 0.15 * typical * x; },
                   [](double typical, double, double z) { return 0.02 * typical * z; }},
        Lengthened{"AFactorOfAllTheyDo", [](double typical, double x) { return 0.5 * typical * x; },
                   [](double typical, double x, double z) { return 0.06 * typical * (1 + 0.5 * x) * z; }},
        Lengthened{"TwoKernelsOfThree",
                   [](double typical, double x) { return typical == 50e3 ? 0.0 : 0.2 * typical * x; },
                   [](double typical, double, double z) { return 0.02 * typical * z; }}),
    [](const auto& planted) { return std::string(planted.param.name); });

} // namespace
} // namespace jitterscope::causal
