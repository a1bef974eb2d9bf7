// Events that are more frequent where another cause acts.

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/base/median.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;

double variability_of(const std::vector<double>& durations) {
  std::vector<double> sorted = durations;
  const double middle = median_of(sorted);
  return std::accumulate(durations.begin(), durations.end(), 0.0,
                         [&](double sum, double d) { return sum + std::fabs(d - middle); });
}

/// Launches of 20 µs. "migration" adds `added_ns` to some of them, and is ten times as frequent where the
/// other cause acts, which lengthens launches by half.
struct Confounded {
  LaunchTable rows;
  double truth = 0; ///< percent of the variability that vanishes without migrations
  /// Mean and standard deviation of |d − median|, without migrations or with one in every launch.
  double without_ns = 0, std_ns = 0;
};

enum class Other { clock, stream };

Confounded confounded(Other other, double added_ns, std::uint64_t seed) {
  Random random(seed, 31);
  Confounded made;
  std::vector<double> happened, companion, without;
  for (int i = 0; i < 6'000; ++i) {
    const bool slow = random.uniform() < 0.3, migrates = random.uniform() < (slow ? 0.6 : 0.06);
    const double plain = 20e3 * (slow ? 1.5 : 1.0) * std::exp(0.02 * normal(random));
    happened.push_back(migrates), without.push_back(plain);
    companion.push_back(other == Other::stream ? static_cast<double>(slow)
                                               : (slow ? 900 : 1'400) + 20 * random.uniform());
    made.rows.duration_ns.push_back(plain + (migrates ? added_ns : 0));
    made.rows.group.push_back(0);
  }
  made.rows.kernel_of_group = {0};
  made.rows.add({"migration", "", 2, FeatureRole::event, {}, {}, {}}, happened);
  if (other == Other::stream)
    made.rows.add({"stream_10", "", 0, FeatureRole::event, {}, {}, {}}, companion);
  else
    made.rows.add({"mean_clock", "MHz", 2, {}, {}, {}, {}}, companion);
  made.without_ns = variability_of(without) / static_cast<double>(without.size());
  std::vector<double> sorted = without;
  const double middle = median_of(sorted);
  for (const double d : without)
    made.std_ns += (d - middle) * (d - middle) / static_cast<double>(without.size());
  made.std_ns = std::sqrt(made.std_ns - made.without_ns * made.without_ns);
  made.truth = 100 * (1 - variability_of(without) / variability_of(made.rows.duration_ns));
  return made;
}

class ConfoundedEvents : public testing::TestWithParam<Other> {};

TEST_P(ConfoundedEvents, HaveTheShareThatVanishesWithoutThem) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Confounded made = confounded(GetParam(), 6e3, seed);
    const CausalResult r = run(made.rows);
    const auto event = std::find_if(r.contributions.begin(), r.contributions.end(),
                                    [](const auto& c) { return c.feature == "migration"; });
    ASSERT_NE(event, r.contributions.end());
    EXPECT_NEAR(event->attributable_percent.value_or(0), made.truth, 4) << seed;
    EXPECT_LE(event->attributable_ci_low, made.truth) << seed;
    EXPECT_GE(event->attributable_ci_high, made.truth) << seed;
    EXPECT_NEAR(event->mean_extra_ns, 6e3, 300) << seed;
    double part = 0;
    for (Eigen::Index i = 0; i < made.rows.values.rows(); ++i)
      part += made.rows.values(i, 0) / static_cast<double>(made.rows.values.rows());
    for (const double value : {0.0, 1.0}) {
      const auto set = intervene(r, "migration", value);
      ASSERT_TRUE(set);
      EXPECT_TRUE(set->around_median);
      EXPECT_NEAR(set->mean_before, variability_of(made.rows.duration_ns) / 6'000, 1);
      EXPECT_NEAR(set->mean_after, made.without_ns, 0.05 * made.without_ns) << value;
      EXPECT_LE(set->ci_low, set->mean_after);
      EXPECT_GE(set->ci_high, set->mean_after);
      ASSERT_TRUE(set->duration_change_ns);
      EXPECT_NEAR(*set->duration_change_ns, 6e3 * (value - part), 150) << value;
      EXPECT_NEAR(set->std_after, made.std_ns, 0.1 * made.std_ns) << value;
      EXPECT_LT(set->std_ci.low, set->std_after);
      EXPECT_GT(set->std_ci.high, set->std_after);
    }
    const auto moved = counterfactual(r, "migration", 1, 0, 9e3, LaunchTime{29e3, 20e3});
    ASSERT_TRUE(moved && moved->duration_after);
    EXPECT_NEAR(*moved->duration_after, 23e3, 700);
  }
}

// A clock that lengthens launches has most of the variability in both readings, within and pooled.
TEST(AmountsOfThePooledReading, HaveTheirShare) {
  const Confounded made = confounded(Other::clock, 6e3, 5);
  const auto share = [&](Reading reading) {
    Options options = test::few_resamples();
    options.reading = reading;
    const CausalResult r = run(made.rows, options);
    const auto clock = std::find_if(r.contributions.begin(), r.contributions.end(),
                                    [](const auto& c) { return c.feature == "mean_clock"; });
    return clock == r.contributions.end() ? 0.0 : clock->attributable_percent.value_or(0);
  };
  EXPECT_GT(share(Reading::within), 60);
  EXPECT_GT(share(Reading::pooled), 60);
}

TEST_P(ConfoundedEvents, AreNotCausesWhereTheyAddNothing) {
  for (const std::uint64_t seed : {1, 2, 3, 4})
    for (const auto& c : run(confounded(GetParam(), 0, seed).rows).contributions)
      EXPECT_FALSE(c.feature == "migration" && c.role == Role::cause) << seed;
}

INSTANTIATE_TEST_SUITE_P(Combined, ConfoundedEvents, testing::Values(Other::clock, Other::stream),
                         [](const auto& tested) {
                           return tested.param == Other::clock ? "Clock" : "Stream";
                         });

/// Launches at low clocks are few and vary much more: the uncertainty of their durations without the event
/// is decisive.
TEST(Events, OfAClassCarryTheUncertaintyOfItsOtherLaunches) {
  constexpr int kSeeds = 40;
  double sum = 0, squares = 0, width = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed, 33);
    LaunchTable rows;
    std::vector<double> happened, clock;
    for (int i = 0; i < 600; ++i) {
      const bool slow = random.uniform() < 0.2, migrates = random.uniform() < (slow ? 0.8 : 0.02);
      const double plain = slow ? 30e3 - 10e3 * std::log(1 - random.uniform()) : 20e3 + 200 * normal(random);
      happened.push_back(migrates), clock.push_back((slow ? 900 : 1'400) + 20 * random.uniform());
      rows.duration_ns.push_back(plain + (migrates ? 20e3 : 0)), rows.group.push_back(0);
    }
    rows.kernel_of_group = {0};
    rows.add({"migration", "", 2, FeatureRole::event, {}, {}, {}}, happened),
        rows.add({"mean_clock", "MHz", 2, {}, {}, {}, {}}, clock);
    Options options;
    options.nonlinear = false, options.bootstrap = 100;
    options.knowledge.required = {{"migration", "kernel_variability"}, {"mean_clock", "kernel_variability"}};
    const CausalResult r = run(rows, options);
    const auto event = std::find_if(r.contributions.begin(), r.contributions.end(),
                                    [](const auto& c) { return c.feature == "migration"; });
    ASSERT_NE(event, r.contributions.end());
    const double share = event->attributable_percent.value_or(0);
    sum += share, squares += share * share, width += event->attributable_ci_high - event->attributable_ci_low;
  }
  const double expected = 2 * 1.96 * std::sqrt(squares / kSeeds - sum / kSeeds * sum / kSeeds);
  EXPECT_NEAR(width / kSeeds / expected, 1, 0.35) << width / kSeeds << " " << expected << " " << sum / kSeeds;
}

/// A clock that moves three kernels of different length, and an event of a later tier that adds 5 µs to one
/// launch in twenty.
TEST(Amounts, AreJudgedTogetherWithLaterEvents) {
  constexpr int kSeeds = 6;
  double beyond = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed, 32);
    LaunchTable rows;
    std::vector<double> clock, throttled;
    std::vector<std::vector<double>> with(3), without(3);
    rows.kernel_of_group = {0, 1, 2};
    for (std::uint32_t i = 0; i < 3'000; ++i) {
      const std::uint32_t g = i % 3;
      const double typical = std::vector{8e3, 20e3, 60e3}[g], mhz = 1'500 + 40 * normal(random);
      const bool hit = random.uniform() < 0.05;
      const double more = 150 * normal(random) + (hit ? 5e3 : 0);
      clock.push_back(mhz), throttled.push_back(hit ? 1 : 0);
      with[g].push_back(typical * 1'500 / mhz + more), without[g].push_back(typical + more);
      rows.duration_ns.push_back(with[g].back()), rows.group.push_back(g);
    }
    rows.add({"sm_clock", "MHz", 2, {}, {}, {}, {}}, clock),
        rows.add({"throttled", "", 3, {}, {}, {}, {}}, throttled);
    double all = 0, left = 0;
    for (std::uint32_t g = 0; g < 3; ++g) all += variability_of(with[g]), left += variability_of(without[g]);
    const double truth = 100 * (1 - left / all);
    const CausalResult r = run(rows);
    const auto found = std::find_if(r.contributions.begin(), r.contributions.end(),
                                    [](const auto& c) { return c.feature == "sm_clock"; });
    ASSERT_NE(found, r.contributions.end());
    EXPECT_EQ(found->role, Role::cause);
    beyond += (found->attributable_percent.value_or(0) - truth) / kSeeds;
  }
  EXPECT_NEAR(beyond, 0, 2);
}

} // namespace
} // namespace jitterscope::causal
