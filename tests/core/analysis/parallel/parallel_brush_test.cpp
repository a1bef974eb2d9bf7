// The cache of parallel coordinates between brushes never changes an answer.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/filter/value_set.h"
#include "core/analysis/parallel/column_steps.h"
#include "core/analysis/parallel/parallel.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "tests/core/causal/thread_communicator.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Durations 1 … 97 ns in four configurations on three streams; the last launch has a separate
/// configuration.
store::TraceData brush_trace(int rows) {
  auto data = test::empty_trace(3);
  test::add_kernel(data, "a", 5);
  std::vector<test::LaunchRow> launches;
  for (int i = 0; i < rows; ++i) {
    const bool last = i + 1 == rows;
    launches.push_back({i * 10, 1 + i * 7 % 97, static_cast<std::uint32_t>(last ? 4 : i % 4),
                        static_cast<std::uint32_t>(2 + (i % 5 == 0 ? 0 : i % 3))});
  }
  test::add_launches(data, launches);
  return data;
}

Selection brushed(const LaunchColumns& columns, const std::string& where) {
  Selection made;
  auto filter = Filter::parse(where, columns);
  EXPECT_TRUE(filter) << where;
  made.filter = std::move(*filter);
  return made;
}

const std::vector<std::string> kAxes = {"stream", "duration", "kernel_variability", "grid_x"};

/// Brushes as in a manual session: edges that move, ranges that merge, alternating axes, nothing at all and
/// everything.
const std::vector<std::string> kBrushes = {
    "duration between 10 and 20",
    "duration between 10 and 21",
    "duration between 10 and 21 and stream in (7)",
    "(duration between 10 and 21 or duration between 40 and 60) and stream in (7, 9)",
    "not (duration between 10 and 21 or stream in (8))",
    "duration between 200 and 300",
    "duration < 1000",
    "kernel_variability is missing",
    "kernel_variability is missing or duration = 30",
    "not (kernel_variability is missing) and not (duration != 30)",
    "duration > kernel_variability and grid_x >= 2",
    "",
    "duration between 10 and 20"};

std::int64_t rows_by_hand(const Session& session, const LaunchColumns& columns, const Selection& selected) {
  std::int64_t sum = 0;
  for (const auto& segment : session.segments(0, session.launches()))
    for (const auto bit : selected.select(session, columns, segment)) sum += bit;
  return sum;
}

/// Selected rows by cell of two numeric axes, counted one by one.
std::vector<std::int64_t> cells_by_hand(const Session& session, const LaunchColumns& columns,
                                        const Selection& selected, const ParallelAxis& left,
                                        const ParallelAxis& right) {
  const auto cell = [](const ParallelAxis& axis, double value) {
    const auto bins = axis.edges.size() - 1;
    if (std::isnan(value)) return bins;
    const auto above = static_cast<std::size_t>(
        std::upper_bound(axis.edges.begin(), axis.edges.end(), value) - axis.edges.begin());
    return std::clamp<std::size_t>(above, 1, bins) - 1;
  };
  std::vector<std::int64_t> counts(left.all.size() * right.all.size(), 0);
  for (const auto& segment : session.segments(0, session.launches())) {
    const auto mask = selected.select(session, columns, segment);
    const auto l = columns.read(left.column, segment), r = columns.read(right.column, segment);
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) ++counts[cell(left, l[i]) * right.all.size() + cell(right, r[i])];
  }
  return counts;
}

void expect_same(const ParallelCounts& a, const ParallelCounts& b, const std::string& what) {
  EXPECT_EQ(a.rows, b.rows) << what;
  EXPECT_EQ(a.selected_rows, b.selected_rows) << what;
  ASSERT_EQ(a.pairs.size(), b.pairs.size());
  for (std::size_t p = 0; p < a.pairs.size(); ++p) {
    EXPECT_EQ(a.pairs[p].all, b.pairs[p].all) << what;
    EXPECT_EQ(a.pairs[p].selected, b.pairs[p].selected) << what << " " << a.pairs[p].left;
  }
  ASSERT_EQ(a.classes.size(), b.classes.size());
  for (std::size_t c = 0; c < a.classes.size(); ++c)
    EXPECT_EQ(a.classes[c].pairs, b.classes[c].pairs) << what;
}

} // namespace

TEST(ValueSets, AreWhatTheirConditionsSay) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {
      nan, -inf, -1e308, -2, -1, std::nextafter(-1, 0), -0.0, 0.0, 5e-324, 1, std::nextafter(1, 2),
      2,   7,    1e308,  inf};
  using Holds = bool (*)(double);
  const std::vector<double> listed = {7, nan, -1, 7};
  const std::vector<std::pair<ValueSet, Holds>> simple = {
      {ValueSet::below(1, false), [](double v) { return v < 1; }},
      {ValueSet::below(1, true), [](double v) { return v <= 1; }},
      {ValueSet::above(-1, false), [](double v) { return v > -1; }},
      {ValueSet::above(0, true), [](double v) { return v >= 0; }},
      {ValueSet::between(0, 0), [](double v) { return v == 0; }},
      {ValueSet::between(2, 1), [](double) { return false; }},
      {ValueSet::below(-inf, false), [](double) { return false; }},
      {ValueSet::above(inf, true), [](double v) { return v == std::numeric_limits<double>::infinity(); }},
      {ValueSet::of(listed), [](double v) { return v == 7 || v == -1; }},
      {ValueSet::missing(), [](double v) { return std::isnan(v); }},
      {ValueSet::all(), [](double) { return true; }}};
  const auto expect = [&](const ValueSet& set, const auto& test) {
    std::vector<std::uint8_t> bytes(values.size());
    set.test(values.data(), values.size(), bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(set.contains(values[i]), test(values[i])) << values[i];
      EXPECT_EQ(bytes[i], test(values[i])) << values[i];
    }
  };
  for (const auto& [set, test] : simple) {
    expect(set, test);
    expect(!set, [&, own = test](double v) { return !own(v); });
    for (const auto& [other, second] : simple) {
      expect(set | other, [&, a = test, b = second](double v) { return a(v) || b(v); });
      expect(set & other, [&, a = test, b = second](double v) { return a(v) && b(v); });
    }
  }
  std::vector<double> many;
  for (int i = 0; i < 100; ++i) many.push_back(2 * i);
  expect((!ValueSet::of(many)) | ValueSet::missing(),
         [](double v) { return !(v >= 0 && v < 200 && std::fmod(v, 2) == 0); });
}

TEST(ParallelBrushes, CountEveryRowOnceAsByHand) {
  const OpenSession open({brush_trace(70'000), brush_trace(3'000)});
  ParallelCache cache;
  ParallelOptions options;
  options.axes = {"duration", "kernel_variability"};
  options.scales = {{"duration", AxisScale::linear}, {"kernel_variability", AxisScale::linear}};
  for (const auto& where : kBrushes) {
    const auto selected = brushed(*open.columns, where);
    const auto counts =
        parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {}, &cache);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->selected_rows, rows_by_hand(*open.session, *open.columns, selected)) << where;
    EXPECT_EQ(counts->pairs[0].selected,
              cells_by_hand(*open.session, *open.columns, selected, counts->axes[0], counts->axes[1]))
        << where;
  }
}

TEST(ParallelBrushes, AnyOrderOfQuestionsGivesWhatEachGivesAlone) {
  const OpenSession open({brush_trace(140'000), brush_trace(700)});
  ParallelCache cache;
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    ParallelOptions options;
    options.axes = kAxes;
    std::shuffle(options.axes.begin(), options.axes.end(), random);
    options.axes.resize(1 + random() % kAxes.size());
    if (random() % 4 == 0) options.scales["duration"] = AxisScale::rank;
    if (random() % 4 == 0) options.sample_rows = 10'000;
    options.classes_over_all = random() % 2 == 0;
    if (random() % 3 == 0)
      for (const char* own : {"stream = 7", "stream != 7", ""})
        options.classes.push_back(brushed(*open.columns, own));
    const auto& where = kBrushes[random() % kBrushes.size()];
    auto selected = brushed(*open.columns, where);
    if (random() % 3 == 0) selected.intervals = {{{1'000}, {40'000}}, {{900'000}, {1'000'000}}};
    if (random() % 5 == 0) selected.streams = {{2, 3}, {}};
    const auto kept =
        parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {}, &cache);
    const auto alone =
        parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {});
    ASSERT_TRUE(kept && alone);
    expect_same(*kept, *alone, where);
    if (options.sample_rows > 0) continue;
    EXPECT_EQ(kept->selected_rows, rows_by_hand(*open.session, *open.columns, selected)) << where;
  }
}

// The maximum duration is in no block that a first picture samples.
TEST(ParallelBrushes, AFirstPictureDependsOnlyOnItsQuestion) {
  auto data = brush_trace(400'000);
  test::column<std::int64_t>(data, "launches", "duration")[4'096 + 5] = 1'000'000;
  const OpenSession open({data});
  ParallelOptions whole, first;
  whole.axes = first.axes = {"duration", "stream"};
  first.sample_rows = 40'000;
  const auto edges = [&](const ParallelOptions& options, ParallelCache* cache) {
    const auto counts =
        parallel_counts(*open.session, *open.columns, {}, options, *open.communicator, {}, cache);
    EXPECT_TRUE(counts);
    return counts->axes[0].edges;
  };
  ParallelCache cache;
  const auto of_sample = edges(first, &cache), of_all = edges(whole, &cache);
  EXPECT_LT(of_sample.back(), of_all.back());
  EXPECT_EQ(edges(first, &cache), of_sample) << "after a question about all rows";
  first.ranges["duration"] = {of_all.front(), of_all.back(), {}, {}};
  EXPECT_EQ(edges(first, nullptr), of_all) << "with the range of an earlier answer";
}

TEST(ParallelBrushes, AnyNumberOfRanksCountsTheSame) {
  const OpenSession open({brush_trace(300'000), brush_trace(70'000)});
  for (const std::int64_t sample_rows : {0, 50'000}) {
    ParallelOptions options;
    options.axes = kAxes;
    options.sample_rows = sample_rows;
    std::vector<ParallelCounts> alone;
    for (const auto& where : kBrushes)
      alone.push_back(*parallel_counts(*open.session, *open.columns, brushed(*open.columns, where), options,
                                       *open.communicator, {}));
    for (const int size : {1, 2, 4, 7})
      causal::test::ThreadRanks(size).run([&](Communicator& communicator) {
        const LaunchColumns columns(*open.session); // every virtual rank has columns of its own
        ParallelCache cache;
        for (std::size_t b = 0; b < kBrushes.size(); ++b) {
          const auto counts = parallel_counts(*open.session, columns, brushed(columns, kBrushes[b]), options,
                                              communicator, {}, &cache);
          ASSERT_TRUE(counts);
          expect_same(*counts, alone[b], kBrushes[b] + " on " + std::to_string(size));
          communicator.finish(true);
        }
      });
  }
}

TEST(ParallelBrushes, OneRowConstantsAndNothingSelectedAreCounted) {
  const OpenSession open({brush_trace(1)});
  ParallelCache cache;
  ParallelOptions options;
  options.axes = {"duration", "grid_x",
                  "kernel_variability"}; // the first two are constant, the last is missing
  for (int round = 0; round < 2; ++round)
    for (const auto& [where, rows] : {std::pair{"", 1},
                                      {"duration > 5", 0},
                                      {"duration <= 5", 1},
                                      {"kernel_variability is missing", 1}}) {
      const auto counts = parallel_counts(*open.session, *open.columns, brushed(*open.columns, where),
                                          options, *open.communicator, {}, &cache);
      ASSERT_TRUE(counts);
      EXPECT_EQ(counts->rows, 1);
      EXPECT_EQ(counts->selected_rows, rows) << where;
      EXPECT_EQ(counts->axes[2].missing, 1);
    }
}

TEST(ParallelBrushes, MoreRangesThanCellsAreExact) {
  const OpenSession open({brush_trace(20'000)});
  std::string where = "duration = 1";
  for (int i = 3; i <= 97; i += 2)
    where += " or duration between " + std::to_string(i) + " and " + std::to_string(i);
  const auto selected = brushed(*open.columns, where);
  ParallelOptions options;
  options.axes = {"duration", "stream"};
  options.bins = 2;
  const auto counts =
      parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->selected_rows, rows_by_hand(*open.session, *open.columns, selected));
}

TEST(ParallelBrushes, APieceOfEveryPartOfTheRunIsSampled) {
  const OpenSession open({brush_trace(400'000)});
  ParallelOptions options;
  options.axes = {"start", "duration"};
  options.bins = 10;
  options.sample_rows = 100'000;
  const auto counts = parallel_counts(*open.session, *open.columns, {}, options, *open.communicator, {});
  ASSERT_TRUE(counts);
  EXPECT_NEAR(static_cast<double>(counts->rows), 100'000, 8'192);
  for (const auto tenth : counts->axes[0].all) EXPECT_NEAR(static_cast<double>(tenth), 10'000, 4'096);
}

TEST(ColumnSteps, KeepTheOrderAndFindARangesRows) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-20, 1'000);
  std::lognormal_distribution<double> skewed(3, 2);
  const std::vector<ValueSet::Range> spans = {{0, 900},    {-3, 900},   {5, 5}, {1e-300, 1e300},
                                              {-inf, inf}, {inf, -inf}, {0, 0}, {1e12, 1e12 + 90}};
  for (const auto& span : spans) {
    std::vector<double> values = {nan, -inf, inf, 0.0, -0.0, 5e-324, 5, 1e12, 1e12 + 1, span.low, span.high};
    for (int i = 0; i < 3'000; ++i)
      values.push_back(i % 3 == 0   ? any(random)
                       : i % 3 == 1 ? std::floor(skewed(random))
                                    : 1e12 + any(random) / 10);
    ColumnSteps steps(span.low, span.high, values.size());
    steps.put(values, 0);
    for (std::size_t i = 1; i < values.size(); ++i) {
      EXPECT_EQ(*steps.rows(i), steps.of(values[i]));
      EXPECT_EQ(std::isnan(values[i]), *steps.rows(i) == ColumnSteps::kMissing);
      if (std::isnan(values[i]) || std::isnan(values[i - 1])) continue;
      const int before = *steps.rows(i - 1), here = *steps.rows(i);
      const bool kept = values[i] == values[i - 1]  ? here == before
                        : values[i] < values[i - 1] ? here <= before
                                                    : here >= before;
      EXPECT_TRUE(kept) << values[i - 1] << " " << values[i];
    }
    for (int turn = 0; turn < 40; ++turn) { // in the second half some steps are cached
      const double a = values[static_cast<std::size_t>(turn) * 31 % values.size()], b = any(random);
      const auto requested = turn % 4 == 0   ? ValueSet::between(b, inf) | ValueSet::missing()
                             : turn % 4 == 1 ? ValueSet::between(std::min(a, b), std::max(a, b)) |
                                                   ValueSet::between(2'000, 3'000)
                             : turn % 4 == 2 ? !ValueSet::between(b, b + 100)
                                             : ValueSet::between(a, a);
      const auto cut = steps.cut(requested);
      std::vector<std::uint8_t> found(values.size());
      ColumnSteps::test(steps.rows(0), values.size(), cut, found.data());
      std::vector<std::uint16_t> places(values.size());
      for (const auto edge : cut.edges) {
        ValueSet::Range seen{inf, -inf};
        const auto count = ColumnSteps::find(steps.rows(0), values.size(), edge, places.data());
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(found[places[i]], 0);
          found[places[i]] = requested.contains(values[places[i]]);
          seen = {std::min(seen.low, values[places[i]]), std::max(seen.high, values[places[i]])};
        }
        if (turn % 2 == 0) steps.set_range(edge, seen);
      }
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(found[i], requested.contains(values[i])) << values[i] << " of step " << *steps.rows(i);
    }
  }
}

TEST(ParallelBrushes, AnEdgeThatIsDraggedCountsWhatAFirstQuestionDoes) {
  const OpenSession open({brush_trace(200'000), brush_trace(3'000)});
  ParallelOptions options;
  options.axes = kAxes;
  ParallelCache cache;
  ASSERT_TRUE(parallel_counts(*open.session, *open.columns, {}, options, *open.communicator, {},
                              &cache)); // fills the cache with the ranges of the axes
  for (const char* column : {"duration", "kernel_variability"})
    for (int edge = 3; edge < 95; edge += 7)
      for (const char* form : {" between 2.5 and ", " between 7 and ", " > ", " != "}) {
        const auto selected = brushed(*open.columns, column + std::string(form) + std::to_string(edge));
        const auto kept =
            parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {}, &cache);
        const auto fresh =
            parallel_counts(*open.session, *open.columns, selected, options, *open.communicator, {});
        ASSERT_TRUE(kept && fresh);
        expect_same(*kept, *fresh, column + std::string(form) + std::to_string(edge));
      }
}
