#include "core/analysis/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/analysis/parallel_cache.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Durations 1 … 97 ns in four configurations on streams 7, 8 and 9; the last launch has a configuration of its own.
store::TraceData trace_of(int rows) {
  auto data = test::empty_trace(3);
  test::add_kernel(data, "a", 5);
  std::vector<test::LaunchRow> launches;
  for (int i = 0; i < rows; ++i) {
    const bool last = i + 1 == rows;
    launches.push_back({i * 10, 1 + i % 97, static_cast<std::uint32_t>(last ? 4 : i % 4), static_cast<std::uint32_t>(2 + (i % 5 == 0 ? 0 : i % 3))});
  }
  test::add_launches(data, launches);
  return data;
}

Selection selection(const OpenSession& open, const std::string& where) {
  Selection s;
  s.filter = std::move(*Filter::parse(where, *open.columns));
  return s;
}

ParallelCounts counted(const OpenSession& open, const Selection& selected, const ParallelOptions& options, ParallelCache* cache = nullptr) {
  auto counts = parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {}, cache);
  EXPECT_TRUE(counts) << describe(counts.error());
  return counts ? *counts : ParallelCounts{};
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

ParallelOptions options_of(std::vector<std::string> axes) {
  ParallelOptions options;
  options.axes = std::move(axes);
  return options;
}

void expect_equal(const ParallelCounts& a, const ParallelCounts& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.selected_rows, b.selected_rows);
  ASSERT_EQ(a.axes.size(), b.axes.size());
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    EXPECT_EQ(a.axes[i].all, b.axes[i].all) << a.axes[i].column;
    EXPECT_EQ(a.axes[i].selected, b.axes[i].selected) << a.axes[i].column;
  }
  for (std::size_t i = 0; i < a.pairs.size(); ++i) {
    EXPECT_EQ(a.pairs[i].all, b.pairs[i].all);
    EXPECT_EQ(a.pairs[i].selected, b.pairs[i].selected);
  }
}

} // namespace

TEST(ParallelScales, MissingValuesStandInACellOfTheirOwn) {
  const OpenSession open({trace_of(401)});
  const auto counts = counted(open, {}, options_of({"duration", "kernel_variability"}));
  EXPECT_EQ(counts.axes[0].missing, 0);
  EXPECT_EQ(counts.axes[1].missing, 1); // a configuration that ran once has none
  EXPECT_EQ(counts.axes[1].all.size(), counts.axes[1].edges.size());
  EXPECT_EQ(counts.axes[1].all.back(), 1);
  EXPECT_EQ(sum(counts.axes[1].all), 401);
  EXPECT_EQ(counts.pairs[0].right_bins, counts.pairs[0].left_bins + 1);
  EXPECT_EQ(sum(counts.pairs[0].all), 401);
}

TEST(ParallelScales, RanksPutTheSameNumberOfRowsInEveryCell) {
  const OpenSession open({trace_of(970)});
  auto options = options_of({"duration"});
  options.bins = 8;
  options.scales["duration"] = AxisScale::rank;
  const auto axis = counted(open, {}, options).axes[0];
  ASSERT_EQ(axis.edges.size(), 9u);
  EXPECT_TRUE(std::is_sorted(axis.edges.begin(), axis.edges.end()));
  for (const auto count : axis.all) EXPECT_NEAR(static_cast<double>(count), 970 / 8.0, 15);
}

TEST(ParallelScales, QuartilesDivideTheAxisInFour) {
  const OpenSession open({trace_of(970)});
  auto options = options_of({"duration"});
  options.bins = 8;
  options.scales["duration"] = AxisScale::quantile;
  const auto axis = counted(open, {}, options).axes[0];
  ASSERT_EQ(axis.all.size(), 8u);
  for (std::size_t quarter = 0; quarter < 4; ++quarter)
    EXPECT_NEAR(static_cast<double>(axis.all[2 * quarter] + axis.all[2 * quarter + 1]), 970 / 4.0, 15);
}

TEST(ParallelScales, CategoriesAreSortedByFrequencyOrTarget) {
  const OpenSession open({trace_of(1000)});
  auto options = options_of({"stream", "duration"});
  options.orders["stream"] = CategoryOrder::frequency;
  const auto counts = counted(open, {}, options);
  const auto& axis = counts.axes[0];
  EXPECT_TRUE(std::is_sorted(axis.all.rbegin(), axis.all.rend()));
  const auto plain = counted(open, {}, options_of({"stream", "duration"}));
  for (std::size_t i = 0; i < axis.categories.size(); ++i) { // the counts went with their names
    const auto at = static_cast<std::size_t>(std::find(plain.axes[0].categories.begin(), plain.axes[0].categories.end(), axis.categories[i]) -
                                             plain.axes[0].categories.begin());
    EXPECT_EQ(axis.all[i], plain.axes[0].all[at]);
    EXPECT_EQ(axis.codes[i], plain.axes[0].codes[at]);
    const auto right = static_cast<std::size_t>(counts.pairs[0].right_bins);
    for (std::size_t r = 0; r < right; ++r) EXPECT_EQ(counts.pairs[0].all[i * right + r], plain.pairs[0].all[at * right + r]);
  }
  options.orders["stream"] = CategoryOrder::target;
  options.target = "duration";
  EXPECT_EQ(sum(counted(open, {}, options).axes[0].all), 1000);
}

TEST(ParallelScales, ClassesOfDisjointFiltersAddUpToTheSelection) {
  const OpenSession open({trace_of(1000)});
  auto options = options_of({"stream", "duration", "grid_x"});
  for (const char* where : {"stream = 7", "stream = 8", "stream = 9"}) options.classes.push_back(selection(open, where));
  const auto counts = counted(open, selection(open, "duration > 50"), options);
  ASSERT_EQ(counts.classes.size(), 3u);
  for (std::size_t p = 0; p < counts.pairs.size(); ++p)
    for (std::size_t cell = 0; cell < counts.pairs[p].selected.size(); ++cell)
      EXPECT_EQ(counts.classes[0].pairs[p][cell] + counts.classes[1].pairs[p][cell] + counts.classes[2].pairs[p][cell],
                counts.pairs[p].selected[cell]);
  options.classes_over_all = true;
  const auto all = counted(open, selection(open, "duration > 50"), options);
  EXPECT_EQ(all.classes[0].rows + all.classes[1].rows + all.classes[2].rows, 1000);
}

TEST(ParallelScales, WhatIsKeptAnswersAsIfItWereCountedAnew) {
  const OpenSession open({trace_of(1000), trace_of(700)});
  ParallelCache cache;
  const auto options = options_of({"stream", "duration", "kernel_variability", "grid_x"});
  const auto where = selection(open, "duration between 20 and 60");
  for (int round = 0; round < 2; ++round) {
    expect_equal(counted(open, {}, options, &cache), counted(open, {}, options));
    expect_equal(counted(open, where, options, &cache), counted(open, where, options));
  }
  // Another order of the axes needs other pairs; other scales, other bins.
  auto turned = options_of({"grid_x", "kernel_variability", "stream", "duration"});
  expect_equal(counted(open, where, turned, &cache), counted(open, where, turned));
  turned.scales["duration"] = AxisScale::rank;
  expect_equal(counted(open, where, turned, &cache), counted(open, where, turned));
}

TEST(ParallelScales, AFirstPictureLooksAtSomeOfTheRows) {
  const OpenSession open({trace_of(300'000)});
  auto options = options_of({"duration", "stream"});
  options.look_at = 1;
  const auto counts = counted(open, {}, options);
  EXPECT_LT(counts.rows, 300'000);
  EXPECT_GT(counts.rows, 0);
  EXPECT_EQ(counts.all_rows, 300'000);
  EXPECT_EQ(sum(counts.pairs[0].all), counts.rows);
}

TEST(ParallelScales, NeighboursThatGoTogetherStandTogether) {
  const OpenSession open({trace_of(2000)});
  // kernel variability is made from the duration, its relative form from it; stream and grid go their own ways.
  const std::vector<std::string> axes = {"duration", "stream", "kernel_variability", "grid_x", "relative_variability"};
  for (const bool mutual : {false, true}) {
    const auto order = related_order(*open.session, *open.columns, axes, {}, mutual, {});
    ASSERT_EQ(order.size(), axes.size());
    const auto place = [&](const char* name) { return std::find(order.begin(), order.end(), name) - order.begin(); };
    EXPECT_EQ(std::abs(place("kernel_variability") - place("relative_variability")), 1);
  }
  EXPECT_EQ(related_order(*open.session, *open.columns, axes, "stream", false, {}).front(), "stream");
}
