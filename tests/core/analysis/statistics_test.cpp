#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/row_walk.h"
#include "core/analysis/statistics.h"

using namespace jitterscope::analysis;

TEST(Statistics, MatchNumpyOnASmallList) {
  // numpy: np.percentile([7, 1, 3, 10, 4], [25, 50, 75]) = 3, 4, 7; var(ddof=1) = 12.5; mean 5
  std::vector<double> values{7, 1, 3, 10, 4};
  const auto s = statistics_of(values);
  EXPECT_EQ(s.n, 5);
  EXPECT_EQ(s.sum, 25);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 10);
  EXPECT_EQ(s.mean, 5);
  EXPECT_EQ(s.variance, 12.5);
  EXPECT_EQ(s.std, std::sqrt(12.5));
  EXPECT_EQ(s.cv, std::sqrt(12.5) / 5);
  EXPECT_EQ(s.q1, 3);
  EXPECT_EQ(s.median, 4);
  EXPECT_EQ(s.q3, 7);
  EXPECT_EQ(s.iqr, 4);
}

TEST(Statistics, QuartilesInterpolateBetweenOrderStatistics) {
  // numpy: np.percentile([1, 2, 3, 10], [25, 50, 75]) = 1.75, 2.5, 4.75
  std::vector<double> values{10, 3, 2, 1};
  const auto s = statistics_of(values);
  EXPECT_EQ(s.q1, 1.75);
  EXPECT_EQ(s.median, 2.5);
  EXPECT_EQ(s.q3, 4.75);
}

TEST(Statistics, OneValueHasNoSpreadAndNoneHasNothing) {
  std::vector<double> one{42};
  const auto s = statistics_of(one);
  EXPECT_EQ(s.median, 42);
  EXPECT_TRUE(std::isnan(s.variance));
  std::vector<double> none;
  const auto e = statistics_of(none);
  EXPECT_EQ(e.n, 0);
  EXPECT_EQ(e.sum, 0);
  EXPECT_TRUE(std::isnan(e.mean) && std::isnan(e.q1) && std::isnan(e.max));
}

TEST(Statistics, SelectionAndSortingGiveTheSameQuantiles) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> values(1 + random() % 300);
    for (auto& v : values) v = static_cast<double>(random() % 50);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (const double p : {0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0})
      EXPECT_EQ(quantile(values, p), quantile_of_sorted(sorted, p));
  }
}

TEST(OrderedBits, KeepTheOrderOfDoubles) {
  const std::vector<double> ascending{-INFINITY, -1e300, -2.5, -1e-300, 0.0, 1e-300, 1.0, 7e12, INFINITY};
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    EXPECT_LT(ordered_bits(ascending[i]), ordered_bits(ascending[i + 1]));
    EXPECT_EQ(from_ordered_bits(ordered_bits(ascending[i])), ascending[i]);
  }
}
