// A user's question about launches whose cause is known: planted in generated tables, or established by
// hand in real traces. No option is set: the engine must find the answer with its defaults.

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/answer/analyse.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/core/causal/answer/nsys_launches.h"
#include "tests/core/causal/answer/planted.h"
#include "tests/support/launch_table.h"
#include "tests/support/real_data.h"

namespace jitterscope::causal {
namespace {

using test::Cause;

CausalResult answer_of(const RowSource& rows, int bootstrap = 200, Knowledge knowledge = {}) {
  Options options;
  options.bootstrap = bootstrap;
  options.knowledge = std::move(knowledge);
  const auto communicator = local_communicator();
  auto result = analyse(rows, options, *communicator);
  EXPECT_TRUE(result) << describe(result.error());
  if (!result) return {};
  for (const auto& c : result->contributions) {
    if (!c.attributable_percent || bootstrap == 0) continue;
    EXPECT_LE(c.attributable_ci_low, *c.attributable_percent) << c.feature;
    EXPECT_GE(c.attributable_ci_high, *c.attributable_percent) << c.feature;
    for (const Setting& setting : c.settings)
      for (const auto& [interval, estimate] : {std::pair(setting.left_interval, setting.left),
                                               {setting.std_interval, setting.std},
                                               {setting.duration_interval, setting.duration_change_ns}}) {
        EXPECT_LE(interval.low, estimate) << c.feature << " at " << setting.value;
        EXPECT_GE(interval.high, estimate) << c.feature << " at " << setting.value;
      }
  }
  return *result;
}

struct Planted {
  Cause cause;
  const char* words; ///< expected words of the first sentence
  double min_percent, max_percent;
};

class PlantedCause : public testing::TestWithParam<Planted> {};

TEST_P(PlantedCause, IsTheFirstOneNamed) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const CausalResult r =
        answer_of(test::planted_launches({.cause = GetParam().cause,
                                          .launches = 3'000,
                                          .seed = seed,
                                          .grids = GetParam().cause == Cause::configuration ? 12 : 4}));
    ASSERT_FALSE(r.contributions.empty());
    const Contribution& first = r.contributions.front();
    EXPECT_EQ(first.role, Role::cause) << first.feature;
    EXPECT_NE(r.sentences.front().find(GetParam().words), std::string::npos) << r.sentences.front();
    EXPECT_NE(r.sentences.front().find("comes from"), std::string::npos) << r.sentences.front();
    EXPECT_GE(*first.attributable_percent, GetParam().min_percent);
    EXPECT_LE(*first.attributable_percent, GetParam().max_percent);
    EXPECT_LE(first.attributable_ci_low, *first.attributable_percent);
    EXPECT_GE(first.attributable_ci_high, *first.attributable_percent);
    for (std::size_t i = 1; i < r.contributions.size(); ++i)
      EXPECT_NE(r.contributions[i].role, Role::cause) << r.contributions[i].feature;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Causes, PlantedCause,
    testing::Values(Planted{Cause::configuration, "grid size", 60, 90},
                    Planted{Cause::copy, "host-to-device copies during the launch", 55, 90},
                    Planted{Cause::migration, "unified-memory migration during the launch", 85, 99},
                    Planted{Cause::rare_migration, "unified-memory migration during the launch", 15, 75},
                    Planted{Cause::clock, "SM clock", 40, 75}, Planted{Cause::stream, "stream 14", 70, 95},
                    Planted{Cause::warm_up, "first launch of its configuration", 50, 95}));

/// Every launch that a migration slows down has a recorded migration and an "eviction", except that one in
/// eight lacks one of the two.
TEST(Twins, EventsOnNearlyTheSameLaunchesAreNamedWithTheCause) {
  LaunchTable rows = test::planted_launches({.cause = Cause::migration, .launches = 3'000, .seed = 3});
  const auto n = static_cast<std::size_t>(rows.values.rows());
  std::vector<double> eviction(n, 0);
  int slow = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    bool migrates = false;
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
      if (rows.columns[c].name == "migration_count")
        migrates = rows.values(row, static_cast<Eigen::Index>(c)) > 0;
    if (!migrates) continue;
    ++slow;
    eviction[i] = slow % 16 == 0 ? 0 : 1;
    if (slow % 16 == 8)
      for (std::size_t c = 0; c < rows.columns.size(); ++c)
        if (rows.columns[c].name.starts_with("migration")) rows.values(row, static_cast<Eigen::Index>(c)) = 0;
  }
  FeatureInfo info;
  info.name = "eviction", info.tier = 2;
  rows.add(std::move(info), eviction);
  const CausalResult r = answer_of(rows);
  ASSERT_GE(r.contributions.size(), 2u);
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  ASSERT_EQ(r.contributions.front().twins.size(), 1u);
  EXPECT_NE(test::text_of(r).find("Nearly the same launches have"), std::string::npos) << r.sentences.front();
  for (std::size_t i = 1; i < r.sentences.size(); ++i)
    EXPECT_EQ(r.sentences[i].find(": eviction ("), std::string::npos) << r.sentences[i];
}

TEST(HeavyTail, IsReportedWhereFewLaunchesHoldHalfOfTheVariability) {
  const auto tail_of = [](const CausalResult& r) {
    const auto found = std::find_if(r.warnings.begin(), r.warnings.end(),
                                    [](const auto& w) { return w.code == "heavy-tail"; });
    return found == r.warnings.end() ? std::string() : found->text;
  };
  EXPECT_EQ(tail_of(answer_of(test::planted_launches({.launches = 2'000, .seed = 4}), 50)), "");
  LaunchTable rows = test::planted_launches({.launches = 2'000, .seed = 4});
  for (std::size_t i = 100; i < 2'000; i += 200) rows.duration_ns[i] = 2e6;
  const std::string reported = tail_of(answer_of(rows, 50));
  EXPECT_TRUE(reported.starts_with("Half of the variability is in 6 of ") ||
              reported.starts_with("Half of the variability is in 5 of "))
      << reported; // 10 launches of 2 ms have nine tenths of the variability
}

TEST(NoCause, IsReportedAsNone) {
  int false_causes = 0;
  constexpr int tables = 120;
  for (int t = 0; t < tables; ++t) {
    const CausalResult r = answer_of(test::planted_launches({.launches = t % 3 == 0   ? 300
                                                                         : t % 3 == 1 ? 1'000
                                                                                      : 2'500,
                                                             .seed = 100 + static_cast<std::uint64_t>(t),
                                                             .kernels = 1 + t % 4,
                                                             .noise = t % 2 ? 0.05 : 0.2}),
                                     100);
    const bool named = std::any_of(r.contributions.begin(), r.contributions.end(),
                                   [](const auto& c) { return c.role == Role::cause; });
    false_causes += named;
    EXPECT_TRUE(named || r.sentences.front().find("Nothing recorded explains") != std::string::npos ||
                r.sentences.front().find("none can be called its cause") != std::string::npos);
  }
  std::printf("false causes: %d of %d tables\n", false_causes, tables);
  EXPECT_LE(false_causes, tables * 5 / 100);
}

/// Ticks of timers make the relative variability of short launches look large.
TEST(NoCause, IsNotMadeByTheTicksOfATimer) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const CausalResult r =
        answer_of(test::planted_launches({.launches = 4'000, .seed = seed, .noise = 0.01, .tick = 32}), 100);
    for (const auto& c : r.contributions) EXPECT_NE(c.role, Role::cause) << r.sentences.front();
  }
}

/// Launches that are long for another reason overlap more copies: a consequence is not a cause.
TEST(NoCause, IsSeenInCopiesThatLongLaunchesMeet) {
  for (const auto& [cause, words] : {std::pair{Cause::none, "Nothing recorded"},
                                     {Cause::stream, "stream 14"},
                                     {Cause::migration, "migration"},
                                     {Cause::warm_up, "first launch"}})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const CausalResult r = answer_of(
          test::planted_launches(
              {.cause = cause, .launches = 4'000, .seed = seed, .tick = 32, .harmless_copies = true}),
          100);
      EXPECT_NE(r.sentences.front().find(words), std::string::npos) << r.sentences.front();
      for (const auto& c : r.contributions)
        EXPECT_FALSE(c.role == Role::cause && c.feature.starts_with("overlap")) << r.sentences.front();
    }
}

/// A real trace and the share of Σ|d − median| due to migrations, computed independently of this program.
struct Trace {
  const char* file;
  std::int64_t launches, with_migration;
  double percent;
};

class RealTrace : public testing::TestWithParam<Trace> {};

TEST_P(RealTrace, NamesItsMigrations) {
  REQUIRE_REAL_DATA(file, std::string("nsys/rtx3090-20runs/") + GetParam().file);
  const CausalResult r = answer_of(test::read_nsys_launches(file));
  EXPECT_EQ(r.n, GetParam().launches);
  ASSERT_FALSE(r.contributions.empty());
  const Contribution& first = r.contributions.front();
  EXPECT_TRUE(first.feature.starts_with("migration")) << first.feature;
  EXPECT_EQ(first.role, Role::cause);
  EXPECT_EQ(first.affected, GetParam().with_migration);
  EXPECT_NEAR(*first.attributable_percent, GetParam().percent, 2.0);
  EXPECT_NE(r.sentences.front().find("comes from unified-memory migration during the launch"),
            std::string::npos)
      << r.sentences.front();
  if (GetParam().percent < 60) {
    EXPECT_NE(r.sentences[1].find("is not explained by anything recorded"), std::string::npos)
        << r.sentences[1];
    // The rest is mainly find_most_negative, whose work depends on its data.
    ASSERT_TRUE(r.rest);
    EXPECT_NEAR(static_cast<double>(r.rest->launches), 160, 8);
    EXPECT_NEAR(r.rest->percent, 75, 3);
    const auto back = decode_result(encode(r));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back).dump(), to_json(r).dump());
  }
}

INSTANTIATE_TEST_SUITE_P(Rtx3090, RealTrace,
                         testing::Values(Trace{"report7.sqlite", 84, 17, 97.7},
                                         Trace{"report8.sqlite", 84, 24, 97.5},
                                         Trace{"report11.sqlite", 6'037, 47, 47},
                                         Trace{"report12.sqlite", 6'432, 24, 33},
                                         Trace{"report14.sqlite", 6'382, 26, 32}));

/// Launches wait longer behind those that a migration slowed down.
TEST(StatedCause, DoesNotTakeTheShareOfTheRealOneWhenItOnlyWaits) {
  REQUIRE_REAL_DATA(file, "nsys/rtx3090-20runs/report11.sqlite");
  Knowledge stated;
  stated.required = {{"queue_delay_ns", "kernel_variability"}};
  const CausalResult r = answer_of(test::read_nsys_launches(file), 200, stated);
  ASSERT_GE(r.contributions.size(), 2u);
  EXPECT_TRUE(r.contributions.front().feature.starts_with("migration")) << r.contributions.front().feature;
  EXPECT_EQ(r.contributions.front().role, Role::cause);
  const auto delay = std::find_if(r.contributions.begin(), r.contributions.end(),
                                  [](const Contribution& c) { return c.feature == "queue_delay_ns"; });
  ASSERT_NE(delay, r.contributions.end());
  EXPECT_EQ(delay->role, Role::associated);
}

TEST(RealTraceWithoutMigrations, DoesNotBlameThem) {
  REQUIRE_REAL_DATA(file, "nsys/rtx3090-20runs/report2.sqlite");
  const CausalResult r = answer_of(test::read_nsys_launches(file));
  for (const auto& c : r.contributions) EXPECT_FALSE(c.feature.starts_with("migration"));
  for (const auto& s : r.sentences) EXPECT_EQ(s.find("migration"), std::string::npos) << s;
}

} // namespace
} // namespace jitterscope::causal
