// Columns that change a few times in a run are associated with each other by chance.

#include "core/causal/amounts/changes.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;

AmountRows of(const std::vector<double>& x, const std::vector<double>& duration) {
  const std::vector<std::uint32_t> zeros(x.size(), 0);
  return {x, duration, zeros, zeros, zeros};
}

/// Durations of 20 µs, plus 3 µs where `slow` is set.
std::vector<double> durations(const std::vector<double>& slow, Random& random) {
  std::vector<double> d;
  for (const double s : slow) d.push_back(20e3 + 3e3 * s + 300 * normal(random));
  return d;
}

std::vector<double> from_row(int first, int rows) {
  std::vector<double> x;
  for (int i = 0; i < rows; ++i) x.push_back(i >= first);
  return x;
}

TEST(Changes, OneStepNearAnotherIsNotEvidence) {
  Random random(1, 2);
  const auto d = durations(from_row(743, 2'000), random);
  EXPECT_FALSE(changes_together(of(from_row(740, 2'000), d), {20e3}, 1));
  EXPECT_FALSE(changes_together(of(from_row(1'100, 2'000), d), {20e3}, 1));
}

TEST(Changes, SeveralAtTheSameMomentsAreEvidence) {
  Random random(2, 2);
  std::vector<double> slow, clock;
  for (int i = 0; i < 2'000; ++i)
    slow.push_back(i % 487 >= 343), clock.push_back((slow.back() > 0 ? 900 : 1'400) + 20 * random.uniform());
  const auto d = durations(slow, random);
  EXPECT_TRUE(changes_together(of(slow, d), {20e3}, 5));
  EXPECT_TRUE(changes_together(of(clock, d), {20e3}, 5));
  std::vector<double> later;
  for (int i = 0; i < 2'000; ++i) later.push_back(slow[static_cast<std::size_t>(std::max(0, i - 60))]);
  EXPECT_FALSE(changes_together(of(later, d), {20e3}, 5)) << "60 launches after";
}

TEST(Changes, WalksThatHaveNothingToDoWithEachOther) {
  int together = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed, 3);
    std::vector<double> x, d;
    double a = 0, b = 0;
    for (int i = 0; i < 1'500; ++i)
      a += normal(random), b += normal(random), x.push_back(a), d.push_back(20e3 * std::exp(0.01 * b));
    together += changes_together(of(x, d), {20e3}, 1);
  }
  EXPECT_LE(together, 5);
}

TEST(Changes, NearlyIndependentRowsAreNotTested) {
  Random random(4, 2);
  std::vector<double> x;
  for (int i = 0; i < 200; ++i) x.push_back(random.uniform() < 0.2);
  EXPECT_TRUE(changes_together(of(x, durations(std::vector<double>(200, 0.0), random)), {20e3}, 1));
}

/// Short and long gaps alternate every 400 launches, with noise. Durations follow the gap itself (`adds`) or
/// only a hidden state that changes with it.
struct Waiting {
  std::vector<double> gap, duration;
};

Waiting waiting(bool adds, Random& random) {
  Waiting w;
  for (int i = 0; i < 4'000; ++i) {
    const bool idle = i % 800 >= 400;
    w.gap.push_back((idle ? 40e3 : 20e3) + 4e3 * normal(random));
    const double longer = adds ? 0.1 * w.gap.back() : idle ? 3e3 : 0;
    w.duration.push_back(20e3 + longer + 300 * normal(random));
  }
  return w;
}

TEST(Changes, DurationsFollowAGapFromRowToRowOrOnlyWithAStateOfBoth) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed, 8);
    const Waiting cause = waiting(true, random), both = waiting(false, random);
    EXPECT_TRUE(moves_with_durations(of(cause.gap, cause.duration), {20e3})) << seed;
    EXPECT_FALSE(moves_with_durations(of(both.gap, both.duration), {20e3})) << seed;
    const std::vector<double> short_gap(both.gap.begin() + 385, both.gap.begin() + 414),
        short_d(both.duration.begin() + 385, both.duration.begin() + 414);
    EXPECT_TRUE(moves_with_durations(of(short_gap, short_d), {20e3})) << "29 launches are too few to decide";
  }
}

/// Without `adds`, for example, the clock drops in the phases in which the device waits often.
TEST(Changes, AGapThatAHiddenStateChangesWithDurationsIsNotACause) {
  for (const bool adds : {true, false})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Random random(seed, 9);
      const Waiting w = waiting(adds, random);
      LaunchTable rows;
      rows.duration_ns = w.duration, rows.group.assign(w.gap.size(), 0), rows.kernel_of_group = {0};
      rows.add({"gap_ns", "ns", 2, {}, {}, {}, {}}, w.gap);
      const CausalResult r = run(rows, test::few_resamples());
      ASSERT_EQ(r.contributions.size(), 1u);
      EXPECT_EQ(r.contributions.front().role, adds ? Role::cause : Role::associated) << seed;
    }
}

TEST(Changes, AFlagThatIsSetOnceIsNotACause) {
  int causes = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed, 5);
    LaunchTable rows;
    rows.duration_ns = durations(from_row(200 + static_cast<int>(random.below(1'600)), 2'000), random);
    rows.group.assign(2'000, 0), rows.kernel_of_group = {0};
    for (const char* name :
         {"power_cap", "mps_active", "other_user", "profiler_on", "fan_high", "driver_reset"})
      rows.add({name, "", 2, FeatureRole::event, {}, {}, {}},
               from_row(100 + static_cast<int>(random.below(1'800)), 2'000));
    for (const auto& c : run(rows, test::few_resamples()).contributions) causes += c.role == Role::cause;
  }
  EXPECT_EQ(causes, 0);
}

/// A timer of 1 µs leaves few distinct durations, which the event determines; the event is still
/// distinguished from the target.
TEST(Changes, AnEventThatACoarseTimerFollowsIsACause) {
  Random random(6, 2);
  LaunchTable rows;
  std::vector<double> happened;
  for (int i = 0; i < 2'000; ++i) {
    happened.push_back(random.uniform() < 0.05);
    rows.duration_ns.push_back(std::round((6e3 + 5e3 * happened.back() + 50 * normal(random)) / 1e3) * 1e3),
        rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"migrated", "", 2, FeatureRole::event, {}, {}, {}}, happened);
  const CausalResult r = run(rows, test::few_resamples());
  ASSERT_EQ(r.contributions.size(), 1u);
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  EXPECT_GT(*r.contributions.front().attributable_percent, 95);
}

/// Launches take the same number of cycles at any clock.
TEST(Changes, AClockThatDurationsFollowExactlyIsACause) {
  Random random(8, 2);
  LaunchTable rows;
  std::vector<double> clock;
  for (int i = 0; i < 1'000; ++i) {
    clock.push_back(1e9 + 5e8 * random.uniform());
    rows.duration_ns.push_back(std::round(3e13 / clock.back())), rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"sm_clock", "Hz", 2, {}, {}, {}, {}}, clock);
  const CausalResult r = run(rows, test::few_resamples());
  ASSERT_EQ(r.contributions.size(), 1u);
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  EXPECT_EQ(r.contributions.front().sign, -1);
}

/// A tenth of the launches has fifteen times the spread; their mean is the same.
TEST(Changes, AnEventThatOnlyWidensIsACause) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed, 7);
    LaunchTable rows;
    std::vector<double> happened;
    for (int i = 0; i < 2'000; ++i) {
      happened.push_back(random.uniform() < 0.1);
      rows.duration_ns.push_back(20e3 + (happened.back() > 0 ? 1'500 : 100) * normal(random)),
          rows.group.push_back(0);
    }
    rows.kernel_of_group = {0};
    rows.add({"throttled", "", 2, FeatureRole::event, {}, {}, {}}, happened);
    const CausalResult r = run(rows, test::few_resamples());
    ASSERT_EQ(r.contributions.size(), 1u);
    EXPECT_EQ(r.contributions.front().role, Role::cause) << seed;
    EXPECT_NE(r.sentences.front().find("they vary more"), std::string::npos) << r.sentences.front();
  }
}

} // namespace
} // namespace jitterscope::causal
