#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/session/threads.h"
#include "core/analysis/statistics/quantile_search.h"
#include "core/analysis/statistics/statistics.h"

using namespace jitterscope;
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

TEST(Statistics, QuartilesAreThoseOfSortingForEveryShapeOfData) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> lognormal(8, 2);
  std::normal_distribution<double> normal(0, 1e6);
  QuartileFinder quartiles; // reused, as in a run over bins
  for (int trial = 0; trial < 600; ++trial) {
    std::vector<double> values(1 + random() % (trial % 10 == 0 ? 20'000 : 700));
    for (auto& v : values) switch (trial % 8) {
      case 0:
        v = lognormal(random);
        break;
      case 1:
        v = normal(random);
        break;
      case 2:
        v = static_cast<double>(random() % 3);
        break;
      case 3:
        v = random() % 4 ? 0.0 : lognormal(random);
        break;
      case 4:
        v = std::ldexp(1.0 + static_cast<double>(random() % 100), static_cast<int>(random() % 2'000) - 1'000);
        break;
      case 5:
        v = 1e9 + static_cast<double>(random() % 16);
        break;
      case 6:
        v = random() % 500 ? 5.0 : 1e300;
        break;
      default:
        v = -static_cast<double>(random() % 1'000'000) * 1e-7;
        break;
      }
    const auto s = statistics_of(values, quartiles);
    std::sort(values.begin(), values.end());
    SCOPED_TRACE(trial);
    EXPECT_EQ(s.min, values.front());
    EXPECT_EQ(s.max, values.back());
    EXPECT_EQ(s.q1, quantile_of_sorted(values, 0.25));
    EXPECT_EQ(s.median, quantile_of_sorted(values, 0.5));
    EXPECT_EQ(s.q3, quantile_of_sorted(values, 0.75));
    long double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    const long double mean = sum / static_cast<long double>(values.size());
    for (const double v : values) squares += (v - mean) * (v - mean);
    EXPECT_NEAR(s.mean, static_cast<double>(mean), 1e-12 * std::max(std::abs(values.front()), values.back()));
    if (values.size() > 1 && s.max < 1e150 && squares > 0) {
      EXPECT_NEAR(s.variance / static_cast<double>(squares / static_cast<long double>(values.size() - 1)), 1,
                  1e-9);
    }
  }
}

TEST(QuantileSearch, FindsWhatSortingFinds) {
  std::mt19937_64 random(3);
  const auto one = local_communicator();
  const std::vector<double> probabilities = {0.0, 0.25, 0.5, 0.75, 0.99, 1.0};
  for (int trial = 0; trial < 150; ++trial) {
    std::vector<std::vector<double>> groups(1 + random() % 4);
    std::vector<QuantileSearch::Group> known;
    for (auto& values : groups) {
      values.resize(random() % 3 ? random() % 5'000 : random() % 3);
      for (auto& v : values) switch (trial % 5) {
        case 0:
          v = static_cast<double>(random() % 50);
          break;
        case 1:
          v = std::exp(static_cast<double>(random() % 1'000'000) * 1e-5);
          break;
        case 2:
          v = static_cast<double>(random()) - 9e18;
          break;
        case 3:
          v = random() % 100 ? 7.0 : static_cast<double>(random() % 1'000);
          break;
        default:
          v = 1.0 + static_cast<double>(random() % 1'000) * 1e-15;
          break;
        }
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      known.push_back(
          {static_cast<std::int64_t>(values.size()), values.empty() ? 0 : *low, values.empty() ? 0 : *high});
    }
    const bool whole = std::all_of(groups.begin(), groups.end(), [](const auto& values) {
      return std::all_of(values.begin(), values.end(), QuantileSearch::is_integer);
    });
    const auto kind =
        whole && trial % 2 == 0 ? QuantileSearch::Values::Integers : QuantileSearch::Values::Any;
    QuantileSearch search(known, probabilities, 2, kind, trial % 3 == 0 ? QuantileSearch::kMaxCollected : 20);
    int passes = 0;
    for (; search.open() && passes < 40; ++passes) {
      for (std::uint32_t g = 0; g < groups.size(); ++g)
        for (std::size_t i = 0; i < groups[g].size(); ++i) search.add(i % 2, g, groups[g][i]);
      ASSERT_TRUE(search.close_pass(*one, {}));
    }
    EXPECT_LT(passes, 40);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      std::sort(groups[g].begin(), groups[g].end());
      for (std::size_t p = 0; p < probabilities.size(); ++p) {
        const auto expected = quantile_of_sorted(groups[g], probabilities[p]);
        const auto found = search.quantile(g, p);
        EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
            << trial << ' ' << g << ' ' << probabilities[p] << ": " << found << " for " << expected;
      }
    }
  }
}

TEST(QuantileSearch, WholeNumbersNeedNoPassMoreHoweverManyAreEqual) {
  const auto one = local_communicator();
  std::vector<double> values(10'000, -3.0);
  for (std::size_t i = 0; i < 4'000; ++i) values[i] = static_cast<double>(i % 4) * 20'000 - 50'000;
  QuantileSearch search({{10'000, -50'000, 10'000}}, {0.25, 0.5, 0.75}, 1, QuantileSearch::Values::Integers,
                        20);
  int passes = 0;
  for (; search.open(); ++passes) {
    for (const double value : values) search.add(0, 0, value);
    ASSERT_TRUE(search.close_pass(*one, {}));
  }
  EXPECT_EQ(passes, 1);
  EXPECT_EQ(search.quantile(0, 0), -10'000);
  EXPECT_EQ(search.quantile(0, 1), -3);
  EXPECT_EQ(search.quantile(0, 2), -3);
}

TEST(QuantileSearch, KnowsWhichNumbersAreWhole) {
  for (const double whole : {0.0, -0.0, 1.0, -7.0, 4e18, -4e18})
    EXPECT_TRUE(QuantileSearch::is_integer(whole)) << whole;
  for (const double other : {0.5, -1e-300, 5e18, -1e300, double(INFINITY), double(NAN)})
    EXPECT_FALSE(QuantileSearch::is_integer(other)) << other;
}

TEST(OrderedDoubles, KeepTheOrderOfDoubles) {
  const std::vector<double> ascending{-INFINITY, -1e300, -2.5, -1e-300, 0.0, 1e-300, 1.0, 7e12, INFINITY};
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    EXPECT_LT(ordered_integer(ascending[i]), ordered_integer(ascending[i + 1]));
    EXPECT_EQ(from_ordered_integer(ordered_integer(ascending[i])), ascending[i]);
  }
}

TEST(Threads, WhatATaskThrowsArrivesWhereTheLoopWasStarted) {
  EXPECT_THROW(on_threads(1'000, {}, "test",
                          [](std::size_t, std::int64_t task) {
                            if (task == 700) throw std::bad_alloc();
                          }),
               std::bad_alloc);
  std::atomic<std::int64_t> sum = 0;
  EXPECT_TRUE(on_threads(1'000, {}, "test", [&](std::size_t thread, std::int64_t task) {
    EXPECT_LT(thread, threads_of_rank());
    sum += task;
  }));
  EXPECT_EQ(sum, 499'500);
}
