#include "core/causal/amounts/judgement.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/median.h"
#include "core/causal/base/random.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;

double variability_of(const std::vector<double>& durations) {
  std::vector<double> sorted = durations;
  const double middle = median_of(sorted);
  double sum = 0;
  for (const double d : durations) sum += std::fabs(d - middle);
  return sum;
}

/// Durations in proportion to the work, divided by a clock that is high (`sign` 1) or low (−1) where there is
/// more work; correlation 0.8. Shares: those that vanish if every launch has the mean work, or the mean
/// clock.
struct WorkAndClock {
  LaunchTable rows;
  double share_of_work = 0, share_of_clock = 0;

  WorkAndClock(double sign, std::uint64_t seed) {
    Random random(seed, 12);
    std::vector<double> work, clock, durations, of_mean_work, of_mean_clock;
    for (int i = 0; i < 3'000; ++i) {
      const double a = normal(random), b = 0.8 * a + 0.6 * normal(random),
                   noise = std::exp(0.01 * normal(random));
      work.push_back(std::round(400 + 60 * b)), clock.push_back(std::round(1'500 + sign * 80 * a));
      durations.push_back(std::round(100 * work.back() * 1'500 / clock.back() * noise));
      of_mean_work.push_back(100 * 400 * 1'500 / clock.back() * noise);
      of_mean_clock.push_back(100 * work.back() * noise);
    }
    rows.duration_ns = durations;
    rows.group.assign(durations.size(), 0);
    rows.add({"work", "", 2, {}, {}, {}, {}}, work), rows.add({"clock", "", 2, {}, {}, {}, {}}, clock);
    share_of_work = 100 * (1 - variability_of(of_mean_work) / variability_of(durations));
    share_of_clock = 100 * (1 - variability_of(of_mean_clock) / variability_of(durations));
  }
};

TEST(JointAmounts, ACorrelatedFactorHasNoPartOfTheEffectOfTheOther) {
  for (const std::uint64_t seed : {1, 2}) {
    const WorkAndClock both(-1, seed);
    const CausalResult r = test::run(both.rows, test::few_resamples());
    const auto *work = test::contribution_of(r, "work"), *clock = test::contribution_of(r, "clock");
    ASSERT_TRUE(work && clock);
    EXPECT_EQ(work->role, Role::cause);
    EXPECT_EQ(clock->role, Role::cause);
    EXPECT_NEAR(*work->attributable_percent, both.share_of_work, 5);
    EXPECT_NEAR(*clock->attributable_percent, both.share_of_clock, 5);
  }
}

TEST(JointAmounts, AFactorIsNotHiddenByOneThatActsAgainstIt) {
  for (const std::uint64_t seed : {1, 2}) {
    const WorkAndClock both(1, seed);
    const CausalResult r = test::run(both.rows, test::few_resamples());
    const auto *work = test::contribution_of(r, "work"), *clock = test::contribution_of(r, "clock");
    ASSERT_TRUE(work && clock);
    EXPECT_EQ(work->role, Role::cause);
    EXPECT_NEAR(*work->attributable_percent, both.share_of_work, 6);
    // With one clock for all launches, durations vary more: negative shares are 0.
    EXPECT_EQ(*clock->attributable_percent, 0);
    EXPECT_EQ(clock->role, Role::associated);
  }
}

} // namespace
} // namespace jitterscope::causal
