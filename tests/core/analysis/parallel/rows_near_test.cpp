#include "core/analysis/parallel/rows_near.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/analysis/parallel/parallel.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Durations 1 … 997 ns in four configurations, the last launch in one of its own (no variability), on three
/// streams.
store::TraceData trace_near(int rows, int seed) {
  auto data = test::empty_trace(3);
  test::add_kernel(data, "a", 5);
  std::vector<test::LaunchRow> launches;
  for (int i = 0; i < rows; ++i)
    launches.push_back({i * 2'000, 1 + (i * 7'919 + seed) % 997,
                        static_cast<std::uint32_t>(i + 1 == rows ? 4 : i % 4),
                        static_cast<std::uint32_t>(2 + i % 3)});
  test::add_launches(data, launches);
  return data;
}

Selection selection_near(const OpenSession& open, const std::string& where) {
  Selection s;
  s.filter = std::move(*Filter::parse(where, *open.columns));
  return s;
}

/// An axis of a picture, as views describe it.
DrawnAxis drawn(const OpenSession& open, const std::string& column, bool inverted = false) {
  ParallelOptions options;
  options.axes = {column};
  auto counts = parallel_counts(*open.session, *open.columns, {}, options, *open.communicator, {});
  const auto& axis = counts->axes.front();
  return {column, axis.codes, axis.edges, inverted, axis.missing > 0 ? -0.1 : std::nan("")};
}

double place(const DrawnAxis& axis, double value) {
  if (std::isnan(value)) return axis.missing;
  double at = 0.5;
  if (!axis.codes.empty()) {
    at = (static_cast<double>(std::find(axis.codes.begin(), axis.codes.end(), value) - axis.codes.begin()) +
          0.5) /
         static_cast<double>(axis.codes.size());
  } else {
    value = std::clamp(value, axis.edges.front(), axis.edges.back());
    for (std::size_t bin = 0; bin + 1 < axis.edges.size(); ++bin)
      if (value >= axis.edges[bin] && value <= axis.edges[bin + 1]) {
        at =
            (static_cast<double>(bin) + (value - axis.edges[bin]) / (axis.edges[bin + 1] - axis.edges[bin])) /
            static_cast<double>(axis.edges.size() - 1);
        break;
      }
  }
  return axis.inverted ? 1 - at : at;
}

std::vector<double> all_values(const OpenSession& open, const std::string& column) {
  std::vector<double> values;
  for (const auto& segment : open.session->segments(0, open.session->launches())) {
    const auto part = open.columns->read(column, segment);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

/// The expected answer, from the distances of all selected rows.
RowsNear slowly(const OpenSession& open, const std::string& where, const DrawnPoint& point) {
  const auto left = all_values(open, point.left.column);
  const auto right = point.right ? all_values(open, point.right->column) : left;
  std::vector<std::uint8_t> selected;
  const auto filter = selection_near(open, where);
  for (const auto& segment : open.session->segments(0, open.session->launches())) {
    const auto part = filter.select(*open.session, *open.columns, segment);
    selected.insert(selected.end(), part.begin(), part.end());
  }
  std::vector<std::pair<double, std::int64_t>> near;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double at = place(point.left, left[i]),
                 y = point.right ? (1 - point.across) * at + point.across * place(*point.right, right[i])
                                 : at;
    if (selected[i] && std::abs(y - point.at) <= point.within) near.emplace_back(std::abs(y - point.at), i);
  }
  std::sort(near.begin(), near.end());
  RowsNear out;
  out.count = static_cast<std::int64_t>(near.size());
  for (std::size_t i = 0; i < std::min(point.maximum, near.size()); ++i) out.rows.push_back(near[i].second);
  return out;
}

void expect_found(const OpenSession& open, const std::string& where, const DrawnPoint& point,
                  ParallelCache* cache = nullptr) {
  const auto found = rows_near(*open.session, *open.columns, selection_near(open, where), point,
                               *open.communicator, {}, cache);
  ASSERT_TRUE(found) << describe(found.error());
  const auto requested = slowly(open, where, point);
  EXPECT_EQ(found->count, requested.count) << where << " at " << point.at;
  EXPECT_EQ(found->rows, requested.rows) << where << " at " << point.at;
}

} // namespace

TEST(RowsNear, AreTheSelectedOnesWhosePlaceOnTheAxisIsNearest) {
  const OpenSession open({trace_near(20'000, 1), trace_near(900, 5)});
  ParallelCache cache;
  for (const auto& where : {"", "duration > 300", "stream = 8 and duration < 900"})
    for (const double at : {0.0, 0.123, 0.5, 1.0})
      for (const char* column : {"duration", "kernel_variability", "stream", "start"})
        expect_found(open, where, {drawn(open, column), {}, 0, at, 0.004, 20}, &cache);
}

TEST(RowsNear, LinesBetweenTwoAxesAreMet) {
  const OpenSession open({trace_near(20'000, 1)});
  for (const double across : {0.2, 0.5, 0.9})
    for (const double at : {-0.05, 0.31, 0.7}) {
      expect_found(open, "duration > 100",
                   {drawn(open, "duration"), drawn(open, "kernel_variability"), across, at, 0.01, 20});
      expect_found(open, "", {drawn(open, "stream", true), drawn(open, "duration"), across, at, 0.01, 5});
    }
}

TEST(RowsNear, RowsWithoutAValueAreWhereTheyAreDrawn) {
  const OpenSession open({trace_near(400, 1)});
  const auto found =
      rows_near(*open.session, *open.columns, {}, {drawn(open, "kernel_variability"), {}, 0, -0.1, 0.01, 20},
                *open.communicator, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows, std::vector<std::int64_t>{399}) << "the configuration that ran once";
}

TEST(RowsNear, CategoriesAreInTheOrderOfTheAxis) {
  const OpenSession open({trace_near(30, 1)});
  auto streams = drawn(open, "stream");
  std::reverse(streams.codes.begin(), streams.codes.end());
  const auto found =
      rows_near(*open.session, *open.columns, {}, {streams, {}, 0, 0.5 / 3, 0.01, 3}, *open.communicator, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 10);
  const auto stream = all_values(open, "stream");
  for (const auto row : found->rows) EXPECT_EQ(stream[static_cast<std::size_t>(row)], streams.codes.front());
  EXPECT_TRUE(std::is_sorted(found->rows.begin(), found->rows.end()))
      << "among rows at the same distance, the earliest";
}

TEST(RowsNear, AnUnknownColumnIsRefused) {
  const OpenSession open({trace_near(30, 1)});
  DrawnPoint point;
  point.left.column = "no such column";
  const auto found = rows_near(*open.session, *open.columns, {}, point, *open.communicator, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::BadUse);
}
