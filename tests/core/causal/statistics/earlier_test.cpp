// Where the host or a timer sets the starts of launches, the gap is the part of the period that the previous
// launch leaves.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/causal/statistics/earlier.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::few_resamples;
using test::normal;
using test::run;
using test::warning_of;

constexpr int kRowsOfRun = 3'000;

/// Launches of one configuration, one after the other.
struct Launches {
  std::vector<double> gap, earlier, duration;

  LaunchTable rows() const {
    LaunchTable rows;
    rows.add({"gap_ns", "ns", 2, {}, {}, {}, {}}, gap);
    rows.add({std::string(kEarlierDeviation), "ns", 2, {}, {}, {}, {}}, earlier);
    rows.duration_ns = duration, rows.group.assign(duration.size(), 0);
    return rows;
  }
};

/// Starts every 50 µs ± `jitter`; the duration depends on a hidden autoregressive state (coefficient `kept`
/// per launch), and rises by `effect` per ns of gap.
Launches paced(std::uint64_t seed, double kept, double jitter, double effect) {
  Random random(seed);
  Launches launches;
  double state = 0, before = 20'000;
  for (int i = 0; i < kRowsOfRun; ++i) {
    state = kept * state + std::sqrt(1 - kept * kept) * normal(random);
    const double gap = 50'000 + jitter * normal(random) - before;
    launches.gap.push_back(gap), launches.earlier.push_back(before - 20'000);
    launches.duration.push_back(before = 20'000 + 1'500 * state + effect * (gap - 30'000));
  }
  return launches;
}

const Contribution* gap_of(const CausalResult& r) {
  const auto found = std::find_if(r.contributions.begin(), r.contributions.end(),
                                  [](const Contribution& c) { return c.feature == "gap_ns"; });
  return found == r.contributions.end() ? nullptr : &*found;
}

TEST(Gap, IsNotACauseWhereItOnlyReflectsThePreviousDuration) {
  for (const double kept : {0.6, 0.9})
    for (const double jitter : {0.0, 800.0}) {
      const CausalResult r = run(paced(7, kept, jitter, 0).rows(), few_resamples());
      const auto* gap = gap_of(r);
      ASSERT_TRUE(gap) << kept << " " << jitter; // gap and duration are associated
      EXPECT_EQ(gap->role, Role::associated) << kept << " " << jitter;
      EXPECT_TRUE(gap->of_earlier_work) << kept << " " << jitter;
      EXPECT_NE(warning_of(r, "earlier-work"), "");
    }
}

TEST(Gap, StaysACauseWhereItActs) {
  for (const double kept : {0.0, 0.6}) {
    const CausalResult r = run(paced(7, kept, 8'000, 0.5).rows(), few_resamples());
    const auto* gap = gap_of(r);
    ASSERT_TRUE(gap) << kept;
    EXPECT_EQ(gap->role, Role::cause) << kept;
    EXPECT_FALSE(gap->of_earlier_work) << kept;
    EXPECT_EQ(warning_of(r, "earlier-work"), "");
  }
}

/// For example a low clock that lasts for 25 launches: durations are 1.6 times, gaps twice as long.
TEST(Gap, IsNotACauseWhereSomethingThatLastsMovesBoth) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed, 5);
    Launches launches;
    double before = 20'000;
    for (int i = 0; i < 1'500; ++i) {
      const bool slow = i % 75 < 25;
      launches.gap.push_back((slow ? 6'000 : 3'000) * std::exp(0.4 * normal(random)));
      launches.earlier.push_back(before - 24'000);
      launches.duration.push_back(before = (slow ? 32'000 : 20'000) * std::exp(0.1 * normal(random)));
    }
    const CausalResult r = run(launches.rows(), few_resamples());
    const auto* gap = gap_of(r);
    ASSERT_TRUE(gap) << seed; // gap and duration are associated
    EXPECT_EQ(gap->role, Role::associated) << seed;
    EXPECT_TRUE(gap->of_earlier_work || gap->drifts) << seed;
  }
}

TEST(Gap, StatedAsACauseByTheUserIsOne) {
  Options options = few_resamples();
  options.knowledge.required = {{"gap_ns", "kernel_variability"}};
  const CausalResult r = run(paced(7, 0.6, 800, 0).rows(), options);
  ASSERT_TRUE(gap_of(r));
  EXPECT_FALSE(gap_of(r)->of_earlier_work);
}

TEST(Gap, IsComparedWithTheLaunchBeforeWhateverFeaturesAreRequested) {
  Options options = few_resamples();
  options.features = {"gap_ns"};
  const CausalResult r = run(paced(7, 0.6, 800, 0).rows(), options);
  ASSERT_TRUE(gap_of(r));
  EXPECT_TRUE(gap_of(r)->of_earlier_work);
  for (const Edge& edge : r.edges) EXPECT_NE(edge.from, kEarlierDeviation);
}

} // namespace
} // namespace jitterscope::causal
