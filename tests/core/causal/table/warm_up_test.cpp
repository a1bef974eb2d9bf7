// Runs whose first launches take longer.

#include "core/causal/table/warm_up.h"

#include <cmath>

#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

LaunchTable launches(std::uint64_t seed, std::size_t n, double at_start, double fades_after) {
  Random random(seed);
  LaunchTable rows;
  std::vector<double> gap;
  for (std::size_t i = 0; i < n; ++i) {
    rows.group.push_back(static_cast<std::uint32_t>(random.below(3)));
    const double longer = 1 + at_start * std::exp(-static_cast<double>(i) / fades_after);
    rows.duration_ns.push_back(20e3 * std::pow(2.5, rows.group.back()) * longer *
                               std::exp(0.03 * test::normal(random)));
    gap.push_back(4'000 * std::exp(0.5 * test::normal(random)));
  }
  rows.kernel_of_group = {0, 1, 2}, rows.kernel_names = {"a", "b", "c"};
  rows.add({"gap_ns", "ns", -1, {}, {}, {}, {}}, gap);
  return rows;
}

std::optional<WarmUp> found(const RowSource& rows) {
  const auto communicator = local_communicator();
  auto warm_up = find_warm_up(rows, *communicator, {});
  EXPECT_TRUE(warm_up);
  return warm_up ? *warm_up : std::nullopt;
}

TEST(WarmUp, IsFoundWithItsPartOfTheVariability) {
  const auto rows = launches(1, 4'000, 2.5, 60);
  const auto warm_up = found(rows);
  ASSERT_TRUE(warm_up);
  EXPECT_GT(warm_up->launches, 150);
  EXPECT_LT(warm_up->launches, 300);
  EXPECT_NEAR(warm_up->times, 3.2, 0.3);
  double first = 0, all = 0; // |d − median without a warm-up|
  for (std::size_t i = 0; i < rows.group.size(); ++i) {
    const double away = std::fabs(rows.duration_ns[i] - 20e3 * std::pow(2.5, rows.group[i]));
    all += away, first += static_cast<std::int64_t>(i) < warm_up->launches ? away : 0;
  }
  EXPECT_NEAR(warm_up->percent, 100 * first / all, 3);
  EXPECT_NE(test::warning_of(test::run(rows, test::few_resamples()), "warm-up"), "");
}

TEST(WarmUp, MayTakeAQuarterOfAShortRun) {
  const auto warm_up = found(launches(3, 900, 1.5, 60));
  ASSERT_TRUE(warm_up);
  EXPECT_GT(warm_up->launches, 100);
}

TEST(WarmUp, APhaseAtTheBeginningIsNone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto rows = launches(seed, 2'000, 0, 60);
    for (std::size_t i = 0; i < 400; ++i) rows.duration_ns[i] *= 1.4;
    EXPECT_FALSE(found(rows)) << seed;
  }
}

TEST(WarmUp, RunsWithoutOneHaveNone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_FALSE(found(launches(seed, 4'000, 0, 60))) << seed;
  EXPECT_FALSE(found(launches(1, 300, 2.5, 60))) << "too few launches to know what is typical later";
  EXPECT_FALSE(found(launches(1, 4'000, 2.5, 2'000))) << "a drift over the whole run is not a warm-up";
}

} // namespace
} // namespace jitterscope::causal
