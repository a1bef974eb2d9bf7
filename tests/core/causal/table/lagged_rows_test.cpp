// Columns whose values belong to another launch than the one in whose row they are, and events that fall into
// a phase of the run.

#include "core/causal/table/lagged_rows.h"

#include <array>
#include <cmath>

#include "core/base/median.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::contribution_of;
using test::normal;
using test::warning_of;

/// Launches of three configurations with 3 % of noise.
struct LaggedLaunches {
  explicit LaggedLaunches(std::uint64_t seed, std::size_t n = 4'000) : random(seed) {
    for (std::size_t i = 0; i < n; ++i) {
      group.push_back(static_cast<std::uint32_t>(random.below(3)));
      duration.push_back(20e3 * std::pow(2.5, group.back()) * std::exp(0.03 * normal(random)));
      gap.push_back(4'000 * std::exp(0.5 * normal(random)));
    }
  }

  LaunchTable table(const std::string& name, const std::string& unit,
                    const std::vector<double>& values) const {
    LaunchTable rows;
    rows.group = group, rows.duration_ns = duration;
    rows.kernel_of_group = {0, 1, 2}, rows.kernel_names = {"a", "b", "c"};
    rows.add({name, unit, -1, {}, {}, {}, {}}, values), rows.add({"gap_ns", "ns", -1, {}, {}, {}, {}}, gap);
    return rows;
  }

  /// Stays 0 or 1 for an exponential number of rows.
  std::vector<double> phases(double mean_rows) {
    std::vector<double> values;
    double now = 0, left = 0;
    for (std::size_t i = 0; i < duration.size(); ++i, left -= 1) {
      if (left <= 0) now = 1 - now, left = -mean_rows * std::log(1 - random.uniform());
      values.push_back(now);
    }
    return values;
  }

  Random random;
  std::vector<std::uint32_t> group;
  std::vector<double> duration, gap;
};

TEST(LaggedRows, AnEventThatActsThreeLaunchesLaterIsACause) {
  LaggedLaunches run(1);
  std::vector<double> flush(run.duration.size());
  for (double& f : flush) f = run.random.uniform() < 0.06;
  for (std::size_t i = 3; i < flush.size(); ++i) run.duration[i] *= 1 + 0.6 * flush[i - 3];
  const auto answer = test::run(run.table("checkpoint_event", "", flush), test::few_resamples());
  const auto* cause = contribution_of(answer, "checkpoint_event (3 before)");
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->role, Role::cause);
  EXPECT_GT(cause->attributable_percent.value_or(0), 40);
  EXPECT_EQ(cause->label, "checkpoint event, 3 launches earlier");
  EXPECT_EQ(warning_of(answer, "lag"),
            "Launches respond to checkpoint event 3 launches later: each launch is compared "
            "with what happened 3 launches before it.");
}

TEST(LaggedRows, ThousandLaunchesAreEnoughAndAStatedTierKeepsTheLag) {
  LaggedLaunches run(1, 1'000);
  std::vector<double> flush(run.duration.size());
  for (double& f : flush) f = run.random.uniform() < 0.06;
  for (std::size_t i = 3; i < flush.size(); ++i) run.duration[i] *= 1 + 0.6 * flush[i - 3];
  auto options = test::few_resamples();
  options.knowledge.tiers = {{"checkpoint", 2}};
  options.knowledge_must_match = true;
  const auto answer = test::run(run.table("checkpoint", "", flush), options);
  const auto* cause = contribution_of(answer, "checkpoint (3 before)");
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->role, Role::cause);
}

TEST(LaggedRows, AClockThatIsRecordedOneLaunchLateIsShiftedBack) {
  LaggedLaunches run(2);
  const auto low = run.phases(25);
  std::vector<double> recorded(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    run.duration[i] *= low[i] != 0 ? 1.3 : 1;
    recorded[i] = (low[i < 1 ? 0 : i - 1] != 0 ? 1'300 : 1'700) + 3 * normal(run.random);
  }
  const auto communicator = local_communicator();
  const auto lags = find_lags(run.table("mean_sm_clock", "MHz", recorded), {}, *communicator, {});
  ASSERT_TRUE(lags);
  ASSERT_EQ(lags->size(), 1u);
  EXPECT_EQ(lags->front().rows, -1);
}

TEST(LaggedRows, AnEventThatActsOnTheNextThreeLaunchesCountsOnAllOfThem) {
  LaggedLaunches run(5);
  std::vector<double> flush(run.duration.size());
  for (double& f : flush) f = run.random.uniform() < 0.05;
  double longer = 0, all = 0;
  for (std::size_t i = 3; i < flush.size(); ++i) {
    const double factor = (1 + 0.6 * flush[i - 1]) * (1 + 0.45 * flush[i - 2]) * (1 + 0.3 * flush[i - 3]);
    const double usual = 20e3 * std::pow(2.5, run.group[i]);
    longer += usual * (factor - 1), all += usual * (factor - 1) + std::fabs(run.duration[i] - usual);
    run.duration[i] *= factor;
  }
  const auto rows = run.table("checkpoint_event", "", flush);
  const auto communicator = local_communicator();
  const auto lags = find_lags(rows, {}, *communicator, {});
  ASSERT_TRUE(lags);
  ASSERT_EQ(lags->size(), 1u);
  EXPECT_EQ(lags->front().rows, 1);
  EXPECT_EQ(lags->front().span, 3);
  RowBlock own;
  ASSERT_TRUE(LaggedRows(rows, *lags).read(100, 50, own));
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(own.values(static_cast<Eigen::Index>(i), 0), flush[99 + i] + flush[98 + i] + flush[97 + i]);
  const auto answer = test::run(rows, test::few_resamples());
  ASSERT_FALSE(answer.contributions.empty());
  EXPECT_EQ(answer.contributions.front().role, Role::cause);
  EXPECT_EQ(answer.contributions.front().label, "checkpoint event, 1–3 launches earlier");
  EXPECT_NEAR(answer.contributions.front().attributable_percent.value_or(0), 100 * longer / all, 6);
}

TEST(LaggedRows, AnEventThatLastsForSeveralLaunchesHasNoLag) {
  for (std::uint64_t seed = 30; seed < 36; ++seed) {
    LaggedLaunches run(seed);
    std::vector<double> copying = run.phases(8);
    for (std::size_t i = 0; i < copying.size(); ++i) {
      copying[i] *= run.random.uniform() < 0.6;
      run.duration[i] *= 1 + 0.5 * copying[i];
    }
    const auto communicator = local_communicator();
    const auto lags = find_lags(run.table("copy_event", "", copying), {}, *communicator, {});
    ASSERT_TRUE(lags);
    EXPECT_TRUE(lags->empty()) << seed;
  }
}

TEST(LaggedRows, ATemperatureThatFollowsTheDurationsHasAnOpenDirection) {
  LaggedLaunches run(6);
  const auto slow = run.phases(40);
  std::vector<double> follows(slow.size()), acts(slow.size());
  double heat = 0;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    run.duration[i] *= 1 + 0.2 * slow[i];
    follows[i] = 60 + 10 * heat + 0.2 * normal(run.random);
    acts[i] = 60 + 4 * slow[i] + 0.2 * normal(run.random);
    heat += 0.1 * (slow[i] - heat);
  }
  const auto answer = test::run(run.table("mean_temperature", "C", follows), test::few_resamples());
  const auto* found = contribution_of(answer, "mean_temperature");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->role, Role::associated);
  EXPECT_TRUE(found->undirected);
  EXPECT_NE(warning_of(answer, "lag").find("it may be an effect of their durations"), std::string::npos);
  const auto other = test::run(run.table("mean_temperature", "C", acts), test::few_resamples());
  ASSERT_NE(contribution_of(other, "mean_temperature"), nullptr);
  EXPECT_EQ(contribution_of(other, "mean_temperature")->role, Role::cause);
  EXPECT_EQ(warning_of(other, "lag"), "");
}

TEST(LaggedRows, AClockThatIsRecordedLateIsShiftedBack) {
  LaggedLaunches run(2);
  const auto low = run.phases(40);
  std::vector<double> recorded(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    run.duration[i] *= low[i] != 0 ? 1.3 : 1;
    recorded[i] = (low[i < 7 ? 0 : i - 7] != 0 ? 1'300 : 1'700) + 3 * normal(run.random);
  }
  const auto rows = run.table("mean_sm_clock", "MHz", recorded);
  const auto communicator = local_communicator();
  const auto lags = find_lags(rows, {}, *communicator, {});
  ASSERT_TRUE(lags);
  ASSERT_EQ(lags->size(), 1u);
  EXPECT_EQ(lags->front().feature, 0u);
  EXPECT_EQ(lags->front().rows, -7);
  const LaggedRows shifted(rows, *lags);
  RowBlock own, other;
  ASSERT_TRUE(shifted.read(100, 200, own));
  ASSERT_TRUE(rows.read(107, 200, other));
  EXPECT_EQ(own.values.col(0), other.values.col(0));
  ASSERT_TRUE(rows.read(100, 200, other));
  EXPECT_EQ(own.values.col(1), other.values.col(1));
  // Rows beyond the end have the value of the last row.
  ASSERT_TRUE(shifted.read(rows.rows() - 3, 3, own));
  EXPECT_EQ(own.values(0, 0), recorded.back());
  EXPECT_EQ(warning_of(test::run(rows, test::few_resamples()), "lag"),
            "The SM clock is recorded about 7 launches late: each launch is compared with the value recorded "
            "7 launches "
            "after it.");
}

TEST(LaggedRows, WithoutALagNothingIsShifted) {
  for (std::uint64_t seed = 10; seed < 20; ++seed) {
    LaggedLaunches run(seed);
    const auto low = run.phases(40), hidden = run.phases(200);
    std::vector<double> recorded(low.size());
    for (std::size_t i = 0; i < low.size(); ++i) {
      run.duration[i] *= (low[i] != 0 ? 1.3 : 1) * (1 + 0.1 * hidden[i]);
      recorded[i] = (low[i] != 0 ? 1'300 : 1'700) + 3 * normal(run.random);
    }
    const auto communicator = local_communicator();
    const auto lags = find_lags(run.table("mean_sm_clock", "MHz", recorded), {}, *communicator, {});
    ASSERT_TRUE(lags);
    EXPECT_TRUE(lags->empty()) << seed;
  }
}

TEST(LaggedRows, ColumnsThatTheUserNamesKeepTheirRows) {
  LaggedLaunches run(1);
  std::vector<double> flush(run.duration.size());
  for (double& f : flush) f = run.random.uniform() < 0.06;
  for (std::size_t i = 3; i < flush.size(); ++i) run.duration[i] *= 1 + 0.6 * flush[i - 3];
  Options options;
  options.interventions = {{"checkpoint_event", 0}};
  const auto communicator = local_communicator();
  const auto lags = find_lags(run.table("checkpoint_event", "", flush), options, *communicator, {});
  ASSERT_TRUE(lags);
  EXPECT_TRUE(lags->empty());
}

/// Copies mostly occur in a phase in which launches take 25 % longer; a copy lengthens a launch by the
/// fraction `slower`.
LaunchTable copies_in_a_phase(std::uint64_t seed, double slower) {
  LaggedLaunches run(seed);
  const auto phase = run.phases(80);
  std::vector<double> bytes(phase.size());
  for (std::size_t i = 0; i < phase.size(); ++i) {
    const bool affected = run.random.uniform() < (phase[i] != 0 ? 0.35 : 0.01);
    run.duration[i] *= (1 + 0.25 * phase[i]) * (1 + (affected ? slower : 0));
    bytes[i] = affected ? 1e6 * std::exp(0.5 * normal(run.random)) : 0;
  }
  return run.table("overlap_host_to_device_bytes", "B", bytes);
}

/// Σ |d − median of the configuration|.
double variability(const LaunchTable& rows) {
  double sum = 0;
  for (std::uint32_t g = 0; g < 3; ++g) {
    std::vector<double> d;
    for (std::size_t i = 0; i < rows.group.size(); ++i)
      if (rows.group[i] == g) d.push_back(rows.duration_ns[i]);
    const double middle = median_of(d);
    for (const double v : d) sum += std::fabs(v - middle);
  }
  return sum;
}

TEST(HiddenPhases, AnEventThatOnlyFallsIntoAPhaseIsNotACause) {
  for (std::uint64_t seed = 30; seed < 36; ++seed)
    for (const auto& c : test::run(copies_in_a_phase(seed, 0), test::few_resamples()).contributions)
      EXPECT_NE(c.role, Role::cause) << seed << " " << c.feature;
}

TEST(HiddenPhases, AnEventThatActsInAPhaseHasItsOwnPart) {
  for (std::uint64_t seed = 40; seed < 44; ++seed) {
    const auto answer = test::run(copies_in_a_phase(seed, 0.8), test::few_resamples());
    const auto* cause = contribution_of(answer, "overlap_host_to_device_bytes");
    ASSERT_NE(cause, nullptr) << seed;
    EXPECT_EQ(cause->role, Role::cause) << seed;
    const double part =
        1 - variability(copies_in_a_phase(seed, 0)) / variability(copies_in_a_phase(seed, 0.8));
    EXPECT_NEAR(cause->attributable_percent.value_or(0), 100 * part, 3) << seed;
  }
}

/// Steps of six launches; the last one of a configuration that occurs three times does more work.
struct Steps {
  explicit Steps(std::uint64_t seed, int n = 3'600) : random(seed) {
    constexpr std::array<std::uint32_t, 6> kStep = {0, 1, 2, 1, 0, 1};
    for (int i = 0; i < n; ++i) {
      group.push_back(kStep[static_cast<std::size_t>(i % 6)]);
      duration.push_back((i % 6 == 5 ? 1.4 : 1) * 40e3 * (1 + group.back()) *
                         std::exp(0.03 * normal(random)));
    }
  }
  LaunchTable table(const std::string& name, const std::string& unit,
                    const std::vector<double>& values) const {
    LaunchTable rows;
    rows.group = group, rows.duration_ns = duration;
    rows.kernel_of_group = {0, 1, 2}, rows.kernel_names = {"a", "b", "c"};
    rows.add({name, unit, -1, {}, {}, {}, {}}, values);
    return rows;
  }
  Random random;
  std::vector<std::uint32_t> group;
  std::vector<double> duration;
};

TEST(LaggedRows, AnEventBeforeASlowPlaceOfTheProgramIsNotACause) {
  for (std::uint64_t seed = 50; seed < 54; ++seed) {
    Steps steps(seed);
    std::vector<double> copies;
    for (std::size_t i = 0; i < steps.duration.size(); ++i)
      copies.push_back(i % 6 == 3 && steps.random.uniform() < 0.85);
    const auto communicator = local_communicator();
    const auto lags = find_lags(steps.table("h2d_copies", "", copies), {}, *communicator, {});
    ASSERT_TRUE(lags);
    EXPECT_TRUE(lags->empty()) << seed;
  }
}

/// Launches start at a fixed period: a gap is the rest of the period after the previous launch.
TEST(EarlierWork, AGapOfATimerIsNotACauseOfSlowPhases) {
  for (std::uint64_t seed = 60; seed < 63; ++seed) {
    LaggedLaunches run(seed, 3'000);
    const auto slow = run.phases(12);
    for (std::size_t i = 0; i < slow.size(); ++i)
      run.group[i] = static_cast<std::uint32_t>(i % 3),
      run.duration[i] =
          20e3 * std::pow(2.5, run.group[i]) * (1 + 0.5 * slow[i]) * std::exp(0.05 * normal(run.random));
    for (std::size_t i = 1; i < slow.size(); ++i)
      run.gap[i] = std::max(500.0, 250e3 - run.duration[i - 1] + 300 * normal(run.random));
    LaunchTable rows = run.table("mean_temperature", "C", std::vector<double>(slow.size(), 60));
    const auto answer = test::run(rows, test::few_resamples());
    const auto* gap = contribution_of(answer, "gap_ns");
    ASSERT_NE(gap, nullptr) << seed;
    EXPECT_EQ(gap->role, Role::associated) << seed;
    EXPECT_TRUE(gap->of_earlier_work) << seed;
  }
}

/// A gap that does lengthen launches stays a cause.
TEST(EarlierWork, AGapOfItsOwnIsACause) {
  LaggedLaunches run(70, 3'000);
  for (std::size_t i = 0; i < run.gap.size(); ++i) run.duration[i] *= 1 + 0.1 * std::log(run.gap[i] / 1'000);
  const auto answer = test::run(run.table("mean_temperature", "C", std::vector<double>(run.gap.size(), 60)),
                                test::few_resamples());
  const auto* gap = contribution_of(answer, "gap_ns");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->role, Role::cause);
}

/// "iteration" rises by 1 every ten launches, while launches slowly take longer.
TEST(Roles, AColumnThatNumbersTheLaunchesIsNotAFactor) {
  LaggedLaunches run(80, 3'000);
  std::vector<double> iteration;
  for (std::size_t i = 0; i < run.duration.size(); ++i) {
    iteration.push_back(static_cast<double>(i / 10));
    run.duration[i] *= 1 + 0.5 * static_cast<double>(i) / 3'000;
  }
  LaunchTable rows = run.table("iteration", "", iteration);
  for (auto& column : rows.columns) column.of_plain_table = true;
  const auto answer = test::run(rows, test::few_resamples());
  EXPECT_EQ(contribution_of(answer, "iteration"), nullptr);
}

} // namespace
} // namespace jitterscope::causal
