#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/lanes/coverage.h"
#include "core/analysis/lanes/level_of_detail.h"
#include "core/analysis/timeline/timeline.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

// The pixel columns of a window, each a bin.
std::vector<BinSum> columns_of(Interval window, int columns, const std::vector<store::Event>& events) {
  const ColumnBins bins(window, columns, false);
  analysis::Coverage coverage(10);
  coverage.start(bins.borders());
  for (const auto& event : events) coverage.add(event, true);
  const auto sums = coverage.finish();
  return {sums.begin(), sums.end()};
}

} // namespace

TEST(Coverage, MatchesTheWorkedExample) {
  const auto bins = columns_of({{0}, {48}}, 3, {{0, 10, 0}, {10, 30, 1}, {35, 40, 0}});
  EXPECT_EQ(bins[0].busy, 16u);
  EXPECT_EQ(bins[0].name, 0u);
  EXPECT_EQ(bins[0].name_busy, 10u);
  EXPECT_EQ(bins[1].busy, 14u);
  EXPECT_EQ(bins[1].starts, 0u);
  EXPECT_EQ(bins[1].open, 1u);
  EXPECT_EQ(bins[1].name, 1u);
  EXPECT_EQ(bins[2].busy, 5u);
  EXPECT_EQ(bins[2].starts, 1u);
}

TEST(Coverage, TheShortestEventOfALongWindowIsSeen) {
  const auto bins = columns_of({{0}, {1'000'000'000'000}}, 1000, {{499'999'999'999, 500'000'000'000, 7}});
  EXPECT_EQ(std::count_if(bins.begin(), bins.end(), [](const BinSum& b) { return b.starts > 0; }), 1);
  EXPECT_EQ(bins[499].starts, 1u);
}

TEST(Coverage, EqualsBruteForceForAnyColumns) {
  std::mt19937_64 random(9);
  for (const int columns : {1, 3, 7, 100, 997}) {
    const std::int64_t begin = -1000, end = begin + 50'000 + static_cast<std::int64_t>(random() % 999);
    std::vector<store::Event> events;
    for (std::int64_t at = begin - 300; at < end + 300; at += static_cast<std::int64_t>(random() % 60))
      events.push_back({at, at + static_cast<std::int64_t>(random() % (random() % 30 == 0 ? 9'000 : 60)),
                        static_cast<std::uint32_t>(random() % 5)});
    const auto bins = columns_of({{begin}, {end}}, columns, events);
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t left = begin + (end - begin) * c / columns,
                         right = begin + (end - begin) * (c + 1) / columns;
      std::uint32_t starts = 0, open = 0;
      std::uint64_t busy = 0;
      std::map<std::uint32_t, std::uint64_t> times;
      for (const auto& event : events) {
        if (event.begin >= right || (event.begin < left && event.end <= left)) continue;
        ++(event.begin < left ? open : starts);
        const auto inside = static_cast<std::uint64_t>(std::max(std::min(event.end, right), event.begin) -
                                                       std::max(event.begin, left));
        busy += inside;
        times[event.name] += inside;
      }
      const auto& bin = bins[static_cast<std::size_t>(c)];
      EXPECT_EQ(bin.starts, starts);
      EXPECT_EQ(bin.open, open);
      EXPECT_EQ(bin.busy, busy);
      EXPECT_EQ(bin.selected, busy);
      EXPECT_EQ(bin.selected_events, starts + open);
      if (times.empty()) continue;
      const auto best = std::max_element(times.begin(), times.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      EXPECT_EQ(bin.name, best->first);
      EXPECT_EQ(bin.name_busy, best->second);
    }
  }
}

namespace {

store::TraceData two_device_trace(int rows) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 2);
  std::vector<test::LaunchRow> launches;
  for (int i = 0; i < rows; ++i)
    launches.push_back({i * 10, 5, static_cast<std::uint32_t>(i % 2), static_cast<std::uint32_t>(2 + i % 2)});
  test::add_launches(data, launches);
  test::add_transfers(data, {{3, 4, 100}, {50, 10, 200, store::TransferKind::MigrationHostToDevice}});
  return data;
}

} // namespace

TEST(Tracks, FollowTheResourceTree) {
  const OpenSession open({two_device_trace(10)});
  const Tracks tracks(*open.session);
  std::vector<TrackKind> kinds;
  for (const auto& track : tracks.list()) kinds.push_back(track.kind);
  using enum TrackKind;
  EXPECT_EQ(kinds, (std::vector<TrackKind>{Host, Process, Device, Active, Idle, Stream, Stream, Copies,
                                           Migrations}));
  EXPECT_EQ(tracks.list()[3].parent, 2);
  EXPECT_EQ(tracks.list()[2].events, 10);
  EXPECT_EQ(tracks.track_of_stream(0, 3), 5u);
}

TEST(Timeline, FewEventsAreBarsAndManyAreFoldedWithoutLosingAny) {
  const OpenSession open({two_device_trace(1000)});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  const TimelineRequest all{{{0}, {10'000}}, 100, {tracks.track_of_stream(0, 3)}, 2000};
  const auto bars = timeline(*open.session, *open.columns, names, tracks, {}, all).tracks;
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].bars.size(), 500u);
  EXPECT_EQ(bars[0].bars[1].row, 2) << "handles are session rows";
  auto folded_request = all;
  folded_request.max_bars = 100;
  const auto folded = timeline(*open.session, *open.columns, names, tracks, {}, folded_request).tracks;
  ASSERT_EQ(folded[0].cells.size(), 100u);
  std::uint32_t count = 0;
  for (const auto& cell : folded[0].cells) count += cell.count;
  EXPECT_EQ(count, 500u);
}

TEST(Timeline, AnEventThatStartedBeforeTheWindowIsThere) {
  auto data = test::empty_trace();
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 1000, 0}, {2000, 1, 0}});
  const OpenSession open({data});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  const auto content = timeline(*open.session, *open.columns, names, tracks, {},
                                {{{500}, {600}}, 10, {tracks.track_of_stream(0, 3)}, 2000})
                           .tracks;
  ASSERT_EQ(content[0].bars.size(), 1u);
  EXPECT_EQ(content[0].bars[0].begin, 0);
}

TEST(Timeline, WhatTheFilterLeavesOutIsDimmedNotHidden) {
  const OpenSession open({two_device_trace(100)});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  Selection selection;
  selection.filter = std::move(*Filter::parse("start >= 500", *open.columns));
  const auto content =
      timeline(*open.session, *open.columns, names, tracks, selection, {{{0}, {1000}}, 100, {2}, 2000})
          .tracks;
  EXPECT_EQ(content[0].bars.size(), 100u);
  EXPECT_EQ(std::count_if(content[0].bars.begin(), content[0].bars.end(),
                          [](const TimelineBar& b) { return b.dimmed; }),
            50);
}

TEST(Tracks, OverlappingLaunchesOfOneStreamAreInLanes) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "kernel", 1);
  test::add_launches(data,
                     {{0, 100, 0, 2}, {50, 100, 0, 2}, {60, 10, 0, 2}, {120, 10, 0, 2}, {300, 5, 0, 3}});
  const OpenSession open({data});
  const Tracks tracks(*open.session);
  const auto& overlapping = tracks.list()[tracks.track_of_stream(0, 3)];
  EXPECT_EQ(overlapping.levels, 3);
  const auto& lanes = tracks.levels(overlapping.id);
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[0]->events(), 2u) << "the first launch, and the last, which starts after the first ended";
  EXPECT_EQ(lanes[0]->at(1).begin, 120);
  EXPECT_EQ(lanes[1]->at(0).begin, 50);
  EXPECT_EQ(lanes[2]->at(0).begin, 60);
  EXPECT_EQ(tracks.levels(tracks.track_of_stream(0, 4)).size(), 1u);
}

TEST(Tracks, StatesOfAThreadAreSeparateFromItsRanges) {
  auto data = test::empty_trace();
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 7, -1, "thread"});
  const auto add = [&](std::int64_t start, std::int64_t duration, std::uint8_t kind) {
    test::column<std::int64_t>(data, "ranges", "start").push_back(start);
    test::column<std::int64_t>(data, "ranges", "duration").push_back(duration);
    for (const char* name : {"name", "domain"})
      test::column<std::uint32_t>(data, "ranges", name).push_back(0);
    test::column<std::uint32_t>(data, "ranges", "thread").push_back(4);
    test::column<std::uint8_t>(data, "ranges", "depth").push_back(0);
    test::column<std::uint8_t>(data, "ranges", "kind").push_back(kind);
  };
  add(0, 100, 3);
  add(10, 20, 0);
  const OpenSession open({data});
  const Tracks tracks(*open.session);
  std::vector<std::string> labels;
  for (const auto& track : tracks.list())
    if (track.kind == TrackKind::Ranges) labels.push_back(track.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"thread [7] · states", "thread [7] · ranges"}));
}
