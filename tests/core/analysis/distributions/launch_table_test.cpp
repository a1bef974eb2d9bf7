#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/analysis/distributions/launch_table.h"
#include "core/analysis/events/partners.h"
#include "tests/support/many_launches.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;
using test::selection;
using test::trace_of;

namespace {

/// All selected session rows in the expected order of the table.
std::vector<std::int64_t> sorted_rows(const OpenSession& open, const std::string& where,
                                      const std::string& column, bool descending) {
  const auto chosen = selection(open, where);
  std::vector<std::int64_t> rows;
  std::vector<double> values;
  for (const auto& segment : open.session->segments(0, open.session->launches())) {
    const auto mask = chosen.select(*open.session, *open.columns, segment);
    const auto part = open.columns->read(column, segment);
    values.insert(values.end(), part.begin(), part.end());
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i])
        rows.push_back(open.session->traces()[segment.trace].first_launch + segment.first +
                       static_cast<std::int64_t>(i));
  }
  const auto texts = open.columns->find(column)->kind == ColumnKind::Text;
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    if (texts) {
      const auto left = open.columns->text(column, x), right = open.columns->text(column, y);
      return descending ? left > right : left < right;
    }
    return descending ? x > y : x < y;
  });
  return rows;
}

} // namespace

TEST(LaunchTable, AnyPartInAnyOrderIsThatOfTheSortedTable) {
  auto second = trace_of(20'000);
  const OpenSession open({trace_of(140'000), second});
  for (const char* where : {"", "duration > 50", "stream = 8 and grid_x > 1"})
    for (const char* column : {"start", "duration", "stream", "name", "gap_ns", "kernel_variability"}) {
      if (!open.columns->find(column)) continue;
      for (const bool descending : {false, true}) {
        const auto expected = sorted_rows(open, where, column, descending);
        const auto all = static_cast<std::int64_t>(expected.size());
        for (const std::int64_t first : {std::int64_t{0}, std::int64_t{777}, all / 2, all - 3, all + 5}) {
          LaunchTableOptions options{.sort = column, .descending = descending, .first = first, .count = 100};
          const auto table = launch_table(*open.session, *open.columns, selection(open, where), options,
                                          *open.communicator, {});
          ASSERT_TRUE(table) << describe(table.error());
          EXPECT_EQ(table->rows, all);
          const auto from = std::min(first, all), to = std::min(from + 100, all);
          EXPECT_EQ(table->numbers, std::vector<std::int64_t>(expected.begin() + from, expected.begin() + to))
              << where << " by " << column << (descending ? " down" : " up") << " from " << first;
        }
      }
    }
}

TEST(LaunchTable, ALaunchIsFoundByItsPosition) {
  const OpenSession open({trace_of(5'000), trace_of(700)});
  const auto expected = sorted_rows(open, "stream = 8", "duration", true);
  for (const std::size_t place : {std::size_t{0}, std::size_t{55}, expected.size() - 1}) {
    LaunchTableOptions options{.sort = "duration", .descending = true, .count = 0, .locate = expected[place]};
    const auto table = launch_table(*open.session, *open.columns, selection(open, "stream = 8"), options,
                                    *open.communicator, {});
    ASSERT_TRUE(table);
    EXPECT_EQ(table->located, static_cast<std::int64_t>(place));
  }
  LaunchTableOptions unselected{.count = 0, .locate = 0}; // row 0 is on stream 7, which the filter excludes
  EXPECT_FALSE(launch_table(*open.session, *open.columns, selection(open, "stream = 8"), unselected,
                            *open.communicator, {})
                   ->located);
}

TEST(LaunchTable, ValuesAreThoseOfTheRows) {
  const OpenSession open({trace_of(50), trace_of(50)});
  LaunchTableOptions options{.first = 40, .count = 30, .columns = {"duration", "name"}};
  const auto table = launch_table(*open.session, *open.columns, {}, options, *open.communicator, {});
  ASSERT_TRUE(table);
  ASSERT_EQ(table->values.size(), 2u);
  for (std::size_t i = 0; i < table->numbers.size(); ++i) {
    const auto segment = open.session->segments(table->numbers[i], table->numbers[i] + 1).front();
    EXPECT_EQ(table->values[0][i], open.columns->read("duration", segment).front());
    EXPECT_EQ(table->values[1][i], open.columns->read("name", segment).front());
  }
}

TEST(LaunchTable, InvalidRequestsAreRefused) {
  const OpenSession open({trace_of(5)});
  const auto refused = [&](const LaunchTableOptions& options) {
    return !launch_table(*open.session, *open.columns, {}, options, *open.communicator, {});
  };
  EXPECT_TRUE(refused({.sort = "nothing"}));
  EXPECT_TRUE(refused({.columns = {"nothing"}}));
  EXPECT_TRUE(refused({.first = -1}));
  EXPECT_TRUE(refused({.count = kMaxTableRows + 1}));
}

namespace {

/// One device's trace of a collective "c" and other work.
store::TraceData device_trace(const std::vector<test::LaunchRow>& launches) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "c", 1);
  test::add_kernel(data, "other", 1);
  test::add_launches(data, launches);
  return data;
}

} // namespace

TEST(Partners, CollectivesMeetByTheirOrderAlsoWhereClocksDisagree) {
  const OpenSession open({device_trace({{0, 100, 0}, {150, 10, 1}, {200, 300, 0}, {600, 20, 0}}),
                          device_trace({{0, 90, 0}, {400, 50, 0}, {900, 20, 0}})});
  const auto found = partners(*open.session, *open.columns, 2); // the second collective of trace 0
  ASSERT_TRUE(found) << describe(found.error());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_TRUE(found->front().by_occurrence);
  EXPECT_EQ(found->front().row, 5);
  EXPECT_EQ(found->front().duration_ns, 50);
}

TEST(Partners, UnequalNumbersMeetByOverlap) {
  const OpenSession open(
      {device_trace({{0, 100, 0}, {200, 300, 0}}), device_trace({{0, 90, 0}, {250, 10, 0}, {300, 150, 0}})});
  const auto found = partners(*open.session, *open.columns, 1);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_FALSE(found->front().by_occurrence);
  EXPECT_EQ(found->front().row, 4);
  EXPECT_EQ(found->front().overlap_ns, 150);
  EXPECT_FALSE(partners(*open.session, *open.columns, 99));
}

TEST(Partners, AKernelThatOnlyOneDeviceRanHasNone) {
  const OpenSession open({device_trace({{0, 100, 0}, {200, 300, 1}}), device_trace({{0, 90, 0}})});
  EXPECT_TRUE(partners(*open.session, *open.columns, 1)->empty());
}
