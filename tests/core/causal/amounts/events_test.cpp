// Events associated with other events; launches with an event for which no comparable launch without it
// exists.

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/median.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::contribution_of;
using test::few_resamples;
using test::normal;
using test::run;

/// Copies precede a tenth of the launches and nearly all of the few first launches, which are long for
/// another reason.
TEST(Events, WithAnEffectOnlyNextToARarerOneAreNotCauses) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed, 17);
    LaunchTable rows;
    std::vector<double> first, copied;
    for (int i = 0; i < 4'000; ++i) {
      const bool is_first = random.uniform() < 0.02;
      first.push_back(is_first),
          copied.push_back(is_first ? random.uniform() < 0.95 : random.uniform() < 0.1),
          rows.group.push_back(0);
      rows.duration_ns.push_back(20e3 * std::exp(0.02 * normal(random)) + (is_first ? 40e3 : 0));
    }
    rows.kernel_of_group = {0};
    rows.add({"first_launch", "", 2, FeatureRole::event, {}, {}, {}}, first);
    rows.add({"copied_before", "", 2, FeatureRole::event, {}, {}, {}}, copied);
    Options options = few_resamples();
    options.knowledge.required = {{"first_launch", "kernel_variability"},
                                  {"copied_before", "kernel_variability"}};
    const CausalResult r = run(rows, options);
    ASSERT_TRUE(contribution_of(r, "copied_before"));
    EXPECT_LT(contribution_of(r, "copied_before")->rest_percent, 10) << seed;
    EXPECT_EQ(contribution_of(r, "copied_before")->role, Role::associated) << seed;
    EXPECT_EQ(contribution_of(r, "first_launch")->role, Role::cause) << seed;
  }
}

/// An eviction happens to a tenth of the launches and adds `own` ns. Nearly all resets have one. Resets are 1
/// launch in 50 and add 40 µs, or 2 consecutive launches (`one_stretch`) and add 800 µs.
LaunchTable evictions_with_resets(double own, bool one_stretch, std::uint64_t seed) {
  Random random(seed, 18);
  LaunchTable rows;
  std::vector<double> reset, eviction;
  for (int i = 0; i < 4'000; ++i) {
    const bool is_reset = one_stretch ? i >= 2'000 && i < 2'002 : random.uniform() < 0.02;
    reset.push_back(is_reset), eviction.push_back(random.uniform() < (is_reset ? 0.95 : 0.1)),
        rows.group.push_back(0);
    rows.duration_ns.push_back(20e3 * std::exp(0.02 * normal(random)) +
                               (is_reset ? (one_stretch ? 800e3 : 40e3) : 0) + own * eviction.back());
  }
  rows.kernel_of_group = {0};
  rows.add({"reset", "", 2, FeatureRole::event, {}, {}, {}}, reset);
  rows.add({"eviction", "", 2, FeatureRole::event, {}, {}, {}}, eviction);
  return rows;
}

TEST(Events, AreReportedAfterRarerOnesThatHoldMostOfTheirShare) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const CausalResult r = run(evictions_with_resets(3e3, false, seed), few_resamples());
    ASSERT_GE(r.contributions.size(), 2u);
    EXPECT_EQ(r.contributions[0].feature, "reset") << seed;
    EXPECT_EQ(r.contributions[1].feature, "eviction") << seed;
    EXPECT_EQ(r.contributions[0].role, Role::cause) << seed;
    EXPECT_EQ(r.contributions[1].role, Role::cause) << seed;
    EXPECT_NE(r.sentences.front().find("reset"), std::string::npos) << r.sentences.front();
  }
}

double variability(std::vector<double> durations) {
  const double typical = median_of(durations);
  double sum = 0;
  for (const double d : durations) sum += std::fabs(d - typical);
  return sum;
}

/// One launch in a hundred is a first launch. Two thirds of these overlap copies; of the other launches,
/// the fraction `often` does. First launches are long without copies, too: the effect of copies is estimated
/// without first launches, the effect of first launches from all of them.
struct CopiesAndFirst {
  double often, added, first;
};
TEST(Events, AreReportedWithoutRarerOnesThatActAlone) {
  for (const auto& [often, added, first_ns] : {CopiesAndFirst{0.1, 3e3, 60e3}, {0.2, 5e3, 24e3}})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Random random(seed, 21);
      LaunchTable rows;
      std::vector<double> first, copy, without_copies, without_first;
      for (int i = 0; i < 6'000; ++i) {
        const bool is_first = random.uniform() < 0.01;
        first.push_back(is_first), copy.push_back(random.uniform() < (is_first ? 0.67 : often)),
            rows.group.push_back(0);
        const double alone = 20e3 + 300 * normal(random);
        without_copies.push_back(alone + first_ns * first.back()),
            without_first.push_back(alone + added * copy.back());
        rows.duration_ns.push_back(without_copies.back() + added * copy.back());
      }
      const double all = variability(rows.duration_ns);
      const double left = variability(without_copies) / all, of_first = 1 - variability(without_first) / all;
      for (int i = 0; i < 3; ++i) // first launches of a configuration without other launches
        first.push_back(1), copy.push_back(0), rows.group.push_back(1), rows.duration_ns.push_back(80e3);
      rows.kernel_of_group = {0, 0};
      rows.add({"first_launch", "", 2, FeatureRole::event, {}, {}, {}}, first);
      rows.add({"copy", "", 2, FeatureRole::event, {}, {}, {}}, copy);
      const CausalResult r = run(rows, few_resamples());
      const auto *c = contribution_of(r, "copy"), *f = contribution_of(r, "first_launch");
      ASSERT_TRUE(c && f) << seed;
      EXPECT_EQ(c->role, Role::cause) << seed;
      EXPECT_EQ(f->role, Role::cause) << seed;
      EXPECT_EQ(c->apart_from, "first_launch") << seed;
      EXPECT_EQ(f->apart_from, "") << seed;
      const auto again = decode_result(encode(r));
      ASSERT_TRUE(again);
      EXPECT_EQ(to_json(*again).dump(), to_json(r).dump());
      EXPECT_NEAR(*c->attributable_percent, 100 * (1 - left), 3) << seed;
      EXPECT_LE(c->attributable_ci_low, 100 * (1 - left)) << seed;
      EXPECT_GE(c->attributable_ci_high, 100 * (1 - left)) << seed;
      EXPECT_NEAR(*f->attributable_percent, 100 * of_first, 8) << seed;
      EXPECT_NEAR(c->mean_extra_ns, added, 0.05 * added) << seed;
      ASSERT_EQ(c->settings.size(), 2u);
      EXPECT_NEAR(100 * c->settings[0].left, 100 - *c->attributable_percent, 1e-6);
      EXPECT_NEAR(100 * c->settings[1].left, 100 * left, 3) << "copies for all move all";
    }
}

/// Memory operations before the launch are frequent with copies during it, and happen with all resets. Copies
/// have an effect; resets are long, but too few to be called a cause. The operations add only 300 ns.
TEST(Events, AssociatedWithSeveralOthersAreNotCauses) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed, 22);
    LaunchTable rows;
    std::vector<double> reset, copy, before;
    for (int i = 0; i < 6'000; ++i) {
      reset.push_back(i == 2'000 || i == 2'001),
          copy.push_back(reset.back() > 0 ? 0 : random.uniform() < 0.15), rows.group.push_back(0);
      before.push_back(reset.back() > 0 || random.uniform() < (copy.back() > 0 ? 0.8 : 0.1));
      rows.duration_ns.push_back(20e3 + 300 * normal(random) + 4e3 * copy.back() + 800e3 * reset.back() +
                                 300 * before.back());
    }
    rows.kernel_of_group = {0};
    rows.add({"reset", "", 2, FeatureRole::event, {}, {}, {}}, reset);
    rows.add({"copy", "", 2, FeatureRole::event, {}, {}, {}}, copy);
    rows.add({"before", "", 2, FeatureRole::event, {}, {}, {}}, before);
    Options options = few_resamples();
    options.knowledge.required = {{"reset", "kernel_variability"}, {"before", "kernel_variability"}};
    const CausalResult r = run(rows, options);
    ASSERT_TRUE(contribution_of(r, "copy") && contribution_of(r, "before")) << seed;
    EXPECT_EQ(contribution_of(r, "copy")->role, Role::cause) << seed;
    EXPECT_EQ(contribution_of(r, "before")->role, Role::associated) << seed;
  }
}

/// The rarer event is not a cause itself, because it happened in only one part of the run.
TEST(Events, DoNotTakeTheShareOfARarerOneThatIsNotACause) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Options options = few_resamples();
    options.knowledge.required = {{"reset", "kernel_variability"}, {"eviction", "kernel_variability"}};
    const CausalResult r = run(evictions_with_resets(400, true, seed), options);
    const auto *reset = contribution_of(r, "reset"), *eviction = contribution_of(r, "eviction");
    ASSERT_TRUE(reset && eviction) << seed;
    EXPECT_GT(*eviction->attributable_percent, 20) << seed;
    EXPECT_EQ(eviction->role, Role::associated) << seed;
  }
}

TEST(Notes, LaunchesThatWaitForRanksThatAreNotOpenAreReported) {
  for (const bool much : {true, false}) {
    Random random(3, 23);
    LaunchTable rows;
    std::vector<double> clock;
    for (std::uint32_t i = 0; i < 2'000; ++i) {
      const std::uint32_t k = i % 4 == 0 ? 1 : 0;
      clock.push_back(normal(random)), rows.group.push_back(k);
      rows.duration_ns.push_back(50e3 + (k == 1 ? 0 : 500) * clock.back() +
                                 (k == 1 ? (much ? 3e3 : 30) : 500) * normal(random));
    }
    rows.kernel_of_group = {0, 1}, rows.kernel_names = {"gemm", "ncclDevKernel_AllReduce"},
    rows.waiting_kernels = {false, true};
    rows.add({"mean_clock", "Hz", 2, {}, {}, {}, {}}, clock);
    const std::string reported = test::warning_of(run(rows, few_resamples()), "ranks-missing");
    EXPECT_EQ(reported.find("is in 500 launches of collectives") != std::string::npos, much) << reported;
  }
}

/// 30 % of the 200 launches of one configuration have a migration, and all 800 launches of another one.
TEST(Events, LaunchesWithoutPeersCarryTheUncertaintyOfTheOthers) {
  constexpr int kSeeds = 40;
  double sum = 0, squares = 0, width = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Random random(seed, 14);
    LaunchTable rows;
    std::vector<double> migration;
    rows.kernel_of_group = {0, 1};
    for (int i = 0; i < 1'000; ++i) {
      const std::uint32_t g = i % 5 == 0 ? 0 : 1;
      const bool hit = g == 1 || random.uniform() < 0.3;
      // In the configuration with launches to compare with, half of the migrations have an effect.
      const bool acts = hit && (g == 1 || random.uniform() < 0.5);
      migration.push_back(hit ? 1 : 0), rows.group.push_back(g);
      rows.duration_ns.push_back(20e3 + 1e3 * normal(random) -
                                 (acts ? 6e3 * std::log(1 - random.uniform()) : 0));
    }
    rows.add({"migration", "", 2, {}, {}, {}, {}}, migration);
    Options options;
    options.nonlinear = false;
    options.knowledge.required = {{"migration", "kernel_variability"}};
    const CausalResult r = run(rows, options);
    const auto* c = contribution_of(r, "migration");
    ASSERT_TRUE(c) << seed;
    sum += *c->attributable_percent, squares += *c->attributable_percent * *c->attributable_percent;
    width += c->attributable_ci_high - c->attributable_ci_low;
  }
  const double expected = 2 * 1.96 * std::sqrt(squares / kSeeds - sum / kSeeds * sum / kSeeds);
  EXPECT_NEAR(width / kSeeds / expected, 1, 0.4) << width / kSeeds << " " << expected;
}

} // namespace
} // namespace jitterscope::causal
