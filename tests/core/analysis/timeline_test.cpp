#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "core/analysis/coverage.h"
#include "core/analysis/timeline.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

TEST(Coverage, MatchesTheWorkedExample) {
  // Events (0,10,a) (10,30,b) (35,40,a) in columns of 16 ns.
  Coverage coverage({{0}, {48}}, 3);
  coverage.add(0, 10, 0, true);
  coverage.add(10, 30, 1, true);
  coverage.add(35, 40, 0, true);
  const auto cells = coverage.cells();
  EXPECT_FLOAT_EQ(cells[0].busy, 1.0f);
  EXPECT_EQ(cells[0].name, 0u);
  EXPECT_FLOAT_EQ(cells[1].busy, 14.0f / 16);
  EXPECT_EQ(cells[1].name, 1u);
  EXPECT_FLOAT_EQ(cells[2].busy, 5.0f / 16);
  EXPECT_EQ(cells[2].count, 1u);
}

TEST(Coverage, TheShortestEventOfALongWindowIsSeen) {
  Coverage coverage({{0}, {1'000'000'000'000}}, 1000);
  coverage.add(499'999'999'999, 500'000'000'000, 7, true);
  const auto cells = coverage.cells();
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [](const TimelineCell& c) { return c.count > 0; }), 1);
  EXPECT_EQ(cells[499].count, 1u);
}

TEST(Coverage, CoveredTimeIsExactForAnyColumns) {
  std::mt19937_64 random(9);
  for (const int columns : {1, 3, 7, 100, 997}) {
    const std::int64_t begin = -1000, end = begin + 50'000 + static_cast<std::int64_t>(random() % 999);
    Coverage coverage({{begin}, {end}}, columns);
    std::int64_t covered = 0;
    std::int64_t at = begin - 300;
    while (at < end + 300) {
      const std::int64_t length = static_cast<std::int64_t>(random() % 200);
      covered += std::max<std::int64_t>(std::min(at + length, end) - std::max(at, begin), 0);
      coverage.add(at, at + length, static_cast<std::uint32_t>(random() % 5), true);
      at += length + static_cast<std::int64_t>(random() % 100);
    }
    double busy = 0;
    const auto cells = coverage.cells();
    for (int c = 0; c < columns; ++c) {
      const std::int64_t left = (end - begin) * c / columns, right = (end - begin) * (c + 1) / columns;
      busy +=
          static_cast<double>(cells[static_cast<std::size_t>(c)].busy) * static_cast<double>(right - left);
    }
    EXPECT_NEAR(busy, static_cast<double>(covered), 0.05 * columns);
  }
}

namespace {

store::TraceData busy_trace(int rows) {
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
  const OpenSession open({busy_trace(10)});
  const Tracks tracks(*open.session);
  std::vector<TrackKind> kinds;
  for (const auto& track : tracks.list()) kinds.push_back(track.kind);
  using enum TrackKind;
  EXPECT_EQ(kinds, (std::vector<TrackKind>{Host, Process, Device, Stream, Stream, Copies, Migrations}));
  EXPECT_EQ(tracks.list()[3].parent, 2);
  EXPECT_EQ(tracks.list()[2].events, 10);
  EXPECT_EQ(tracks.track_of_stream(0, 3), 3u);
}

TEST(Timeline, FewEventsAreBarsAndManyAreFoldedWithoutLosingAny) {
  const OpenSession open({busy_trace(1000)});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  const TimelineRequest all{{{0}, {10'000}}, 100, {3}, 2000};
  const auto bars = timeline(*open.session, *open.columns, names, tracks, {}, all);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].bars.size(), 500u);
  EXPECT_EQ(bars[0].bars[1].row, 2) << "handles are session rows";
  auto folded_request = all;
  folded_request.most_bars = 100;
  const auto folded = timeline(*open.session, *open.columns, names, tracks, {}, folded_request);
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
  const auto content =
      timeline(*open.session, *open.columns, names, tracks, {}, {{{500}, {600}}, 10, {3}, 2000});
  ASSERT_EQ(content[0].bars.size(), 1u);
  EXPECT_EQ(content[0].bars[0].begin, 0);
}

TEST(Timeline, WhatTheFilterLeavesOutIsDimmedNotHidden) {
  const OpenSession open({busy_trace(100)});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  Selection selection;
  selection.filter = std::move(*Filter::parse("start >= 500", *open.columns));
  const auto content =
      timeline(*open.session, *open.columns, names, tracks, selection, {{{0}, {1000}}, 100, {2}, 2000});
  EXPECT_EQ(content[0].bars.size(), 100u);
  EXPECT_EQ(std::count_if(content[0].bars.begin(), content[0].bars.end(),
                          [](const TimelineBar& b) { return b.dimmed; }),
            50);
}

TEST(Tracks, OverlappingLaunchesOfOneStreamStandInLanes) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "kernel", 1);
  test::add_launches(data,
                     {{0, 100, 0, 2}, {50, 100, 0, 2}, {60, 10, 0, 2}, {120, 10, 0, 2}, {300, 5, 0, 3}});
  const OpenSession open({data});
  const Tracks tracks(*open.session);
  const auto& overlapping = tracks.list()[tracks.track_of_stream(0, 3)];
  EXPECT_EQ(overlapping.levels, 3);
  EXPECT_EQ(tracks.rows(overlapping.id).levels, (std::vector<std::uint8_t>{0, 1, 2, 0}));
  EXPECT_TRUE(tracks.rows(tracks.track_of_stream(0, 4)).levels.empty());
}

TEST(Tracks, StatesOfAThreadStandApartFromItsRanges) {
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
