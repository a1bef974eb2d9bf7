#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/lanes/level_of_detail.h"
#include "core/analysis/timeline/timeline.h"
#include "tests/core/store/random_trace.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

/// Everything of a session that the timeline needs.
struct Drawn {
  OpenSession open;
  NameTable names;
  Tracks tracks;

  explicit Drawn(std::vector<store::TraceData> traces, bool stored_index = true)
      : open(prepared(std::move(traces), stored_index)), names(*open.session), tracks(*open.session) {}

  Timeline timeline(const TimelineRequest& request, const Selection& selection = {}) const {
    return analysis::timeline(*open.session, *open.columns, names, tracks, selection, request);
  }

private:
  static std::vector<store::TraceData> prepared(std::vector<store::TraceData> traces, bool stored_index) {
    for (auto& trace : traces)
      if (stored_index && !store::add_track_index(trace, {})) throw std::runtime_error("cancelled");
    return traces;
  }
};

std::vector<store::TraceData> two_random_traces(unsigned seed) {
  std::mt19937_64 random(seed);
  auto first = test::random_trace(random, {3, 6, 40'000, 100, 120, 9'000, 9'000, 2'000, 20'000});
  auto second = test::random_trace(random, {1, 4, 20'000, 150, 100, 4'000, 9'000, 2'000, 300});
  first.manifest.origin_utc_ns = 1'000'000;
  second.manifest.origin_utc_ns = 1'777'777;
  return {std::move(first), std::move(second)};
}

void expect_same(const Timeline& a, const Timeline& b, const char* what) {
  ASSERT_EQ(a.tracks.size(), b.tracks.size());
  for (std::size_t i = 0; i < a.tracks.size(); ++i) {
    const auto &x = a.tracks[i], &y = b.tracks[i];
    ASSERT_EQ(x.cells.size(), y.cells.size()) << what;
    EXPECT_EQ(x.dyadic, y.dyadic);
    for (std::size_t c = 0; c < x.cells.size(); ++c) {
      ASSERT_EQ(x.cells[c].count, y.cells[c].count) << what << ", track " << x.track << ", cell " << c;
      ASSERT_EQ(x.cells[c].busy, y.cells[c].busy) << what << ", track " << x.track << ", cell " << c;
      ASSERT_EQ(x.cells[c].name, y.cells[c].name) << what << ", track " << x.track << ", cell " << c;
      ASSERT_EQ(x.cells[c].selected, y.cells[c].selected) << what;
    }
    ASSERT_EQ(x.bars.size(), y.bars.size()) << what;
  }
}

Selection selection_of(const OpenSession& open, const std::string& text) {
  Selection selection;
  selection.filter = std::move(*Filter::parse(text, *open.columns));
  return selection;
}

// The session's id of a name of a series.
std::uint32_t session_name_of(const Drawn& drawn, std::size_t trace, const store::Series& series,
                              std::uint32_t name) {
  if (name == kNone) return kNone;
  if (series.table == store::EventTable::Launches) return drawn.open.session->traces()[trace].kernel[name];
  if (series.table == store::EventTable::Transfers)
    return drawn.names.of_transfer(static_cast<std::uint8_t>(name));
  return drawn.names.of_string(trace, name);
}

// One stream with a launch of `length` every `step`, so that every bin is known.
store::TraceData regular_trace(int launches, std::int64_t step, std::int64_t length) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  test::add_kernel(data, "b", 1);
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < launches; ++i)
    rows.push_back({i * step, length, static_cast<std::uint32_t>(i % 8 == 0), 2});
  test::add_launches(data, rows);
  return data;
}

} // namespace

TEST(LevelOfDetail, TilesAndRowsGiveTheSameAnswer) {
  const Drawn drawn(two_random_traces(3));
  const auto span = drawn.open.session->span();
  std::mt19937_64 random(5);
  int from_bins = 0;
  for (int trial = 0; trial < 60; ++trial) {
    TimelineRequest request;
    const auto length = std::max<std::int64_t>(span.length().count >> random() % 16, 2);
    const auto begin = span.begin.count - 1'000 +
                       static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    request.window = {{begin}, {begin + length}};
    if (trial == 0) request.window = span;
    request.columns = 1 + static_cast<int>(random() % 300);
    request.max_bars = 50;
    const auto with = drawn.timeline(request);
    request.use_tiles = false;
    expect_same(with, drawn.timeline(request), "tiles and rows");
    for (const auto& content : with.tracks)
      from_bins += std::count(content.dyadic.begin(), content.dyadic.end(), 1) > 0;
  }
  EXPECT_GT(from_bins, 100) << "many tracks are drawn from bins, not from pixel columns";
}

// Tracks that are drawn together and those whose launches are read one by one are summed by different
// algorithms.
TEST(LevelOfDetail, TracksTogetherSeparatelyAndWithAFilterThatAllPassGiveTheSameAnswer) {
  const Drawn drawn(two_random_traces(8));
  const auto all_pass = selection_of(drawn.open, "duration >= 0");
  const auto span = drawn.open.session->span();
  std::mt19937_64 random(9);
  std::size_t cells = 0;
  for (int trial = 0; trial < 20; ++trial) {
    TimelineRequest request;
    const auto length = std::max<std::int64_t>(span.length().count >> random() % 12, 2);
    const auto begin = span.begin.count +
                       static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    request.window = {{begin}, {begin + length}};
    request.columns = 1 + static_cast<int>(random() % 300);
    request.max_bars = 20;
    request.max_requested_launches = 1'000'000;
    const auto together = drawn.timeline(request);
    expect_same(together, drawn.timeline(request, all_pass), "with a filter");
    for (const auto& content : together.tracks) {
      Timeline one;
      one.tracks.push_back(content);
      auto alone = request;
      alone.tracks = {content.track};
      expect_same(one, drawn.timeline(alone), "alone");
      cells += content.cells.size();
    }
  }
  EXPECT_GT(cells, 10'000u);
}

TEST(LevelOfDetail, AStoredIndexAndOneBuiltAtOpeningGiveTheSameAnswer) {
  const Drawn stored(two_random_traces(4)), built(two_random_traces(4), false);
  EXPECT_FALSE(stored.tracks.index_rebuilt());
  EXPECT_TRUE(built.tracks.index_rebuilt());
  TimelineRequest request;
  request.window = stored.open.session->span();
  expect_same(stored.timeline(request), built.timeline(request), "stored and built");
}

TEST(LevelOfDetail, WhereColumnsAreBinsBothWaysOfBinningAgree) {
  // A window of 128 columns of 1,024 ns each, from zero: bins of 1,024 ns are the columns.
  const Drawn drawn({regular_trace(20'000, 10, 7)});
  const auto* series = drawn.tracks.levels(drawn.tracks.track_of_stream(0, 3)).front();
  const Interval window{{0}, {128 * 1'024}};
  const ColumnBins columns(window, 128, false), dyadic(window, 128, true);
  EXPECT_FALSE(columns.dyadic());
  ASSERT_EQ(dyadic.shift(), 10);
  SumBuffers one, other;
  const auto exact = sum_bins(*series, columns, one, {}, false);
  const auto tiles = sum_bins(*series, dyadic, other);
  for (int c = 0; c < 128; ++c) {
    const auto a = column_sum(columns, exact, c), b = column_sum(dyadic, tiles, c);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.busy, b.busy);
    EXPECT_EQ(a.name, b.name);
  }
}

TEST(LevelOfDetail, EveryColumnShowsOneBinAtItsPlace) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 2'000; ++trial) {
    const auto begin = static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000;
    const int columns = 2 + static_cast<int>(random() % 700);
    const auto length =
        columns + static_cast<std::int64_t>(random() % (std::uint64_t{1} << (1 + random() % 40)));
    const ColumnBins bins({{begin}, {begin + length}}, columns, true);
    ASSERT_TRUE(bins.dyadic());
    ASSERT_EQ(bins.bins(), static_cast<std::size_t>(columns)) << "every bin is shown, and only once";
    EXPECT_LE(bins.borders().front(), begin);
    EXPECT_GE(bins.borders().back(), begin + length);
    const auto column = static_cast<double>(length) / columns;
    const auto apart = static_cast<double>(length - 1) / (columns - 1); // about one column
    for (int c = 0; c < columns; ++c) {
      const auto shown = bins.interval(c);
      const auto width = std::int64_t{1} << bins.shift_of(static_cast<std::size_t>(c));
      ASSERT_EQ(shown.length().count, width);
      ASSERT_EQ(shown.begin.count % width, 0) << "a bin that can have a tile";
      ASSERT_LE(static_cast<double>(width), 2 * apart);
      ASSERT_GE(static_cast<double>(width), apart / 2 - 1);
      const auto left = static_cast<double>(begin) + c * column;
      ASSERT_GT(static_cast<double>(shown.end.count), left) << "the bin overlaps its column";
      ASSERT_LT(static_cast<double>(shown.begin.count), left + column);
      ASSERT_GE(static_cast<double>(shown.begin.count), left - 2 * apart - 1);
      ASSERT_LE(static_cast<double>(shown.end.count), left + column + 2 * apart + 1);
    }
  }
}

TEST(LevelOfDetail, ColumnsNarrowerThanANanosecondShowTheNanosecondOfTheirMiddle) {
  for (const bool dyadic : {false, true}) {
    const ColumnBins bins({{7}, {10}}, 9, dyadic);
    ASSERT_EQ(bins.bins(), 3u);
    for (int c = 0; c < 9; ++c) EXPECT_EQ(bins.interval(c).begin.count, 7 + c / 3);
  }
}

// The numbers and the name of every cell, against all events one by one, in the interval that the card of the
// column states.
TEST(LevelOfDetail, TheNumbersOfAColumnAreThoseOfItsInterval) {
  const Drawn drawn(two_random_traces(11));
  const auto span = drawn.open.session->span();
  std::mt19937_64 random(12);
  int dyadic = 0, several = 0;
  for (int trial = 0; trial < 25; ++trial) {
    TimelineRequest request;
    const auto length = std::max<std::int64_t>(span.length().count >> random() % 6, 2);
    const auto begin = span.begin.count +
                       static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    request.window = {{begin}, {begin + length}};
    request.columns = 1 + static_cast<int>(random() % 60);
    request.max_bars = 0;
    for (const auto& content : drawn.timeline(request).tracks) {
      const auto& track = drawn.tracks.list()[content.track];
      if (track.kind == TrackKind::Idle || content.cells.empty()) continue;
      for (std::size_t level = 0; level < content.dyadic.size(); ++level) {
        const auto* series = drawn.tracks.levels(content.track)[level];
        if (!series) continue;
        const Nanoseconds origin{content.bin_origin};
        const ColumnBins bins({request.window.begin - origin, request.window.end - origin}, request.columns,
                              content.dyadic[level] != 0);
        dyadic += bins.dyadic();
        for (int c = 0; c < request.columns; ++c) {
          const auto interval = bins.interval(c);
          std::map<std::uint32_t, std::int64_t> time;
          std::uint32_t count = 0;
          for (std::size_t i = 0; i < series->events(); ++i) {
            const auto event = series->at(i);
            const bool begins = interval.contains({event.begin});
            const auto inside = overlap({{event.begin}, {event.end}}, interval).count;
            if (!begins && inside == 0) continue;
            ++count;
            time[session_name_of(drawn, track.trace, *series, event.name)] += inside;
          }
          const auto& cell =
              content.cells[level * static_cast<std::size_t>(request.columns) + static_cast<std::size_t>(c)];
          ASSERT_EQ(cell.count, count) << track.label << ", column " << c;
          if (count == 0) continue;
          several += time.size() > 1;
          std::int64_t most = 0;
          for (const auto& [name, of] : time) most = std::max(most, of);
          ASSERT_EQ(time.at(cell.name), most) << track.label << ", column " << c;
        }
      }
    }
  }
  EXPECT_GT(dyadic, 100);
  EXPECT_GT(several, 1'000);
}

TEST(LevelOfDetail, OfRegularLaunchesIsKnown) {
  const Drawn drawn({regular_trace(100'000, 10, 6)});
  TimelineRequest request;
  request.window = {{0}, {1'000'000}};
  request.columns = 100;
  request.tracks = {drawn.tracks.track_of_stream(0, 3)};
  const auto content = drawn.timeline(request).tracks.front();
  ASSERT_EQ(content.dyadic, std::vector<std::uint8_t>{1}); // bins of 8,192 and 16,384 ns
  for (std::size_t c = 0; c + 2 < content.cells.size(); ++c) {
    EXPECT_NEAR(content.cells[c].busy, 0.6, 0.002);
    EXPECT_EQ(content.cells[c].name, 0u);
    EXPECT_GE(content.cells[c].count, 819u);
    EXPECT_LE(content.cells[c].count, 1'640u);
  }
}

TEST(LevelOfDetail, ALoneEventInAnHourIsSeen) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < 50'000; ++i) rows.push_back({i * 10, 5, 0, 2});
  rows.push_back({1'800'000'000'000, 1, 0, 2});
  for (int i = 0; i < 50'000; ++i) rows.push_back({3'600'000'000'000 + i * 10, 5, 0, 2});
  test::add_launches(data, rows);
  const Drawn drawn({data});
  TimelineRequest request;
  request.window = {{0}, {3'600'000'500'000}};
  request.tracks = {drawn.tracks.track_of_stream(0, 3)};
  const auto content = drawn.timeline(request).tracks.front();
  std::uint64_t count = 0;
  for (const auto& cell : content.cells) count += cell.count;
  EXPECT_EQ(count, 100'001u);
  EXPECT_EQ(
      std::count_if(content.cells.begin(), content.cells.end(), [](const auto& c) { return c.count == 1; }),
      1);
}

TEST(LevelOfDetail, ManyEventsInOneNanosecondAreCounted) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 7, -1, "thread"});
  for (int i = 0; i < 5'000; ++i) {
    test::add_times(data, "calls", 777, i % 2);
    for (const char* name : {"name", "correlation", "result"})
      test::column<std::uint32_t>(data, "calls", name).push_back(0);
    test::column<std::uint32_t>(data, "calls", "thread").push_back(4);
  }
  const Drawn drawn({data});
  for (const std::int64_t length : {1, 2, 10, 1'000}) {
    TimelineRequest request;
    request.window = {{777}, {777 + length}};
    request.columns = 10;
    request.tracks = {drawn.tracks.track_of_calls(0, 4)};
    const auto content = drawn.timeline(request).tracks.front();
    ASSERT_EQ(content.cells.size(), 10u);
    EXPECT_EQ(content.cells.front().count, 5'000u);
  }
}

TEST(Dimming, AsksEveryLaunchOfTheWindowWhileItCan) {
  const Drawn drawn(two_random_traces(6));
  const auto selection = selection_of(drawn.open, "duration > 60");
  TimelineRequest request;
  request.window = drawn.open.session->span();
  request.columns = 200;
  const auto exact = drawn.timeline(request, selection);
  EXPECT_EQ(exact.dimming, DimmingKind::Exact);
  const auto all = drawn.timeline(request);
  EXPECT_EQ(all.dimming, DimmingKind::Nothing);
  int partly = 0;
  for (std::size_t t = 0; t < all.tracks.size(); ++t)
    for (std::size_t c = 0; c < all.tracks[t].cells.size(); ++c) {
      const auto &with = exact.tracks[t].cells[c], &without = all.tracks[t].cells[c];
      EXPECT_EQ(with.count, without.count) << "a selection dims launches, but hides none";
      EXPECT_EQ(with.busy, without.busy);
      EXPECT_EQ(with.name, without.name);
      partly += with.selected > 0 && with.selected < 1;
    }
  EXPECT_GT(partly, 100);
}

TEST(Dimming, AColumnOfWhichNoLaunchPassesIsNotSelectedAtTheEdgesEither) {
  const Drawn drawn({regular_trace(100'000, 10, 6)});
  const auto nothing = selection_of(drawn.open, "duration > 1000");
  TimelineRequest request;
  request.columns = 70;
  request.tracks = {drawn.tracks.track_of_stream(0, 3)};
  for (const std::int64_t begin : {300'000, 301'234, 344'444}) {
    request.window = {{begin}, {begin + 400'001}};
    const auto content = drawn.timeline(request, nothing).tracks.front();
    ASSERT_EQ(content.dyadic, std::vector<std::uint8_t>{1});
    for (const auto& cell : content.cells) ASSERT_EQ(cell.selected, 0);
  }
}

TEST(Dimming, OfTooManyLaunchesIsSampledAndMarkedAsSuch) {
  const Drawn drawn(two_random_traces(7));
  const auto selection = selection_of(drawn.open, "duration > 60");
  TimelineRequest request;
  request.window = drawn.open.session->span();
  request.columns = 50;
  const auto exact = drawn.timeline(request, selection);
  request.max_requested_launches = 1'000;
  const auto sampled = drawn.timeline(request, selection);
  EXPECT_EQ(sampled.dimming, DimmingKind::Sampled);
  for (std::size_t t = 0; t < exact.tracks.size(); ++t) {
    const auto& track = drawn.tracks.list()[exact.tracks[t].track];
    for (std::size_t c = 0; c < exact.tracks[t].cells.size(); ++c) {
      const auto &a = exact.tracks[t].cells[c], &b = sampled.tracks[t].cells[c];
      EXPECT_EQ(a.count, b.count);
      if (a.count == 0) continue;
      if (track.kind == TrackKind::Device) {
        EXPECT_NEAR(a.selected, b.selected, 0.25);
      } else if (track.kind != TrackKind::Stream) {
        EXPECT_EQ(b.selected, 1.0f) << "only launches are dimmed";
      }
    }
  }
}

TEST(Dimming, ALaunchThatBeganBeforeTheWindowIsAskedToo) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 2);
  test::add_launches(data, {{0, 1'000, 1}, {2'000, 1, 0}});
  const Drawn drawn({data});
  TimelineRequest request;
  request.window = {{500}, {600}};
  request.tracks = {drawn.tracks.track_of_stream(0, 3)};
  const auto content = drawn.timeline(request, selection_of(drawn.open, "grid_x = 1")).tracks.front();
  ASSERT_EQ(content.bars.size(), 1u);
  EXPECT_EQ(content.bars[0].dimmed, 1);
}

TEST(Overview, AddsUpTheLaunchesOfAllTraces) {
  const Drawn drawn({regular_trace(50'000, 10, 5), regular_trace(30'000, 10, 2)});
  const auto cells = overview(*drawn.open.session, drawn.names, drawn.tracks, {{0}, {512'000}}, 125);
  ASSERT_EQ(cells.size(), 125u); // columns of 4,096 ns
  std::uint64_t count = 0;
  for (const auto& cell : cells) count += cell.count;
  EXPECT_GE(count, 80'000u);
  EXPECT_LE(count, 80'250u) << "launches across a border count in both columns";
  EXPECT_NEAR(cells[10].busy, 0.7, 0.002);
  EXPECT_NEAR(cells[100].busy, 0.5, 0.002);
  EXPECT_EQ(cells[10].name, 0u);
}

/// A sample every 1,000 ns, with a gap of 21,000 ns after the hundredth; one sample has no value.
TEST(Counters, DescribeOneSamplingPeriodAroundASample) {
  std::mt19937_64 random(9);
  auto data = test::random_trace(random, {1, 2, 10, 200, 10, 1, 1, 1, 0});
  for (int i = 0; i < 200; ++i) {
    test::column<std::int64_t>(data, "samples", "time").push_back(i * 1'000 + (i < 100 ? 0 : 20'000));
    test::column<std::uint32_t>(data, "samples", "counter").push_back(0);
    test::column<double>(data, "samples", "value").push_back(i == 50 ? NAN : i);
  }
  const Drawn drawn({data});
  const auto clock = std::find_if(drawn.tracks.list().begin(), drawn.tracks.list().end(),
                                  [](const auto& track) { return track.kind == TrackKind::Counter; });
  ASSERT_NE(clock, drawn.tracks.list().end());
  const auto value_at = [&](std::int64_t time) { // in a window narrower than the time between samples
    TimelineRequest request;
    request.window = {{time - 40}, {time + 60}};
    request.columns = 5;
    request.tracks = {clock->id};
    const auto column = drawn.timeline(request).tracks.front().counter[2];
    EXPECT_TRUE(column.minimum == column.maximum || std::isnan(column.mean));
    return column.mean;
  };
  EXPECT_EQ(value_at(10'300), 10);
  EXPECT_EQ(value_at(10'700), 11);
  EXPECT_EQ(value_at(99'900), 99) << "the next sample is more than one period later";
  EXPECT_TRUE(std::isnan(value_at(101'000)));
  EXPECT_TRUE(std::isnan(value_at(110'000)));
  EXPECT_EQ(value_at(119'600), 100);
  EXPECT_TRUE(std::isnan(value_at(50'100))) << "a sample without a value";
  EXPECT_EQ(value_at(-900), 0);
  EXPECT_TRUE(std::isnan(value_at(-2'000)));
}

// Every column is compared with the value of each of its nanoseconds.
TEST(Counters, ValuesThatHoldFillTheTimeUntilTheNextSample) {
  auto data = regular_trace(10, 1'000, 500); // 0 … 9,500
  test::column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern("allocated").value);
  test::column<std::uint32_t>(data, "counters", "unit").push_back(0);
  test::column<std::uint32_t>(data, "counters", "device").push_back(2);
  data.find("counters")->add("holds", "", "", SpillVector<std::uint8_t>{1});
  std::map<std::int64_t, double> values;
  std::mt19937_64 random(4);
  for (int i = 0; i < 60; ++i) values[100 + static_cast<std::int64_t>(random() % 5'000)] = i % 7 - 3;
  values[8'000] = 5;
  for (const auto& [time, value] : values) {
    test::column<std::int64_t>(data, "samples", "time").push_back(time);
    test::column<std::uint32_t>(data, "samples", "counter").push_back(0);
    test::column<double>(data, "samples", "value").push_back(value);
  }
  const Drawn drawn({data});
  const auto counter = std::find_if(drawn.tracks.list().begin(), drawn.tracks.list().end(),
                                    [](const auto& track) { return track.kind == TrackKind::Counter; });
  ASSERT_NE(counter, drawn.tracks.list().end());
  for (const auto& [begin, end, columns] :
       {std::tuple{std::int64_t{-500}, std::int64_t{11'000}, 23}, {0, 9'500, 7}, {2'000, 2'150, 50}}) {
    TimelineRequest request;
    request.window = {{begin}, {end}};
    request.columns = columns;
    request.tracks = {counter->id};
    const auto content = drawn.timeline(request).tracks.front();
    for (int c = 0; c < columns; ++c) {
      double minimum = INFINITY, maximum = -INFINITY, sum = 0;
      int number = 0;
      for (auto t = begin + (end - begin) * c / columns; t < begin + (end - begin) * (c + 1) / columns; ++t) {
        const auto next = values.upper_bound(t);
        if (next == values.begin() || t >= 9'500) continue; // no value, after the end of the trace
        minimum = std::min(minimum, std::prev(next)->second);
        maximum = std::max(maximum, std::prev(next)->second);
        sum += std::prev(next)->second;
        ++number;
      }
      const auto& column = content.counter[static_cast<std::size_t>(c)];
      ASSERT_EQ(std::isnan(column.mean), number == 0) << begin << " " << c;
      if (number == 0) continue;
      EXPECT_EQ(column.minimum, static_cast<float>(minimum)) << begin << " " << c;
      EXPECT_EQ(column.maximum, static_cast<float>(maximum)) << begin << " " << c;
      EXPECT_NEAR(column.mean, sum / number, 1e-5) << begin << " " << c;
    }
  }
}

TEST(Counters, SamplesBeforeAndAfterAllEventsAreInTheTimeline) {
  auto data = regular_trace(10, 100, 50); // 0 … 950
  test::column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern("power").value);
  test::column<std::uint32_t>(data, "counters", "unit").push_back(0);
  test::column<std::uint32_t>(data, "counters", "device").push_back(2);
  for (const std::int64_t time : {-5'000, 0, 7'000}) {
    test::column<std::int64_t>(data, "samples", "time").push_back(time);
    test::column<std::uint32_t>(data, "samples", "counter").push_back(0);
    test::column<double>(data, "samples", "value").push_back(1);
  }
  const Drawn drawn({data});
  EXPECT_EQ(drawn.open.session->span(), (Interval{{0}, {950}}));
  EXPECT_EQ(timeline_span(*drawn.open.session, drawn.tracks), (Interval{{-5'000}, {7'001}}));
}

TEST(Counters, PixelColumnsEqualTheirSamples) {
  std::mt19937_64 random(8);
  auto data = test::random_trace(random, {1, 2, 10, 10'000, 10, 1, 1, 1, 60'000});
  const auto times = test::column<std::int64_t>(data, "samples", "time");
  const auto values = test::column<double>(data, "samples", "value");
  const auto of = test::column<std::uint32_t>(data, "samples", "counter");
  const Drawn drawn({data});
  for (const auto& track : drawn.tracks.list()) {
    if (track.kind != TrackKind::Counter) continue;
    const auto counter = track.label == "clock" ? 0u : 1u;
    for (const std::int64_t begin : {-10, 7'777, 50'000}) {
      TimelineRequest request;
      request.window = {{begin}, {begin + 40'000}};
      request.columns = 37;
      request.tracks = {track.id};
      const auto content = drawn.timeline(request).tracks.front();
      for (std::int64_t c = 0; c < 37; ++c) {
        const auto left = begin + 40'000 * c / 37, right = begin + 40'000 * (c + 1) / 37;
        double minimum = INFINITY, maximum = -INFINITY, sum = 0;
        int numbers = 0;
        for (std::size_t i = 0; i < times.size(); ++i) {
          if (of[i] != counter || times[i] < left || times[i] >= right) continue;
          minimum = std::min(minimum, values[i]);
          maximum = std::max(maximum, values[i]);
          sum += values[i];
          ++numbers;
        }
        const auto& column = content.counter[static_cast<std::size_t>(c)];
        if (numbers == 0) continue; // no sample in this column
        EXPECT_EQ(column.minimum, static_cast<float>(minimum));
        EXPECT_EQ(column.maximum, static_cast<float>(maximum));
        EXPECT_EQ(column.mean, static_cast<float>(sum / numbers));
      }
    }
  }
}

TEST(StatisticsOfARange, AddUpTheLevelsOfATrack) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 100, 0, 2}, {50, 100, 0, 2}, {60, 10, 0, 2}, {120, 10, 0, 2}});
  const Drawn drawn({data});
  const auto sums =
      range_statistics(*drawn.open.session, drawn.tracks, drawn.tracks.track_of_stream(0, 3), {{40}, {125}});
  EXPECT_EQ(sums.count, 3u);
  EXPECT_EQ(sums.sum, 120u);
  EXPECT_EQ(sums.minimum, 10);
  EXPECT_EQ(sums.maximum, 100);
  EXPECT_EQ(sums.busy, 60u + 75u + 10u + 5u);
}
