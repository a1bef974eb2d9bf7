#include <map>

#include <gtest/gtest.h>

#include "core/store/tracks/range_statistics.h"
#include "tests/core/store/random_trace.h"
#include "tests/core/store/series_events.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::store;

namespace {

Store written(const test::TemporaryFolder& folder, const TraceData& data) {
  const auto path = folder.file("a.jts");
  const auto done = write_store(data, path);
  EXPECT_TRUE(done) << (done ? "" : describe(done.error()));
  auto store = Store::open(path);
  EXPECT_TRUE(store) << (store ? "" : describe(store.error()));
  return std::move(*store);
}

std::vector<Event> events_of(const Series& series) {
  std::vector<Event> events(series.events());
  series.read(0, events.size(), events.data());
  return events;
}

// The series of an index, with row numbers and with positions and busy times of tiles, as text.
std::string picture(const TrackIndex& index) {
  std::string text;
  for (const auto& series : index.series()) {
    text += std::to_string(static_cast<int>(series.kind)) + " " + std::to_string(series.resource) + " " +
            std::to_string(series.level) + ":";
    for (std::size_t i = 0; i < series.events(); ++i) text += " " + std::to_string(series.row(i));
    for (const auto& level : series.levels)
      for (std::size_t i = 0; i < level.size(); ++i)
        text += " " + std::to_string(level[i].at) + "/" + std::to_string(level[i].busy);
    text += "\n";
  }
  return text;
}

RangeStatistics brute_force(const std::vector<Event>& events, std::int64_t begin, std::int64_t end) {
  RangeStatistics sums;
  for (const auto& event : events) {
    const auto length = event.end - event.begin;
    sums.busy += static_cast<std::uint64_t>(
        std::max<std::int64_t>(std::min(event.end, end) - std::max(event.begin, begin), 0));
    if (event.begin < begin || event.begin >= end) continue;
    sums.minimum = sums.count ? std::min(sums.minimum, length) : length;
    sums.maximum = sums.count ? std::max(sums.maximum, length) : length;
    ++sums.count;
    sums.sum += static_cast<std::uint64_t>(length);
    sums.squares += static_cast<UInt128>(length) * static_cast<UInt128>(length);
  }
  return sums;
}

} // namespace

TEST(TrackIndex, PutsEveryEventIntoItsSeries) {
  std::mt19937_64 random(2);
  auto data = test::random_trace(random, {});
  ASSERT_TRUE(add_track_index(data, {}));
  const test::TemporaryFolder folder;
  const auto store = written(folder, data);
  const TrackIndex index(store);
  EXPECT_FALSE(index.rebuilt());
  std::map<SeriesKind, std::size_t> events;
  for (const auto& series : index.series()) {
    events[series.kind] += series.events();
    std::int64_t before = INT64_MIN, last_end = INT64_MIN, busy = 0;
    bool overlaps = false;
    for (std::size_t i = 0; i < series.events(); ++i) {
      const auto event = series.at(i);
      EXPECT_LE(before, event.begin) << "start order";
      before = event.begin;
      overlaps |= event.begin < last_end;
      last_end = std::max(last_end, event.end);
      busy += event.end - event.begin;
    }
    EXPECT_EQ(series.begin, series.at(0).begin);
    EXPECT_EQ(series.end, last_end);
    EXPECT_EQ(series.busy, busy);
    EXPECT_EQ(series.overlaps, overlaps);
    if (series.kind == SeriesKind::StreamLaunches) {
      EXPECT_FALSE(overlaps) << "launches of one lane do not overlap";
    }
  }
  EXPECT_EQ(events[SeriesKind::AllLaunches], 3'000u);
  EXPECT_EQ(events[SeriesKind::StreamLaunches], 3'000u);
  EXPECT_EQ(events[SeriesKind::DeviceLaunches], 3'000u);
  EXPECT_EQ(events[SeriesKind::Copies] + events[SeriesKind::Migrations], 800u);
  EXPECT_EQ(events[SeriesKind::Calls], 2'000u);
  EXPECT_EQ(events[SeriesKind::Ranges] + events[SeriesKind::States], 1'500u);
}

TEST(TrackIndex, HoldsTheTilesOfItsEvents) {
  std::mt19937_64 random(3);
  auto data = test::random_trace(random, {});
  ASSERT_TRUE(add_track_index(data, {}));
  const test::TemporaryFolder folder;
  const auto store = written(folder, data);
  const TrackIndex index(store);
  std::size_t tiles = 0;
  for (const auto& series : index.series()) {
    const auto events = events_of(series);
    for (const auto& level : series.levels) {
      const auto expected = test::brute_force_level(events, level.shift, kTileEvents);
      ASSERT_EQ(level.size(), expected.size());
      for (std::size_t i = 0; i < level.size(); ++i) EXPECT_TRUE(level[i] == expected[i]);
      tiles += level.size();
    }
  }
  EXPECT_GT(tiles, 500u);
}

TEST(TrackIndex, IsTheSameWhenBuiltAtOpening) {
  std::mt19937_64 random(4);
  auto data = test::random_trace(random, {});
  const test::TemporaryFolder without_folder, with_folder;
  const auto without = written(without_folder, data);
  ASSERT_TRUE(add_track_index(data, {}));
  const auto with = written(with_folder, data);
  const TrackIndex rebuilt(without), mapped(with);
  EXPECT_TRUE(rebuilt.rebuilt());
  EXPECT_FALSE(mapped.rebuilt());
  EXPECT_EQ(picture(rebuilt), picture(mapped));
}

TEST(TrackIndex, OfOneStreamNeedsNoRowsOfItsOwn) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < 500; ++i) rows.push_back({i * 10, 5, 0, 2});
  test::add_launches(data, rows);
  ASSERT_TRUE(add_track_index(data, {}));
  EXPECT_EQ(data.find("series_rows")->rows(), 0u);
  EXPECT_EQ(data.find("series")->rows(), 3u) << "stream, device, all";
  EXPECT_EQ(data.find("series_blocks")->rows(), 8u) << "stream, device and all share their blocks";
  ASSERT_TRUE(add_track_index(data, {}));
  EXPECT_EQ(data.find("series")->rows(), 3u) << "replaced, not added";
}

TEST(TrackIndex, OfALaunchOrderCountsPlaces) {
  auto data = test::empty_trace(1);
  data.manifest.launch_order = true;
  test::add_kernel(data, "a", 1);
  std::vector<test::LaunchRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({i, i % 2 ? kMissingDuration : 1'000, 0, 2});
  test::add_launches(data, rows);
  const test::TemporaryFolder folder;
  const TrackIndex index(written(folder, data));
  ASSERT_EQ(index.series().size(), 3u);
  EXPECT_EQ(index.series()[0].busy, 100);
  EXPECT_EQ(range_statistics(index.series()[0], 10, 20).busy, 10u);
}

TEST(TrackIndex, OfNothingHasNoSeries) {
  auto data = test::empty_trace(1);
  ASSERT_TRUE(add_track_index(data, {}));
  const test::TemporaryFolder folder;
  const TrackIndex index(written(folder, data));
  EXPECT_TRUE(index.series().empty());
  EXPECT_FALSE(index.rebuilt());
}

TEST(TrackIndex, OfAnotherTraceIsNotBelieved) {
  std::mt19937_64 random(6);
  auto data = test::random_trace(random, {});
  ASSERT_TRUE(add_track_index(data, {}));
  auto other = test::random_trace(random, {});
  for (const char* name : kTrackIndexTables) other.tables.push_back(*data.find(name));
  const test::TemporaryFolder folder;
  const TrackIndex index(written(folder, other));
  EXPECT_TRUE(index.rebuilt());
}

TEST(RangeStatistics, EqualAddingUpEveryEvent) {
  std::mt19937_64 random(8);
  for (const auto& shape : {test::TraceShape{}, test::TraceShape{1, 3, 9'000, 50, 10, 10, 10, 10, 10},
                            test::TraceShape{3, 3, 200, 1'000, std::int64_t{1} << 34, 10, 10, 10, 10}}) {
    auto data = test::random_trace(random, shape);
    const test::TemporaryFolder folder;
    const TrackIndex index(written(folder, data));
    for (const auto& series : index.series()) {
      const auto events = events_of(series);
      for (int trial = 0; trial < 50; ++trial) {
        const auto span = static_cast<std::uint64_t>(series.end - series.begin + 200);
        auto begin = series.begin - 100 + static_cast<std::int64_t>(random() % span);
        auto end = series.begin - 100 + static_cast<std::int64_t>(random() % span);
        if (trial == 0) begin = series.begin, end = series.end + 1;
        if (trial == 1) end = begin;
        if (begin > end) std::swap(begin, end);
        const auto found = range_statistics(series, begin, end), expected = brute_force(events, begin, end);
        EXPECT_EQ(found.count, expected.count);
        EXPECT_EQ(found.sum, expected.sum);
        EXPECT_TRUE(found.squares == expected.squares);
        EXPECT_EQ(found.minimum, expected.minimum);
        EXPECT_EQ(found.maximum, expected.maximum);
        EXPECT_EQ(found.busy, expected.busy);
      }
    }
  }
}

TEST(RangeStatistics, MeanAndVarianceAreThoseOfTheLengths) {
  RangeStatistics s;
  s.count = 3;
  s.sum = 2 + 4 + 9;
  s.squares = 4 + 16 + 81;
  EXPECT_DOUBLE_EQ(s.mean_ns(), 5.0);
  EXPECT_DOUBLE_EQ(s.variance_ns2(), (9.0 + 1.0 + 16.0) / 3);
  EXPECT_TRUE(std::isnan(RangeStatistics{}.mean_ns()));
  EXPECT_TRUE(std::isnan(RangeStatistics{}.variance_ns2()));
}

TEST(CounterSeries, ExtremesEqualThoseOfTheSamples) {
  std::mt19937_64 random(9);
  test::TraceShape shape;
  shape.samples = 30'000;
  auto data = test::random_trace(random, shape);
  auto& values = test::column<double>(data, "samples", "value");
  for (std::size_t i = 0; i < values.size(); i += 1 + random() % 40) values[i] = std::nan("");
  ASSERT_TRUE(add_track_index(data, {}));
  const test::TemporaryFolder folder;
  const TrackIndex index(written(folder, data));
  ASSERT_EQ(index.counters().size(), 2u);
  for (const auto& counter : index.counters()) {
    for (int trial = 0; trial < 200; ++trial) {
      auto from = random() % (counter.times.size() + 1), to = random() % (counter.times.size() + 1);
      if (from > to) std::swap(from, to);
      double minimum = INFINITY, maximum = -INFINITY, sum = 0;
      std::uint64_t numbers = 0;
      for (auto i = from; i < to; ++i) {
        const double value = values[counter.first + i];
        if (std::isnan(value)) continue;
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
        sum += value; // eighths: the sum does not depend on the order
        ++numbers;
      }
      const auto found = counter.extremes(from, to);
      EXPECT_EQ(found.numbers, numbers);
      if (numbers == 0) continue;
      EXPECT_EQ(found.minimum, minimum);
      EXPECT_EQ(found.maximum, maximum);
      EXPECT_EQ(found.sum, sum);
    }
  }
}
