#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/distributions/distribution.h"
#include "core/analysis/distributions/heat_map.h"
#include "tests/support/many_launches.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;
using test::selection;
using test::trace_of;

namespace {

std::int64_t total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::vector<std::int64_t> histogram_of(const std::vector<double>& values, double low, double high) {
  std::vector<std::int64_t> counts(100);
  for (const double value : values) {
    const auto bin = static_cast<int>((value - low) / (high - low) * 100);
    if (bin >= 0 && bin < 100) ++counts[static_cast<std::size_t>(bin)];
  }
  return counts;
}

} // namespace

TEST(Distribution, CountsEveryLaunchOnceAndTheSelectedApart) {
  const OpenSession open({trace_of(1000)});
  for (const bool log : {false, true}) {
    const auto d = distribution(*open.session, *open.columns, selection(open, "stream = 8"),
                                {.bins = 37, .log = log}, *open.communicator, {});
    ASSERT_TRUE(d);
    std::int64_t all = 0, selected = 0;
    for (const auto c : d->all) all += c;
    for (const auto c : d->selected) selected += c;
    EXPECT_EQ(all, 1000);
    EXPECT_EQ(selected, 333);
    EXPECT_EQ(d->statistics.n, 333);
    EXPECT_EQ(d->edges.front(), 1);
    EXPECT_EQ(d->edges.back(), 97);
  }
}

TEST(Distribution, ASingleValueStillHasABin) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 5, 0}, {10, 5, 0}});
  const OpenSession open({data});
  const auto d =
      distribution(*open.session, *open.columns, {}, {.bins = 3, .log = true}, *open.communicator, {});
  ASSERT_TRUE(d);
  std::int64_t all = 0;
  for (const auto c : d->all) all += c;
  EXPECT_EQ(all, 2);
  EXPECT_LT(d->edges.front(), d->edges.back());
}

TEST(Distribution, PercentilesAreThoseOfTheSortedValues) {
  const OpenSession open({trace_of(1000)});
  const auto d = distribution(*open.session, *open.columns, {}, {}, *open.communicator, {});
  ASSERT_TRUE(d);
  auto values = open.columns->read("duration", {0, 0, 1000});
  std::sort(values.begin(), values.end());
  ASSERT_EQ(d->percentiles.size(), std::size(kPercentiles));
  for (std::size_t p = 0; p < d->percentiles.size(); ++p) {
    const double at = kPercentiles[p] / 100 * 999;
    const auto below = static_cast<std::size_t>(at);
    const double exact =
        values[below] + (values[below + 1] - values[below]) * (at - static_cast<double>(below));
    EXPECT_NEAR(d->percentiles[p], exact, 1e-9);
  }
}

TEST(Distribution, TimeOfTheBinsAddsUpToTheDurations) {
  const OpenSession open({trace_of(1000)});
  const auto d = distribution(*open.session, *open.columns, selection(open, "stream = 8"),
                              {.bins = 20, .time = true}, *open.communicator, {});
  ASSERT_TRUE(d);
  std::int64_t all = 0, selected = 0;
  for (int i = 0; i < 1000; ++i) {
    all += 1 + i % 97;
    if (i % 3 == 1) selected += 1 + i % 97;
  }
  EXPECT_EQ(total(d->all_ns), all);
  EXPECT_EQ(total(d->selected_ns), selected);
}

TEST(Distribution, GroupsPartTheSelectedLaunches) {
  const OpenSession open({trace_of(1000)});
  const auto d = distribution(*open.session, *open.columns, selection(open, "duration > 50"),
                              {.group_by = "stream"}, *open.communicator, {});
  ASSERT_TRUE(d);
  ASSERT_EQ(d->groups.size(), 3u);
  std::vector<std::int64_t> sum(d->selected.size());
  for (std::size_t g = 0; g < 3; ++g) {
    EXPECT_FALSE(d->groups[g].rest);
    EXPECT_EQ(total(d->groups[g].counts), d->groups[g].n);
    if (g > 0) {
      EXPECT_GE(d->groups[g - 1].n, d->groups[g].n);
    }
    for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += d->groups[g].counts[b];
  }
  EXPECT_EQ(sum, d->selected);
  std::int64_t time = 0;
  for (const auto& group : d->groups) time += group.sum_ns;
  EXPECT_NEAR(static_cast<double>(time), d->statistics.sum, 1e-6);
}

TEST(Distribution, ManyGroupsLeaveARest) {
  const OpenSession open({trace_of(1000)});
  const auto d =
      distribution(*open.session, *open.columns, {}, {.group_by = "duration"}, *open.communicator, {});
  ASSERT_TRUE(d);
  ASSERT_EQ(d->groups.size(), kMaxGroups + 1);
  EXPECT_TRUE(d->groups.back().rest);
  std::int64_t n = 0;
  for (const auto& group : d->groups) n += group.n;
  EXPECT_EQ(n, 1000);
  EXPECT_FALSE(
      distribution(*open.session, *open.columns, {}, {.group_by = "nothing"}, *open.communicator, {}));
}

TEST(Modes, OnePeakIsOneMode) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(50, 8);
  std::vector<double> values(5000);
  for (auto& value : values) value = normal(random);
  const auto modes = find_modes(histogram_of(values, 0, 100));
  ASSERT_EQ(modes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(modes[0].bin), 50, 6);
  EXPECT_EQ(modes[0].n, 5000);
}

TEST(Modes, TwoSeparatePeaksAreTwoModesWithTheirShares) {
  std::mt19937 random(2);
  std::normal_distribution<double> left(25, 4), right(70, 5);
  std::vector<double> values;
  for (int i = 0; i < 7000; ++i) values.push_back(left(random));
  for (int i = 0; i < 3000; ++i) values.push_back(right(random));
  const auto modes = find_modes(histogram_of(values, 0, 100));
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_NEAR(static_cast<double>(modes[0].n), 7000, 30);
  EXPECT_NEAR(static_cast<double>(modes[1].n), 3000, 30);
}

TEST(Modes, NoiseOfFewValuesIsNotAMode) {
  int several = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(50, 15);
    std::vector<double> values(60);
    for (auto& value : values) value = normal(random);
    several += find_modes(histogram_of(values, 0, 100)).size() > 1;
  }
  EXPECT_LE(several, 20);
  EXPECT_TRUE(find_modes({}).empty());
  EXPECT_TRUE(find_modes(std::vector<std::int64_t>(10)).empty());
}

TEST(Modes, AreAtTheirHighestBar) {
  std::vector<std::int64_t> counts(40); // smoothed, the peak is at bin 12
  counts[9] = 40, counts[10] = 10, counts[11] = 30, counts[12] = 35, counts[13] = 30;
  const auto one = find_modes(counts);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].bin, 9u) << "the highest bar";
  counts[12] = 40;
  EXPECT_EQ(find_modes(counts)[0].bin, 12u) << "of equal bars, the nearest to the peak";
}

TEST(HeatMap, EverySelectedLaunchIsInOneCell) {
  const OpenSession open({trace_of(700), trace_of(300)});
  for (const bool log : {false, true}) {
    const auto map = heat_map(*open.session, *open.columns, selection(open, "duration > 50"),
                              {.columns = 13, .rows = 7, .log = log}, *open.communicator, {});
    ASSERT_TRUE(map);
    std::int64_t expected = 0;
    for (std::size_t t = 0; t < 2; ++t)
      for (const double d : open.columns->read("duration", {t, 0, open.session->traces()[t].launches()}))
        expected += d > 50;
    EXPECT_EQ(map->n, expected);
    EXPECT_EQ(total(map->counts), expected);
    EXPECT_EQ(map->edges.size(), 8u);
  }
}

TEST(HeatMap, AWindowCountsWhatStartsInIt) {
  const OpenSession open({trace_of(100)});
  HeatMapOptions options{.columns = 10, .rows = 4, .log = false};
  options.window = {{100}, {200}};
  const auto map = heat_map(*open.session, *open.columns, {}, options, *open.communicator, {});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->n, 10);
  for (std::size_t column = 0; column < 10; ++column) {
    std::int64_t in_column = 0;
    for (std::size_t row = 0; row < 4; ++row) in_column += map->counts[row * 10 + column];
    EXPECT_EQ(in_column, 1);
  }
  EXPECT_FALSE(heat_map(*open.session, *open.columns, {}, {.columns = 0}, *open.communicator, {}));
  EXPECT_FALSE(heat_map(*open.session, *open.columns, {}, {.column = "name"}, *open.communicator, {}));
}
