#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/analysis/distributions/kernels.h"
#include "core/analysis/timeline/area.h"
#include "core/analysis/timeline/flow.h"
#include "tests/core/analysis/lanes/tracked.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::brute_union;
using test::busy_trace;
using test::events_of;
using test::OpenSession;
using test::small_trace;
using test::Tracked;

TEST(Area, CountsWhatIsInItsTracks) {
  const Tracked session(small_trace());
  const auto& device = session.track(TrackKind::Device);
  const auto whole = area_of(*session.open.session, session.tracks, {}, {{0}, {1'000}});
  EXPECT_TRUE(whole.all_streams);
  const auto of = [&](const Area& area, std::uint32_t track) {
    for (const auto& row : area.tracks)
      if (row.track == track) return row;
    return AreaTrack{};
  };
  EXPECT_EQ(of(whole, device.id).events, 4u);
  EXPECT_EQ(of(whole, device.id).busy, 350u);
  EXPECT_EQ(of(whole, device.id).covered, 300u);
  EXPECT_EQ(of(whole, session.track(TrackKind::Idle).id).covered, 420u)
      << "from the first event at 100 to the last at 820";
  const auto first = session.tracks.track_of_stream(0, 3);
  const auto one = area_of(*session.open.session, session.tracks, {first}, {{120}, {500}});
  EXPECT_FALSE(one.all_streams);
  ASSERT_EQ(one.streams.size(), 1u);
  EXPECT_EQ(one.streams[0], (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(of(one, first).events, 1u) << "events that begin in the range";
  EXPECT_EQ(of(one, first).covered, 80u + 50u);
  const auto group = area_of(*session.open.session, session.tracks, {device.id}, {{0}, {1'000}});
  EXPECT_TRUE(group.all_streams) << "a device includes its streams";
}

TEST(Area, TracksOfLaunchesFollowTheFilter) {
  const Tracked session(busy_trace(8));
  const Interval range{{20'000}, {200'000}};
  const auto& trace = session.open.session->traces()[0];
  const auto streams =
      session.open.columns->read("stream", {0, 0, trace.launches()}); // numbers of the profiler
  const auto resources = trace.store.column<std::uint32_t>("launches", "stream");
  auto selection =
      Selection::make(fmt::format("stream != {} and duration > 60", streams[0]), *session.open.columns);
  ASSERT_TRUE(selection.has_value());
  const auto selected = selected_launches(*session.open.session, *session.open.columns, &session.tracks,
                                          *selection, range, *session.open.communicator, {});
  ASSERT_TRUE(selected.has_value());
  const auto area = area_of(*session.open.session, session.tracks, {}, range, &*selected);
  const auto whole = area_of(*session.open.session, session.tracks, {}, range);
  const auto row_of = [](const Area& of, std::uint32_t track) {
    return *std::find_if(of.tracks.begin(), of.tracks.end(),
                         [&](const AreaTrack& row) { return row.track == track; });
  };
  const auto device = row_of(area, session.track(TrackKind::Device).id);
  std::vector<store::Event> passing;
  std::uint64_t events = 0, busy = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(trace.launches()); ++row) {
    const auto begin = trace.starts()[row], end = begin + trace.durations()[row];
    const auto parent = session.tracks.list()[session.tracks.track_of_stream(0, resources[row])].parent;
    if (parent != static_cast<std::int32_t>(device.track) || streams[row] == streams[0] ||
        end - begin <= 60 || end <= range.begin.count || begin >= range.end.count)
      continue;
    passing.push_back({begin, end, 0});
    events += begin >= range.begin.count;
    busy += static_cast<std::uint64_t>(std::min(end, range.end.count) - std::max(begin, range.begin.count));
  }
  EXPECT_GT(events, 100u);
  EXPECT_EQ(device.events, events);
  EXPECT_EQ(device.busy, busy);
  EXPECT_EQ(device.covered, brute_union(passing, range.begin.count, range.end.count));
  EXPECT_TRUE(device.filtered);
  EXPECT_LT(device.events, row_of(whole, device.track).events);
  const auto excluded = row_of(area, session.tracks.track_of_stream(0, resources[0]));
  EXPECT_EQ(excluded.events, 0u);
  EXPECT_EQ(excluded.busy, 0u);
  // Rows of other tracks are not filtered, and their flag states this.
  for (const auto kind : {TrackKind::Copies, TrackKind::Idle}) {
    const auto id = session.track(kind).id;
    EXPECT_FALSE(row_of(area, id).filtered);
    EXPECT_EQ(row_of(area, id).busy, row_of(whole, id).busy);
  }
}

// Many rows, so that several threads each have parts; launches that extend over several parts, and into the
// range.
TEST(Area, SumsOfSelectedLaunchesEqualThoseOfEachTrackForAnyRange) {
  std::mt19937_64 random(11);
  auto data = test::random_trace(random, {3, 6, 400'000, 20, 60, 10, 10, 10, 10});
  test::add_kernel(data, "ncclDevKernel_AllReduce", 1);
  const auto communicates = static_cast<std::uint32_t>(data.find("configurations")->rows() - 1);
  auto& durations = test::column<std::int64_t>(data, "launches", "duration");
  auto& configurations = test::column<std::uint32_t>(data, "launches", "configuration");
  for (std::size_t row = 0; row < durations.size(); ++row)
    if (random() % 7 == 0) configurations[row] = communicates;
  durations[1'000] = 2'000'000; // ns, in a run of about 4,000,000 ns
  durations[100'000] = 800'000;
  durations[150'000] = 900'000;
  const Tracked session(std::move(data));
  const auto& trace = session.open.session->traces()[0];
  const auto selection = Selection::make("duration > 25", *session.open.columns);
  ASSERT_TRUE(selection.has_value());
  const auto last = trace.starts().back();
  for (const Interval range : {Interval{{-10}, {last + 3'000'000}},
                               {{last / 10}, {last * 9 / 10}},
                               {{last / 2}, {last / 2 + 5'000}}}) {
    const auto selected = selected_launches(*session.open.session, *session.open.columns, &session.tracks,
                                            *selection, range, *session.open.communicator, {});
    ASSERT_TRUE(selected.has_value());
    const auto area = area_of(*session.open.session, session.tracks, {}, range, &*selected);
    std::size_t compared = 0;
    for (const auto& track : area.tracks) {
      if (!track.filtered) continue;
      AreaTrack expected;
      std::vector<store::Event> passing;
      for (const auto* series : session.tracks.levels(track.track))
        for (std::size_t position = 0; series && position < series->events(); ++position) {
          const auto event = series->at(position);
          if (trace.durations()[series->row(position)] <= 25 || event.end <= range.begin.count ||
              event.begin >= range.end.count)
            continue;
          passing.push_back(
              {std::max(event.begin, range.begin.count), std::min(event.end, range.end.count), 0});
          expected.events += event.begin >= range.begin.count;
          expected.busy += static_cast<std::uint64_t>(passing.back().end - passing.back().begin);
        }
      std::sort(passing.begin(), passing.end(),
                [](const auto& a, const auto& b) { return a.begin < b.begin; });
      const auto& label = session.tracks.list()[track.track].label;
      EXPECT_EQ(track.events, expected.events) << label;
      EXPECT_EQ(track.busy, expected.busy) << label;
      EXPECT_TRUE(track.covered_known) << label;
      EXPECT_EQ(track.covered, brute_union(passing, range.begin.count, range.end.count)) << label;
      ++compared;
    }
    EXPECT_EQ(compared, 8u) << "two devices, their streams, their kernels that communicate";
  }
}

TEST(Area, KernelsAreThoseOfItsStreams) {
  const Tracked session(busy_trace(8));
  Selection selection;
  selection.intervals = {{{20'000}, {200'000}}};
  selection.streams = {{3, 5}};
  auto& communicator = *session.open.communicator;
  const auto rows = kernel_table(*session.open.session, *session.open.columns, selection, communicator, {});
  ASSERT_TRUE(rows.has_value());
  std::int64_t counted = 0, expected = 0;
  for (const auto& row : *rows) counted += row.launches;
  const auto& trace = session.open.session->traces()[0];
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  for (std::size_t row = 0; row < static_cast<std::size_t>(trace.launches()); ++row)
    expected += (streams[row] == 3 || streams[row] == 5) && trace.starts()[row] >= 20'000 &&
                trace.starts()[row] < 200'000;
  EXPECT_GT(expected, 100);
  EXPECT_EQ(counted, expected);
  selection.streams = {{}};
  EXPECT_TRUE(
      kernel_table(*session.open.session, *session.open.columns, selection, communicator, {})->empty())
      << "an empty list of streams does not mean all streams";
}

TEST(Flow, LinksTheCopiesOfTheFeedingWindow) {
  const Tracked session(small_trace());
  const auto copies = session.track(TrackKind::Copies).id;
  // Launch 2 of stream 3 begins at 400; the previous launch ended at 200: the copy of 190 … 410 feeds it.
  const auto flow = launch_flow(*session.open.session, session.tracks, 2, 10);
  ASSERT_TRUE(flow.has_value());
  EXPECT_EQ(flow->window_begin, 200);
  EXPECT_EQ(flow->call_track, kNone);
  ASSERT_EQ(flow->transfers.size(), 1u);
  EXPECT_EQ(flow->transfers[0].track, copies);
  EXPECT_EQ(flow->transfers[0].begin, 190);
  const auto last = launch_flow(*session.open.session, session.tracks, 3, 10);
  ASSERT_EQ(last->transfers.size(), 1u) << "the copy after the launch is not linked to it";
  EXPECT_EQ(last->transfers[0].begin, 500);
  EXPECT_FALSE(launch_flow(*session.open.session, session.tracks, 4, 10).has_value());
}

TEST(Step, FollowsTheKernelAndTheStream) {
  const Tracked session(small_trace());
  const auto step = [&](std::int64_t row, StepBy by, int direction) {
    const auto found = step_from(*session.open.session, session.tracks, row, by, direction, {});
    return found && *found ? (*found)->row : -1;
  };
  EXPECT_EQ(step(0, StepBy::Kernel, 1), 2) << "the launch of the other kernel is skipped";
  EXPECT_EQ(step(2, StepBy::Kernel, 1), 3);
  EXPECT_EQ(step(3, StepBy::Kernel, 1), -1);
  EXPECT_EQ(step(3, StepBy::Kernel, -1), 2);
  EXPECT_EQ(step(1, StepBy::Kernel, -1), -1);
  EXPECT_EQ(step(0, StepBy::Stream, 1), 2);
  EXPECT_EQ(step(2, StepBy::Stream, -1), 0);
  EXPECT_EQ(step(1, StepBy::Stream, 1), -1);
}

TEST(Step, VisitsEveryLaunchOfAStreamOnce) {
  const Tracked session(busy_trace(9, 1)); // its launches are in several lanes
  const auto streams = session.open.session->traces()[0].store.column<std::uint32_t>("launches", "stream");
  std::int64_t at = 0, visited = 1;
  while (streams[static_cast<std::size_t>(at)] != 3) ++at;
  const auto first = at;
  for (;; ++visited) {
    const auto next = step_from(*session.open.session, session.tracks, at, StepBy::Stream, 1, {});
    ASSERT_TRUE(next.has_value());
    if (!*next) break;
    ASSERT_GT((*next)->row, at);
    at = (*next)->row;
  }
  EXPECT_EQ(visited, std::count_if(streams.begin(), streams.end(), [](auto stream) { return stream == 3; }));
  while (const auto next = *step_from(*session.open.session, session.tracks, at, StepBy::Stream, -1, {}))
    at = next->row;
  EXPECT_EQ(at, first);
}

// A copy is linked to exactly the launches whose flow contains it.
TEST(EventFlow, CopiesFeedTheLaunchesThatTheyAreLinkedTo) {
  for (const std::uint64_t seed : {11u, 12u, 13u}) {
    const Tracked session(busy_trace(seed));
    const auto& open = *session.open.session;
    const auto& trace = open.traces()[0];
    using Link = std::tuple<std::uint32_t, std::int64_t, std::uint32_t,
                            std::int64_t>; // copy's track and end, launch's track and position
    std::multiset<Link> by_launch, by_copy;
    for (std::int64_t row = 0; row < trace.launches(); ++row) {
      const auto flow = launch_flow(open, session.tracks, row, 1'000'000);
      ASSERT_TRUE(flow.has_value());
      for (const auto& copy : flow->transfers)
        by_launch.insert({copy.track, copy.end, flow->track, std::clamp(copy.end, flow->begin, flow->end)});
    }
    for (const auto kind : {TrackKind::Copies, TrackKind::Migrations})
      for (const auto& track : session.tracks.list()) {
        if (track.kind != kind ||
            session.tracks.list()[static_cast<std::size_t>(track.parent)].kind != TrackKind::Device)
          continue;
        for (const auto* series : session.tracks.levels(track.id))
          for (std::size_t i = 0; series && i < series->events(); ++i) {
            const auto arrows = event_flow(open, session.tracks, track.id,
                                           static_cast<std::int64_t>(series->row(i)), 1'000'000);
            ASSERT_TRUE(arrows.has_value());
            for (const auto& arrow : *arrows)
              if (arrow.feeds) by_copy.insert({arrow.from_track, arrow.from, arrow.to_track, arrow.to});
          }
      }
    EXPECT_GT(by_launch.size(), 20u);
    EXPECT_EQ(by_copy, by_launch) << "seed " << seed;
  }
}

TEST(EventFlow, RefusesWhatIsNotThere) {
  const Tracked session(small_trace());
  const auto copies = session.track(TrackKind::Copies).id;
  EXPECT_FALSE(event_flow(*session.open.session, session.tracks, 4'000'000, 0, 10).has_value());
  EXPECT_FALSE(event_flow(*session.open.session, session.tracks, copies, 1'000, 10).has_value());
  EXPECT_FALSE(event_flow(*session.open.session, session.tracks, copies, -1, 10).has_value());
  EXPECT_TRUE(
      event_flow(*session.open.session, session.tracks, session.track(TrackKind::Device).id, 0, 10)->empty());
  EXPECT_TRUE(event_flow(*session.open.session, session.tracks, copies, 0, 0)->empty());
}
