// Which contributions are called causes, and in which direction they act.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/median.h"
#include "core/causal/base/tiers.h"
#include "tests/core/causal/amounts/amounts.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;
using test::small_table;
using test::warning_of;

TEST(Roles, ExclusionsByNameAreReported) {
  LaunchTable rows = small_table(500, 6);
  rows.columns[0].name = "latency", rows.columns[0].tier = -1; // its name implies a late tier
  rows.columns[3].tier = 3;
  EXPECT_NE(warning_of(run(rows), "guessed-tiers").find("latency"), std::string::npos);
  Options options;
  options.knowledge.tiers = {{"latency", 1}};
  EXPECT_EQ(warning_of(run(rows, options), "guessed-tiers"), "");
}

TEST(Roles, EdgesAndContributionsHaveTheSameSign) {
  for (const auto cause : {test::Cause::configuration, test::Cause::clock, test::Cause::stream}) {
    const int grids = cause == test::Cause::configuration ? 12 : 4;
    const CausalResult r =
        run(test::planted_launches({.cause = cause, .launches = 3'000, .seed = 2, .grids = grids}));
    ASSERT_FALSE(r.contributions.empty());
    for (const auto& c : r.contributions)
      for (const auto& e : r.edges)
        EXPECT_TRUE(e.from != c.feature || e.to != r.target || e.sign == c.sign) << c.feature;
  }
}

TEST(Roles, AnAmountWithANonlinearEffectHasNoDirection) {
  // Launches are slow at low and, more so, at high values of the column "place" (0 to 19), so that neither
  // direction is correct.
  Random random(9);
  LaunchTable rows = test::planted_launches({.launches = 4'000, .seed = 7, .noise = 0.02});
  std::vector<double> place(4'000);
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] = static_cast<double>(random.below(20));
    rows.duration_ns[i] = std::round(rows.duration_ns[i] * (1 + 0.004 * (place[i] - 8) * (place[i] - 8)));
  }
  rows.add({"place", "", 2, {}, {}, {}, {}}, place);
  const CausalResult r = run(rows);
  EXPECT_NE(r.sentences.front().find("comes from place: launches are shortest at "), std::string::npos)
      << r.sentences.front();
}

/// A consequence does not replace the cause of the launches.
TEST(Roles, WaitingDoesNotHideTheCause) {
  // The recorded state explains half of the slow launches, an unrecorded one the other half; queues depend on
  // both.
  Random random(5);
  LaunchTable rows;
  std::vector<double> delay, throttled;
  for (int i = 0; i < 4'000; ++i) {
    throttled.push_back(random.uniform() < 0.15 ? 1 : 0);
    const double slow = throttled.back() + (random.uniform() < 0.15 ? 1 : 0);
    delay.push_back(std::exp(8 + 2 * slow + 0.2 * normal(random)));
    rows.duration_ns.push_back(1e4 * std::exp(0.6 * slow + 0.02 * normal(random)));
    rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"queue_delay_ns", "ns", 2, {}, {}, {}, {}}, delay);
  rows.add({"throttled", "", 2, {}, {}, {}, {}}, throttled);
  const CausalResult r = run(rows);
  ASSERT_EQ(r.contributions.size(), 2u);
  EXPECT_EQ(r.contributions[0].feature, "throttled");
  EXPECT_EQ(r.contributions[0].role, Role::cause);
  EXPECT_EQ(r.contributions[1].role, Role::associated);
  EXPECT_GT(*r.contributions[1].attributable_percent, *r.contributions[0].attributable_percent);
}

/// Resamples without the edge count as a share of zero.
TEST(Roles, ACauseHasAnIntervalAboveZero) {
  int open = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed, 3);
    LaunchTable rows;
    std::vector<double> x, y;
    for (int i = 0; i < 70; ++i) x.push_back(normal(random)), y.push_back(0.45 * x.back() + normal(random));
    rows.add({"x", "", 2, {}, {}, {}, {}}, x), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
    rows.target = "y";
    for (const auto& c : run(rows).contributions) {
      EXPECT_TRUE(c.role != Role::cause || c.ci_low > 0) << seed;
      open += c.percent >= 10 && c.stability >= 0.8 && c.ci_low == 0;
    }
  }
  EXPECT_GT(open, 0); // there are tables on which only the interval decides
}

TEST(Roles, WaitingInAQueueIsNotCalledACause) {
  // A slow state of the device lengthens launches and, with them, the queue of the launches after them.
  Random random(21);
  LaunchTable rows;
  std::vector<double> delay;
  double state = 0;
  for (int i = 0; i < 3'000; ++i) {
    state = 0.5 * state + normal(random);
    delay.push_back(std::exp(8 + state));
    rows.duration_ns.push_back(1e4 * std::exp(0.2 * state + 0.02 * normal(random)));
    rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"queue_delay_ns", "ns", 2, {}, {}, {}, {}}, delay);
  const CausalResult r = run(rows);
  ASSERT_EQ(r.contributions.size(), 1u);
  EXPECT_EQ(r.contributions.front().role, Role::associated);
  EXPECT_GT(*r.contributions.front().attributable_percent, 10);
  EXPECT_NE(r.sentences.front().find("Nothing recorded"), std::string::npos);
}

/// True if a sentence contains these words.
bool says(const CausalResult& r, const std::string& words) {
  return std::any_of(r.sentences.begin(), r.sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

TEST(Roles, RowsThatWereSelectedByTheTargetHaveNoCause) {
  const auto rows = test::planted_launches({.cause = test::Cause::migration, .seed = 3});
  Options options;
  EXPECT_EQ(run(rows, options).contributions.front().role, Role::cause);
  options.selected_by = {"kernel_variability"};
  const CausalResult r = run(rows, options);
  for (const auto& c : r.contributions) EXPECT_EQ(c.role, Role::associated) << c.feature;
  EXPECT_NE(warning_of(r, "selected-by-outcome").find("nothing is called a cause"), std::string::npos);
  EXPECT_TRUE(says(r, "selected by the target itself"));
  options.selected_by = {"duration"}; // the most frequent selection of kernels
  const CausalResult by_duration = run(rows, options);
  EXPECT_EQ(by_duration.contributions.front().role, Role::cause);
  EXPECT_NE(warning_of(by_duration, "selected-by-outcome"), "");
}

TEST(Roles, AnEventOfTwoLaunchesIsReportedButNotACause) {
  LaunchTable rows =
      test::planted_launches({.launches = 400, .seed = 8, .kernels = 1, .grids = 1, .noise = 0.02});
  std::vector<double> happened(400, 0);
  for (const std::size_t i : {100u, 300u}) happened[i] = 1, rows.duration_ns[i] *= 50;
  rows.add({"migration_event", "", 2, FeatureRole::event, {}, {}, {}}, happened);
  const CausalResult r = run(rows);
  for (const auto& c : r.contributions) EXPECT_EQ(c.role, Role::associated) << c.feature;
  EXPECT_FALSE(says(r, "Nothing recorded explains"));
  EXPECT_TRUE(says(r, "only 2 launches have it, too few to call it a cause"));
  for (const auto& c : r.contributions) {
    EXPECT_LE(c.ci_high, 100);
    EXPECT_LE(c.attributable_ci_high, 100);
  }
}

TEST(Roles, RemovingAnEventRemovesItsShare) {
  const auto rows = test::planted_launches({.cause = test::Cause::migration, .seed = 3});
  const CausalResult r = run(rows);
  const auto found = std::find_if(r.contributions.begin(), r.contributions.end(),
                                  [](const auto& c) { return c.role == Role::cause && c.event; });
  ASSERT_NE(found, r.contributions.end());
  const auto without = intervene(r, found->feature, 0);
  ASSERT_TRUE(without);
  EXPECT_DOUBLE_EQ(without->mean_after, r.variability_mean * (1 - *found->attributable_percent / 100));
  EXPECT_LE(without->ci_low, without->mean_after);
  EXPECT_GE(without->ci_high, without->mean_after);
  // No launch deviates by less than zero, however far the line is extrapolated.
  const auto c = counterfactual(r, found->feature, r.find(found->feature)->maximum, 0, 1);
  ASSERT_TRUE(c);
  EXPECT_TRUE(c->impossible);
  EXPECT_EQ(c->target_after, 0);
  EXPECT_GE(c->ci_low, 0);
}

// Both the time and the number of the operations that a launch waited for have an effect.
TEST(Roles, TwoAmountsOfOneThingAreDistinguished) {
  Random random(8, 1);
  LaunchTable rows;
  std::vector<double> time, number;
  for (int i = 0; i < 3'000; ++i) {
    number.push_back(static_cast<double>(random.below(6))), time.push_back(1e3 * test::open_uniform(random));
    rows.duration_ns.push_back(20e3 *
                               (1 + 0.05 * number.back() + 2e-4 * time.back() + 0.01 * normal(random)));
    rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"linked_transfer_ns", "ns", 2, {}, {}, {}, {}}, time),
      rows.add({"linked_transfer_count", "", 2, {}, {}, {}, {}}, number);
  std::set<std::string> labels;
  for (const auto& c : run(rows).contributions) labels.insert(c.label);
  EXPECT_EQ(labels, (std::set<std::string>{"memory operations since the previous launch (number)",
                                           "memory operations since the previous launch (time)"}));
}

// The longest launches have no value of the gap.
TEST(Roles, RowsLeftOutStateTheirShareOfTheVariability) {
  Random random(9, 1);
  LaunchTable rows;
  std::vector<double> gap;
  for (int i = 0; i < 2'000; ++i) {
    const double known = 1e3 * test::open_uniform(random);
    const bool lost = i % 40 == 7;
    gap.push_back(lost ? kMissing : known), rows.group.push_back(0);
    rows.duration_ns.push_back(20e3 + known + 300 * normal(random) + (lost ? 9e3 : 0));
  }
  rows.kernel_of_group = {0};
  rows.add({"gap_ns", "ns", 2, {}, {}, {}, {}}, gap);
  std::vector<double> sorted = rows.duration_ns;
  const double typical = median_of(sorted);
  double all = 0, held = 0;
  for (std::size_t i = 0; i < gap.size(); ++i) {
    const double away = std::fabs(rows.duration_ns[i] - typical);
    all += away, held += std::isnan(gap[i]) ? away : 0;
  }
  const auto reported = warning_of(run(rows), "rows-left-out");
  EXPECT_NE(reported.find(fmt::format("They account for {:.0f} % of the variability", 100 * held / all)),
            std::string::npos)
      << reported;
}

TEST(Roles, APlaceInTheProgramRepresentsTheWorkDoneThere) {
  Random random(10, 1);
  LaunchTable rows;
  std::vector<double> place;
  for (int i = 0; i < 2'000; ++i) {
    place.push_back(i % 8);
    rows.duration_ns.push_back(20e3 + 400 * place.back() + 200 * normal(random)), rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"burst_position", "", 2, {}, {}, {}, {}}, place);
  const CausalResult r = run(rows);
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  EXPECT_NE(warning_of(r, "place-in-program").find("position in a series of launches is a position"),
            std::string::npos);
  rows.columns.front().name = "gap_ns";
  EXPECT_EQ(warning_of(run(rows), "place-in-program"), "");
}

/// In most rows y falls with x; one in a hundred is an outlier that reverses the slope in units.
TEST(Roles, ADirectionReversedByFewOutliersIsNotACause) {
  for (const bool far : {false, true}) {
    Random random(11, 1);
    std::vector<double> x, y;
    for (int i = 0; i < 2'000; ++i) {
      const bool out = far && i % 100 == 50;
      x.push_back(out ? 40 + 10 * random.uniform() : normal(random));
      y.push_back((out ? x.back() : -x.back()) + 0.5 * normal(random));
    }
    LaunchTable rows;
    rows.target = "y";
    rows.add({"x", "", 1, {}, {}, {}, {}}, x), rows.add({"y", "", 5, {}, {}, {}, {}}, y);
    const CausalResult r = run(rows, test::few_resamples());
    ASSERT_EQ(r.contributions.size(), 1u);
    EXPECT_EQ(r.contributions.front().sign, far ? 0 : -1);
    EXPECT_EQ(r.contributions.front().role, far ? Role::associated : Role::cause);
  }
}

TEST(Roles, AMethodThatWouldTakeTooLongGivesNoOpinion) {
  // The levels of a text column are all related to each other: PC-stable tests every subset of them.
  Random random(11);
  LaunchTable rows = small_table(12'000, 11);
  FeatureInfo text;
  text.name = "variant", text.role = FeatureRole::category, text.tier = 2;
  std::vector<double> codes;
  for (int level = 0; level < 30; ++level) text.labels.push_back("v" + std::to_string(level));
  for (int i = 0; i < 12'000; ++i) codes.push_back(static_cast<double>(random.below(30)));
  rows.add(std::move(text), codes);
  rows.target = "y";
  const CausalResult r = run(rows);
  EXPECT_NE(warning_of(r, "methods-left-out").find("PC-stable"), std::string::npos);
  EXPECT_EQ(std::count(r.other_methods.begin(), r.other_methods.end(), "pc"), 0);
}

/// Launches whose duration depends on no recorded column, and a column (of a plain table if `plain`) computed
/// from their durations.
LaunchTable with_a_consequence(const char* name, bool plain) {
  Random random(31);
  LaunchTable rows;
  std::vector<double> rate;
  for (int i = 0; i < 2'000; ++i) {
    rows.duration_ns.push_back(2e4 * std::exp(0.2 * normal(random))), rows.group.push_back(0);
    rate.push_back(1e6 / rows.duration_ns.back() * std::exp(0.03 * normal(random)));
  }
  rows.kernel_of_group = {0};
  FeatureInfo info;
  info.name = name, info.of_plain_table = plain;
  rows.add(std::move(info), rate);
  return rows;
}

TEST(Roles, AnUninformativeColumnIsAssociatedWithAnOpenDirection) {
  for (const char* name : {"achieved_gbs", "q17", "host_wait"}) {
    const CausalResult r = run(with_a_consequence(name, true));
    ASSERT_EQ(r.contributions.size(), 1u) << name;
    EXPECT_EQ(r.contributions.front().role, Role::associated) << name;
    EXPECT_TRUE(r.contributions.front().undirected) << name;
    EXPECT_GT(r.contributions.front().percent, 80) << name;
    EXPECT_EQ(test::edges_of(r), (test::EdgeSet{{std::min<std::string>("kernel_variability", name),
                                                 std::max<std::string>("kernel_variability", name), false}}))
        << name;
    EXPECT_EQ(r.find(name)->tier, static_cast<int>(Tier::unknown)) << name;
    EXPECT_TRUE(says(r, "state it as background knowledge")) << name;
    Options options;
    options.knowledge.tiers = {{name, 2}};
    EXPECT_EQ(run(with_a_consequence(name, true), options).contributions.front().role, Role::cause) << name;
  }
  EXPECT_EQ(run(with_a_consequence("batch_size", true)).contributions.front().role, Role::cause);
}

TEST(Roles, ANonlinearCauseIsACauseLikeALinearOne) {
  Random random(13);
  LaunchTable rows = test::planted_launches({.launches = 3'000, .seed = 17, .noise = 0.02});
  std::vector<double> depth;
  for (double& d : rows.duration_ns) {
    depth.push_back(static_cast<double>(random.below(9)));
    d = std::round(d * (1 + 0.02 * (depth.back() - 4) * (depth.back() - 4)));
  }
  rows.add({"prefetch_depth", "", 2, {}, {}, {}, {}}, depth);
  const CausalResult r = run(rows);
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_EQ(r.contributions.front().feature, "prefetch_depth");
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  EXPECT_TRUE(says(r, "comes from prefetch depth: launches are shortest at 4 and longest at "));
}

/// One launch in a hundred takes several times as long for another reason.
TEST(Roles, OutliersDoNotHideTheDirectionOfAClock) {
  int causes = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    LaunchTable rows;
    std::vector<double> clock;
    double mhz = 1'700, left = 0;
    for (int i = 0; i < 3'000; ++i, left -= 1) {
      if (left <= 0) mhz = 3'050 - mhz, left = -45 * std::log(1 - random.uniform());
      rows.group.push_back(static_cast<std::uint32_t>(random.below(3)));
      const double far = random.uniform() < 0.01 ? 2 * std::exp(0.6 * normal(random)) : 0;
      rows.duration_ns.push_back(20e3 * std::pow(2.5, rows.group.back()) * 1'700 / mhz * (1 + far) *
                                 std::exp(0.02 * normal(random)));
      clock.push_back(mhz);
    }
    rows.kernel_of_group = {0, 1, 2}, rows.kernel_names = {"a", "b", "c"};
    rows.add({"mean_sm_clock", "MHz", -1, {}, {}, {}, {}}, clock);
    const CausalResult r = run(rows);
    ASSERT_EQ(r.contributions.size(), 1u) << seed;
    causes += r.contributions.front().role == Role::cause && r.contributions.front().sign == -1;
  }
  EXPECT_EQ(causes, 5);
}

TEST(Roles, MinusOneOfAMonitorIsAMissingValue) {
  Random random(8);
  LaunchTable rows;
  std::vector<double> clock, balance, ms;
  for (int i = 0; i < 1'500; ++i) {
    const double mhz = 1'200 + 250.0 * static_cast<double>(random.below(3));
    ms.push_back(8 * 1'700 / mhz * std::exp(0.03 * normal(random)));
    clock.push_back(random.uniform() < 0.1 ? -1 : mhz);
    balance.push_back(static_cast<double>(random.below(3)) - 1); // −1, 0, 1
  }
  const auto add = [&](const char* name, const std::vector<double>& values) {
    FeatureInfo info;
    info.name = name, info.of_plain_table = true;
    rows.add(std::move(info), values);
  };
  add("sm_clock_mhz", clock), add("balance", balance), add("runtime_ms", ms);
  rows.target = "runtime_ms";
  const CausalResult r = run(rows);
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_EQ(r.contributions.front().feature, "sm_clock_mhz");
  EXPECT_GT(r.contributions.front().percent, 85);
  const auto absent = std::count(clock.begin(), clock.end(), -1.0);
  EXPECT_EQ(r.n, 1'500 - absent); // −1 of the other column is a value
}

TEST(Roles, NumbersOfARecordedDeviceArePlaces) {
  Random random(3, 1);
  LaunchTable rows;
  std::vector<double> device;
  for (int i = 0; i < 2'000; ++i) {
    device.push_back(static_cast<double>(random.below(4))), rows.group.push_back(0);
    rows.duration_ns.push_back(20e3 * (device.back() == 2 ? 1.3 : 1) * std::exp(0.03 * test::normal(random)));
  }
  rows.kernel_of_group = {0};
  FeatureInfo info;
  info.name = "recorded_device", info.of_plain_table = true;
  rows.add(info, device);
  const auto answer = test::run(rows, test::few_resamples());
  const auto* slow = test::contribution_of(answer, "recorded_device 2");
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->role, Role::cause);
}

} // namespace
} // namespace jitterscope::causal
