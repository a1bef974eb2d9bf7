// What an amount does to durations: its share of the variability, and how sure that is.

#include "core/causal/amount_effect.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/causal/isotonic.h"
#include "tests/core/causal/amounts.h"
#include "tests/core/causal/answers.h"

namespace jitterscope::causal {
namespace {

using test::AmountCause;

TEST(Isotonic, PoolsWhatWouldGoTheWrongWay) {
  EXPECT_EQ(isotonic({1, 3, 2, 5}, {1, 1, 1, 1}, true), (std::vector<double>{1, 2.5, 2.5, 5}));
  EXPECT_EQ(isotonic({1, 3, 2, 5}, {1, 1, 3, 1}, true), (std::vector<double>{1, 2.25, 2.25, 5}));
  EXPECT_EQ(isotonic({5, 1, 3}, {1, 1, 1}, false), (std::vector<double>{5, 2, 2}));
  EXPECT_EQ(isotonic({9, 1, 9, 2}, {0, 1, 0, 1}, true), (std::vector<double>{1, 1, 1, 2}))
      << "what has no weight has no say";
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
  double truth; ///< percent of the variability
  double affected_low, affected_high; ///< of 3,000 launches
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
                    Planted{AmountCause::shift_line, 81, 1'800, 2'900, "ShiftAlongALine"}),
    [](const auto& planted) { return std::string(planted.param.name); });

TEST(AmountShares, DoNotDependOnConfigurations) {
  const CausalResult r =
      test::run(test::amount_launches({.cause = AmountCause::spread_step, .launches = 4'000, .configurations = 5}));
  ASSERT_FALSE(r.contributions.empty());
  EXPECT_LE(r.contributions.front().attributable_ci_low, 37.6);
  EXPECT_GE(r.contributions.front().attributable_ci_high, 37.6);
}

TEST(AmountShares, AreNotMadeOfNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const auto& c : test::run(test::amount_launches({.launches = 600, .seed = seed})).contributions)
      EXPECT_EQ(c.role, Role::associated) << seed;
}

} // namespace
} // namespace jitterscope::causal
