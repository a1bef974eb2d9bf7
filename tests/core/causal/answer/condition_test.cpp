// A cause that acts only in combination with another feature.

#include "core/causal/answer/sentences.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/causal/statistics/partner.h"
#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::normal;
using test::run;
using test::text_of;
using test::warning_of;

/// Evictions lengthen launches of 20 µs: all launches, or only those with the flag (`only_with_flag`).
LaunchTable evictions(bool only_with_flag, std::uint64_t seed) {
  Random random(seed, 9);
  LaunchTable rows;
  std::vector<double> eviction, flag, idle;
  for (int i = 0; i < 3'000; ++i) {
    eviction.push_back(random.uniform() < 0.2 ? 1 : 0), flag.push_back(random.uniform() < 0.5 ? 1 : 0);
    idle.push_back(random.uniform() < 0.5 ? 1 : 0);
    const bool slow = eviction.back() > 0 && (flag.back() > 0 || !only_with_flag);
    rows.duration_ns.push_back(20e3 * std::exp(0.02 * normal(random)) +
                               (slow ? 8e3 * (1 + random.uniform()) : 0));
    rows.group.push_back(0);
  }
  rows.kernel_of_group = {0};
  rows.add({"eviction", "", 2, {}, {}, {}, {}}, eviction), rows.add({"flag", "", 2, {}, {}, {}, {}}, flag);
  rows.add({"idle", "", 2, {}, {}, {}, {}}, idle);
  return rows;
}

TEST(Conditions, OfACauseAreReportedAndCounted) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const LaunchTable rows = evictions(true, seed);
    const CausalResult r = run(rows);
    ASSERT_FALSE(r.contributions.empty());
    const auto cause = std::find_if(r.contributions.begin(), r.contributions.end(),
                                    [](const auto& c) { return c.feature == "eviction"; });
    ASSERT_NE(cause, r.contributions.end());
    EXPECT_EQ(cause->role, Role::cause);
    ASSERT_TRUE(cause->only_where);
    EXPECT_EQ(cause->only_where->feature, "flag");
    EXPECT_EQ(cause->only_where->value, 1);
    std::int64_t both = 0;
    for (Eigen::Index i = 0; i < rows.values.rows(); ++i)
      both += rows.values(i, 0) > 0 && rows.values(i, 1) > 0;
    EXPECT_EQ(cause->affected, both);
    EXPECT_NEAR(cause->mean_extra_ns, 12e3, 600);
    EXPECT_NE(text_of(r).find("It acts only where flag = 1"), std::string::npos) << r.sentences.front();
    EXPECT_NE(warning_of(r, "interaction").find("flag = 1"), std::string::npos);
    const auto again = decode_result(encode(r));
    ASSERT_TRUE(again);
    EXPECT_EQ(to_json(*again).dump(), to_json(r).dump());
  }
}

TEST(Conditions, AreNotMadeUp) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CausalResult r = run(evictions(false, seed));
    ASSERT_FALSE(r.contributions.empty());
    EXPECT_EQ(r.contributions.front().feature, "eviction");
    for (const auto& c : r.contributions) EXPECT_FALSE(c.only_where) << seed;
    EXPECT_EQ(warning_of(r, "interaction"), "");
  }
}

TEST(Partners, MustLeaveNearlyNothingOfTheEffect) {
  const EffectAtValue strong{100, 1e6, 1.2e10}, nothing{100, 1e3, 1e7}, half{100, 5e5, 3e9}, few{12, 0, 0};
  const auto found = find_partner({{3, strong, half}, {5, nothing, strong}, {6, few, strong}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, 5);
  EXPECT_TRUE(found->high);
  EXPECT_FALSE(find_partner({{3, strong, half}, {6, few, strong}}));
  const EffectAtValue little_of_many{3'000, 3e6,
                                     1e10}; // a tenth per launch, but three times as much in total
  EXPECT_FALSE(find_partner({{3, little_of_many, strong}}));
  const EffectAtValue unsure{40, 0, 40 * 4e8}; // its standard error is a third of the other's mean
  EXPECT_FALSE(find_partner({{3, unsure, strong}}));
}

} // namespace
} // namespace jitterscope::causal
