#include "core/base/stratified_sample.h"

#include <gtest/gtest.h>

using jitterscope::stratified_sample;

TEST(StratifiedSample, HasOneItemOfEachPart) {
  for (const std::int64_t items : {1, 7, 100, 4'099, 1'000'000}) {
    const auto sample = stratified_sample(items, 64);
    const auto strata = std::min<std::int64_t>(items, 64);
    ASSERT_EQ(static_cast<std::int64_t>(sample.size()), strata);
    for (std::int64_t k = 0; k < strata; ++k) {
      EXPECT_GE(sample[static_cast<std::size_t>(k)], k * items / strata);
      EXPECT_LT(sample[static_cast<std::size_t>(k)], (k + 1) * items / strata);
    }
    EXPECT_EQ(sample, stratified_sample(items, 64));
  }
  EXPECT_TRUE(stratified_sample(0, 64).empty());
}

// With one item at the same place in each part, periods that divide the parts would give 0 or 1.
TEST(StratifiedSample, RepresentsWhatIsPeriodic) {
  constexpr std::int64_t kItems = 1'000'000, kStrata = 1'000;
  for (const std::int64_t period : {10, 100, 500, 1'000, 2'000, 3'000}) {
    double slow = 0;
    for (const auto item : stratified_sample(kItems, kStrata)) slow += item % period < period / 5;
    EXPECT_NEAR(slow / kStrata, 0.2, 0.05) << "period " << period;
  }
}
