#include "core/analysis/parallel/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/parallel/parallel_colours.h"
#include "core/analysis/statistics/symmetric_log.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Durations 1 … 97 ns in four configurations on streams 7, 8 and 9; the last launch has a separate
/// configuration.
store::TraceData parallel_trace(int rows) {
  auto data = test::empty_trace(3);
  test::add_kernel(data, "a", 5);
  std::vector<test::LaunchRow> launches;
  for (int i = 0; i < rows; ++i) {
    const bool last = i + 1 == rows;
    launches.push_back({i * 10, 1 + i % 97, static_cast<std::uint32_t>(last ? 4 : i % 4),
                        static_cast<std::uint32_t>(2 + (i % 5 == 0 ? 0 : i % 3))});
  }
  test::add_launches(data, launches);
  return data;
}

Selection parallel_selection(const OpenSession& open, const std::string& where) {
  Selection s;
  s.filter = std::move(*Filter::parse(where, *open.columns));
  return s;
}

ParallelCounts counted(const OpenSession& open, const Selection& selected, const ParallelOptions& options,
                       ParallelCache* cache = nullptr) {
  auto counts =
      parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {}, cache);
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

TEST(ParallelScales, MissingValuesAreInACellOfTheirOwn) {
  const OpenSession open({parallel_trace(401)});
  const auto counts = counted(open, {}, options_of({"duration", "kernel_variability"}));
  EXPECT_EQ(counts.axes[0].missing, 0);
  EXPECT_EQ(counts.axes[1].missing, 1); // a configuration that ran once has no variability
  EXPECT_EQ(counts.axes[1].all.size(), counts.axes[1].edges.size());
  EXPECT_EQ(counts.axes[1].all.back(), 1);
  EXPECT_EQ(sum(counts.axes[1].all), 401);
  EXPECT_EQ(counts.pairs[0].right_bins, counts.pairs[0].left_bins + 1);
  EXPECT_EQ(sum(counts.pairs[0].all), 401);
}

TEST(ParallelScales, RanksPutTheSameNumberOfRowsInEveryCell) {
  const OpenSession open({parallel_trace(970)});
  auto options = options_of({"duration"});
  options.bins = 8;
  options.scales["duration"] = AxisScale::rank;
  const auto axis = counted(open, {}, options).axes[0];
  ASSERT_EQ(axis.edges.size(), 9u);
  EXPECT_TRUE(std::is_sorted(axis.edges.begin(), axis.edges.end()));
  for (const auto count : axis.all) EXPECT_NEAR(static_cast<double>(count), 970 / 8.0, 15);
}

TEST(ParallelScales, QuartilesDivideTheAxisInFour) {
  const OpenSession open({parallel_trace(970)});
  auto options = options_of({"duration"});
  options.bins = 8;
  options.scales["duration"] = AxisScale::quantile;
  const auto axis = counted(open, {}, options).axes[0];
  ASSERT_EQ(axis.all.size(), 8u);
  for (std::size_t quarter = 0; quarter < 4; ++quarter)
    EXPECT_NEAR(static_cast<double>(axis.all[2 * quarter] + axis.all[2 * quarter + 1]), 970 / 4.0, 15);
}

TEST(ParallelScales, CategoriesAreSortedByFrequencyOrTarget) {
  const OpenSession open({parallel_trace(1000)});
  auto options = options_of({"stream", "duration"});
  options.orders["stream"] = CategoryOrder::frequency;
  const auto counts = counted(open, {}, options);
  const auto& axis = counts.axes[0];
  EXPECT_TRUE(std::is_sorted(axis.all.rbegin(), axis.all.rend()));
  const auto plain = counted(open, {}, options_of({"stream", "duration"}));
  for (std::size_t i = 0; i < axis.categories.size();
       ++i) { // counts and codes are in the order of the categories
    const auto at = static_cast<std::size_t>(
        std::find(plain.axes[0].categories.begin(), plain.axes[0].categories.end(), axis.categories[i]) -
        plain.axes[0].categories.begin());
    EXPECT_EQ(axis.all[i], plain.axes[0].all[at]);
    EXPECT_EQ(axis.codes[i], plain.axes[0].codes[at]);
    const auto right = static_cast<std::size_t>(counts.pairs[0].right_bins);
    for (std::size_t r = 0; r < right; ++r)
      EXPECT_EQ(counts.pairs[0].all[i * right + r], plain.pairs[0].all[at * right + r]);
  }
  options.orders["stream"] = CategoryOrder::target;
  options.target = "duration";
  EXPECT_EQ(sum(counted(open, {}, options).axes[0].all), 1000);
}

TEST(ParallelScales, ClassesOfDisjointFiltersAddUpToTheSelection) {
  const OpenSession open({parallel_trace(1000)});
  auto options = options_of({"stream", "duration", "grid_x"});
  for (const char* where : {"stream = 7", "stream = 8", "stream = 9"})
    options.classes.push_back(parallel_selection(open, where));
  const auto counts = counted(open, parallel_selection(open, "duration > 50"), options);
  ASSERT_EQ(counts.classes.size(), 3u);
  for (std::size_t p = 0; p < counts.pairs.size(); ++p)
    for (std::size_t cell = 0; cell < counts.pairs[p].selected.size(); ++cell)
      EXPECT_EQ(counts.classes[0].pairs[p][cell] + counts.classes[1].pairs[p][cell] +
                    counts.classes[2].pairs[p][cell],
                counts.pairs[p].selected[cell]);
  options.classes_over_all = true;
  const auto all = counted(open, parallel_selection(open, "duration > 50"), options);
  EXPECT_EQ(all.classes[0].rows + all.classes[1].rows + all.classes[2].rows, 1000);
}

TEST(ParallelScales, CachedCountsEqualNewOnes) {
  const OpenSession open({parallel_trace(1000), parallel_trace(700)});
  ParallelCache cache;
  const auto options = options_of({"stream", "duration", "kernel_variability", "grid_x"});
  const auto where = parallel_selection(open, "duration between 20 and 60");
  for (int round = 0; round < 2; ++round) {
    expect_equal(counted(open, {}, options, &cache), counted(open, {}, options));
    expect_equal(counted(open, where, options, &cache), counted(open, where, options));
  }
  // Another order of the axes needs other pairs; other scales need other bins.
  auto turned = options_of({"grid_x", "kernel_variability", "stream", "duration"});
  expect_equal(counted(open, where, turned, &cache), counted(open, where, turned));
  turned.scales["duration"] = AxisScale::rank;
  expect_equal(counted(open, where, turned, &cache), counted(open, where, turned));
}

TEST(ParallelScales, RowsThatAFilterRemovesAreNotThere) {
  const OpenSession open({parallel_trace(1000), parallel_trace(700)});
  ParallelCache cache;
  auto options = options_of({"stream", "duration", "kernel_variability"});
  for (const auto scale : {AxisScale::automatic, AxisScale::rank, AxisScale::quantile}) {
    options.scales["duration"] = scale;
    for (const char* where : {"duration between 20 and 60", "stream = 8", "duration < 0"}) {
      options.within = std::make_shared<Selection>(parallel_selection(open, where));
      options.within_name = where;
      const auto counts = counted(open, {}, options, &cache);
      // The number of rows equals that of a selection by the same filter.
      auto all = options_of(options.axes);
      all.scales = options.scales;
      const auto grey = counted(open, parallel_selection(open, where), all);
      EXPECT_EQ(counts.rows, grey.selected_rows) << where;
      EXPECT_EQ(counts.selected_rows, counts.rows);
      EXPECT_EQ(counts.examined, 1700);
      EXPECT_EQ(sum(counts.axes[1].all), counts.rows);
      expect_equal(counts, counted(open, {}, options, &cache)); // the second answer is from the cache
      expect_equal(counts, counted(open, {}, options));
    }
  }
  options.within =
      std::make_shared<Selection>(parallel_selection(open, "duration between 20 and 60 and stream = 8"));
  options.within_name = "some";
  const auto counts = counted(open, {}, options, &cache);
  EXPECT_EQ(counts.axes[1].minimum, 20);
  EXPECT_EQ(counts.axes[1].maximum, 60);
  EXPECT_EQ(counts.axes[0].categories.size(), 3u); // names keep their numbers under any filter
  EXPECT_EQ(counts.axes[0].all[1], counts.rows);
  EXPECT_EQ(counts.axes[0].all[0] + counts.axes[0].all[2], 0);
  const auto brushed = counted(open, parallel_selection(open, "duration < 30"), options, &cache);
  EXPECT_EQ(brushed.rows, counts.rows); // rows outside the brush are drawn grey
  EXPECT_LT(brushed.selected_rows, brushed.rows);
  EXPECT_GT(brushed.selected_rows, 0);
}

TEST(ParallelColours, AreChosenAmongTheSelectedRowsAndNoneIsLeftOut) {
  const OpenSession open({parallel_trace(1000)});
  const auto few = parallel_selection(open, "stream != 8 and duration < 40");
  const auto column = counted(open, few, options_of({"stream"})).axes[0];
  const auto parts = colour_parts(column);
  ASSERT_EQ(parts.size(), 2u); // no row is selected on stream 8
  auto options = options_of({"duration", "grid_x"});
  for (const auto& part : parts) {
    EXPECT_GT(part.rows, 0);
    options.classes.push_back(parallel_selection(open, filter_of(part, column)));
  }
  const auto counts = counted(open, few, options);
  EXPECT_EQ(counts.classes[0].rows, parts[0].rows);
  EXPECT_GE(parts[0].rows, parts[1].rows);
  EXPECT_EQ(rest_of(counts).rows, 0);
  options.classes.pop_back();
  const auto less = counted(open, few, options);
  const auto rest = rest_of(less);
  EXPECT_EQ(rest.rows, parts[1].rows);
  for (std::size_t cell = 0; cell < rest.pairs[0].size(); ++cell)
    EXPECT_EQ(rest.pairs[0][cell] + less.classes[0].pairs[0][cell], less.pairs[0].selected[cell]);
}

TEST(ParallelColours, OfManyCategoriesTheMostFrequentHaveOneEach) {
  ParallelAxis axis;
  axis.column = "name", axis.texts = true;
  for (int c = 0; c < 12; ++c) {
    axis.categories.push_back(std::string("k\"") + std::to_string(c));
    axis.codes.push_back(c);
    axis.selected.push_back(c == 3 ? 0 : 100 + c);
  }
  auto parts = colour_parts(axis);
  ASSERT_EQ(parts.size(), kMaxColours);
  EXPECT_EQ(parts.front().category, 11);
  EXPECT_EQ(filter_of(parts.front(), axis), "name = \"k\\\"11\"");
  for (std::size_t c = 0; c < 4; ++c) axis.selected[c] = 0;
  EXPECT_EQ(colour_parts(axis).size(), kMaxColours + 1); // eight categories: no part for the rest
  axis.selected.assign(12, 0);
  EXPECT_TRUE(colour_parts(axis).empty());
}

TEST(ParallelScales, SkewedValuesWithZerosAreOnASymmetricLogarithm) {
  std::vector<double> values(900, 0.0);
  for (int i = 1; i <= 100; ++i) values.push_back(i * i * 10.0);
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(SymmetricLog::skewed(values));
  EXPECT_FALSE(SymmetricLog::skewed({0, 1, 2, 3, 4}));
  EXPECT_FALSE(SymmetricLog::skewed({0, 0, 0}));
  EXPECT_FALSE(SymmetricLog::skewed({0, 0, 0, 0, 0, 0, 1, 1, 7}));           // few counts, mostly zero
  EXPECT_TRUE(SymmetricLog::skewed({0, 0, 3, 40, 500, 7e4, 2e5, 9e5, 4e6})); // zeros, and many decades
  const double below = SymmetricLog::straight_below(values);
  EXPECT_EQ(below, 1000);
  const SymmetricLog scale(below);
  for (const double value : {-5e6, -1.0, 0.0, 3.0, 7e8})
    EXPECT_NEAR(scale.back(scale(value)), value, 1e-9 * (1 + std::abs(value)));
  const auto edges = scale.edges(-200, 1e6, 128);
  ASSERT_EQ(edges.size(), 129u);
  EXPECT_EQ(edges.front(), -200);
  EXPECT_EQ(edges.back(), 1e6);
  EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
  // Requested by name, with a complete count.
  const OpenSession open({parallel_trace(970)});
  auto options = options_of({"kernel_variability"});
  options.scales["kernel_variability"] = AxisScale::symlog;
  const auto axis = counted(open, {}, options).axes[0];
  EXPECT_EQ(axis.scale, AxisScale::symlog);
  EXPECT_GT(axis.straight_below, 0);
  EXPECT_EQ(sum(axis.all), 970);
}

TEST(ParallelScales, AFirstPictureSamplesSomeOfTheRows) {
  const OpenSession open({parallel_trace(300'000)});
  auto options = options_of({"duration", "stream"});
  options.sample_rows = 1;
  const auto counts = counted(open, {}, options);
  EXPECT_LT(counts.rows, 300'000);
  EXPECT_GT(counts.rows, 0);
  EXPECT_EQ(counts.all_rows, 300'000);
  EXPECT_EQ(sum(counts.pairs[0].all), counts.rows);
}

TEST(ParallelScales, NeighboursThatAreRelatedAreAdjacent) {
  const OpenSession open({parallel_trace(2000)});
  // kernel_variability is computed from the duration, and relative_variability from kernel_variability.
  // Stream and grid are independent of them.
  const std::vector<std::string> axes = {"duration", "stream", "kernel_variability", "grid_x",
                                         "relative_variability"};
  for (const bool mutual : {false, true}) {
    const auto order = related_order(*open.session, *open.columns, axes, {}, mutual, {});
    ASSERT_TRUE(order);
    ASSERT_EQ(order->size(), axes.size());
    const auto place = [&](const char* name) {
      return std::find(order->begin(), order->end(), name) - order->begin();
    };
    EXPECT_EQ(std::abs(place("kernel_variability") - place("relative_variability")), 1);
  }
  EXPECT_EQ(related_order(*open.session, *open.columns, axes, "stream", false, {})->front(), "stream");
}
