// Columns that follow from the order of the launches: the kernel before, and the number of launches since the
// start of the run.

#include "core/causal/table/derived_rows.h"

#include <cmath>

#include "tests/core/causal/answer/answers.h"
#include "tests/support/launch_table.h"

namespace jitterscope::causal {
namespace {

using test::contribution_of;
using test::normal;

/// Launches of three kernels in random order, with 4 % of noise.
struct Ordered {
  explicit Ordered(std::uint64_t seed) : random(seed) {
    for (std::size_t i = 0; i < 4'000; ++i) {
      group.push_back(static_cast<std::uint32_t>(random.below(3)));
      other.push_back(normal(random)), noise.push_back(normal(random));
    }
  }
  LaunchTable table(const std::vector<double>& factor) const {
    LaunchTable rows;
    std::vector<double> duration;
    for (std::size_t i = 0; i < group.size(); ++i)
      duration.push_back(20e3 * (1 + group[i]) * factor[i] * std::exp(0.04 * noise[i]));
    rows.group = group, rows.duration_ns = duration;
    rows.kernel_of_group = {0, 1, 2}, rows.kernel_names = {"copy", "gemm", "sort"};
    rows.add({"host_load", "", 2, {}, {}, {}, {}}, other);
    return rows;
  }
  bool depends(const std::vector<double>& factor) const {
    const auto found = depends_on_previous_kernel(table(factor), Job());
    EXPECT_TRUE(found);
    return found.value_or(false);
  }

  Random random;
  std::vector<std::uint32_t> group;
  std::vector<double> other, noise;
};

TEST(DerivedRows, TheKernelBeforeIsACause) {
  const Ordered run(1);
  std::vector<double> factor(run.group.size(), 1.0);
  for (std::size_t i = 1; i < factor.size(); ++i) factor[i] = run.group[i - 1] == 2 ? 1.3 : 1;
  const LaunchTable rows = run.table(factor);
  EXPECT_TRUE(run.depends(factor));
  const auto answer = test::run(rows, test::few_resamples());
  const auto* cause = contribution_of(answer, "previous_kernel sort");
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->role, Role::cause);
  double recorded = 0, without = 0; // relative to the medians of launches after another kernel
  for (std::size_t i = 0; i < factor.size(); ++i) {
    const double base = 1.0 + run.group[i], usual = std::exp(0.04 * run.noise[i]);
    recorded += base * std::fabs(factor[i] * usual - 1), without += base * std::fabs(usual - 1);
  }
  EXPECT_NEAR(cause->attributable_percent.value_or(0), 100 * (1 - without / recorded), 4);

  const DerivedRows derived(rows, true, {});
  ASSERT_EQ(derived.features().back().name, kPreviousKernel);
  RowBlock block;
  ASSERT_TRUE(derived.read(10, 5, block));
  for (Eigen::Index r = 0; r < 5; ++r)
    EXPECT_EQ(block.values(r, 1), run.group[static_cast<std::size_t>(9 + r)]);
  EXPECT_EQ(block.group[0], run.group[10]);
  ASSERT_TRUE(derived.read(0, 2, block));
  EXPECT_EQ(block.values(0, 1), run.group[0]);
}

TEST(DerivedRows, WithoutAnEffectOfTheOrderThereIsNoColumn) {
  for (std::uint64_t seed = 10; seed < 30; ++seed) {
    const Ordered run(seed);
    std::vector<double> factor(run.group.size(), 1.0);
    for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = i / 200 % 2 == 0 ? 1.2 : 1; // phases
    EXPECT_FALSE(run.depends(factor)) << seed;
  }
}

TEST(DerivedRows, PhasesWithAnotherMixOfKernelsAreNotTheKernelBefore) {
  for (std::uint64_t seed = 30; seed < 40; ++seed) {
    Ordered run(seed);
    std::vector<double> factor(run.group.size(), 1.0);
    for (std::size_t i = 0; i < factor.size(); ++i) {
      const bool slow = i / 100 % 2 == 0;
      if (slow && run.random.uniform() < 0.7) run.group[i] = 2;
      factor[i] = slow ? 1.3 : 1;
    }
    EXPECT_FALSE(run.depends(factor)) << seed;
  }
}

TEST(DerivedRows, TheAgeOfARunIsTheCauseOfItsWarmUp) {
  const Ordered run(2);
  std::vector<double> factor;
  for (std::size_t i = 0; i < run.group.size(); ++i)
    factor.push_back(1 + 2.5 * std::exp(-static_cast<double>(i) / 60));
  const auto answer = test::run(run.table(factor), test::few_resamples());
  ASSERT_FALSE(answer.contributions.empty());
  EXPECT_EQ(answer.contributions.front().feature, kLaunchAge);
  EXPECT_EQ(answer.contributions.front().role, Role::cause);
  EXPECT_EQ(
      contribution_of(test::run(run.table(std::vector<double>(factor.size(), 1.0)), test::few_resamples()),
                      std::string(kLaunchAge)),
      nullptr);
}

} // namespace
} // namespace jitterscope::causal
