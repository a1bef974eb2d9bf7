#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/analysis/lanes/level_of_detail.h"
#include "core/analysis/lanes/union_length.h"
#include "core/analysis/timeline/area.h"
#include "core/analysis/timeline/merged_rows.h"
#include "core/store/trace/collective_kernels.h"
#include "core/store/trace/event_kinds.h"
#include "tests/core/analysis/lanes/tracked.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::brute_union;
using test::busy_trace;
using test::events_of;
using test::OpenSession;
using test::small_trace;
using test::Tracked;

namespace {

using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Starts and ends of the idle times of the first device in a window.
Gaps idle_times(const Tracked& session, Interval window) {
  TimelineRequest request;
  request.window = window;
  Gaps found;
  for (const auto& bar : session.content(session.track(TrackKind::Idle).id, request).bars)
    found.emplace_back(bar.begin, bar.end);
  return found;
}

/// Idle times of a device with these launches of one kernel, on two streams, and these copies.
Gaps idle_in(const std::vector<test::LaunchRow>& launches, const std::vector<test::TransferRow>& copies,
             Interval window) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 1);
  test::add_launches(data, launches);
  test::add_transfers(data, copies);
  return idle_times(Tracked(std::move(data)), window);
}

} // namespace

TEST(UnionLength, EqualsBruteForceForAnyRange) {
  const Tracked session(busy_trace(1));
  const auto& device = session.track(TrackKind::Device);
  const auto& series = *session.tracks.levels(device.id).front();
  ASSERT_TRUE(series.overlaps);
  ASSERT_FALSE(series.levels.empty());
  const auto events = events_of(series);
  std::mt19937_64 random(2);
  const auto length = static_cast<std::uint64_t>(series.end - series.begin + 2'000);
  for (int trial = 0; trial < 300; ++trial) {
    auto a = series.begin - 1'000 + static_cast<std::int64_t>(random() % length);
    auto b = series.begin - 1'000 + static_cast<std::int64_t>(random() % (trial % 2 ? length : 3'000));
    if (a > b) std::swap(a, b);
    ASSERT_EQ(union_length(series, a, b), brute_union(events, a, b)) << a << " … " << b;
  }
  EXPECT_EQ(union_length(series, series.begin - 10, series.end + 10),
            brute_union(events, INT64_MIN / 4, INT64_MAX / 4));
}

TEST(DeviceTrack, IsBusyWhereAnyOfItsStreamsIs) {
  const Tracked session(busy_trace(3));
  const auto& device = session.track(TrackKind::Device);
  const auto& series = *session.tracks.levels(device.id).front();
  const auto events = events_of(series);
  for (const std::int64_t step : {std::int64_t{1} << 8, std::int64_t{1} << 13}) { // columns are dyadic bins
    TimelineRequest request;
    const auto begin = (series.begin / step + 5) * step;
    request.columns = 90;
    request.window = {{begin}, {begin + step * request.columns}};
    request.max_bars = 0;
    const auto content = session.content(device.id, request);
    ASSERT_EQ(content.cells.size(), 90u);
    for (int c = 0; c < request.columns; ++c) {
      const auto from = begin + step * c;
      const auto covered =
          static_cast<double>(brute_union(events, from, from + step)) / static_cast<double>(step);
      ASSERT_NEAR(content.cells[static_cast<std::size_t>(c)].busy, covered, 1e-6) << "column " << c;
    }
    const auto idle = session.content(session.track(TrackKind::Idle).id, request);
    for (std::size_t c = 0; c < idle.cells.size(); ++c)
      ASSERT_NEAR(idle.cells[c].busy, 1 - content.cells[c].busy, 1e-6)
          << "idle time is the time without activity";
  }
}

TEST(ActiveKernels, MeanAndExtremesAreThoseOfTheLaunches) {
  const Tracked session(small_trace());
  TimelineRequest request;
  request.window = {{0}, {500}};
  request.columns = 10; // columns of 50 ns
  const auto active = session.content(session.track(TrackKind::Active).id, request).counter;
  ASSERT_EQ(active.size(), 10u);
  const double mean[] = {0, 0, 1, 2, 1, 0, 0, 0, 1, 0};
  for (std::size_t c = 0; c < active.size(); ++c) {
    EXPECT_EQ(active[c].mean, static_cast<float>(mean[c])) << "column " << c;
    EXPECT_LE(active[c].minimum, active[c].mean);
    EXPECT_GE(active[c].maximum, active[c].mean);
  }
  request.columns = 1;
  const auto all = session.content(session.track(TrackKind::Active).id, request).counter.front();
  EXPECT_EQ(all.minimum, 0);
  EXPECT_EQ(all.maximum, 2);
  EXPECT_FLOAT_EQ(all.mean, 250.0F / 500);
}

TEST(DerivedTracks, CollectivesAndIdleTimesAreTheirOwnEvents) {
  const Tracked session(small_trace());
  TimelineRequest request;
  request.window = {{0}, {1'000}};
  const auto collective = session.content(session.track(TrackKind::Collective).id, request);
  ASSERT_EQ(collective.bars.size(), 1u);
  EXPECT_EQ(collective.bars[0].begin, 150);
  EXPECT_EQ(collective.bars[0].row, 1) << "a bar of a collective has the row of its launch";
  EXPECT_EQ(idle_times(session, request.window), (Gaps{{250, 400}, {450, 600}, {700, 820}}))
      << "what happened before the first and after the last event is not recorded";
}

TEST(DerivedTracks, IdleTimesAreCompleteForAnyWindow) {
  const Tracked session(small_trace());
  const auto gaps = [&](Interval window) { return idle_times(session, window); };
  EXPECT_EQ(gaps({{260}, {390}}), (Gaps{{250, 400}})) << "nothing begins or ends in the window";
  EXPECT_EQ(gaps({{300}, {500}}), (Gaps{{250, 400}, {450, 600}}));
  EXPECT_EQ(gaps({{200}, {420}}), (Gaps{{250, 400}})) << "launches overlap both edges of the window";
  EXPECT_EQ(gaps({{610}, {690}}), Gaps{});
  EXPECT_EQ(gaps({{250}, {400}}), (Gaps{{250, 400}}));
  EXPECT_EQ(gaps({{400}, {450}}), Gaps{});
}

TEST(DerivedTracks, IdleTimesAfterTheLastLaunchEndWithTheSession) {
  const auto idle = idle_in({{0, 100, 0}}, {{900, 100, 8}}, {{300}, {400}});
  EXPECT_EQ(idle, (Gaps{{100, 1000}})) << "the copy ends the session";
}

TEST(DerivedTracks, IdleTimeOfACaptureEndsWithIt) {
  auto data = small_trace(), later = small_trace();
  data.manifest.origin_utc_ns = 0;
  later.manifest.origin_utc_ns = 1'000'000'000; // one second later
  const OpenSession apart({data, later});
  const NameTable names(*apart.session);
  const Tracks tracks(*apart.session);
  TimelineRequest request;
  request.window = apart.session->span();
  for (const int max_bars : {2'000, 0}) {
    request.max_bars = max_bars;
    for (const auto& track : tracks.list()) {
      if (track.kind != TrackKind::Idle) continue;
      request.tracks = {track.id};
      const auto content =
          timeline(*apart.session, *apart.columns, names, tracks, {}, request).tracks.front();
      const auto shift = apart.session->traces()[track.trace].shift_ns;
      for (const auto& bar : content.bars) {
        EXPECT_GE(bar.begin, shift + 100);
        EXPECT_LE(bar.end, shift + 820);
      }
      EXPECT_EQ(content.bars.empty(), max_bars == 0);
      EXPECT_LE(std::count_if(content.cells.begin(), content.cells.end(),
                              [](const auto& c) { return c.count > 0; }),
                1);
      const auto area = area_of(*apart.session, tracks, {track.id}, request.window);
      ASSERT_EQ(area.tracks.size(), 1u);
      EXPECT_EQ(area.tracks.front().covered, 420u);
    }
  }
}

TEST(DerivedTracks, IdleTimeWithoutALaunchInTheWindowFillsFoldedColumns) {
  const Tracked session(small_trace());
  TimelineRequest request;
  request.window = {{260}, {390}};
  request.columns = 10;
  request.max_bars = 0;
  const auto idle = session.track(TrackKind::Idle).id;
  const auto cells = session.content(idle, request).cells;
  ASSERT_EQ(cells.size(), 10u);
  for (const auto& cell : cells) EXPECT_EQ(cell.busy, 1);
  MergedRequest merged;
  merged.window = request.window;
  merged.columns = 10;
  merged.rows = {{idle}};
  const auto rows = merged_rows(*session.open.session, *session.open.columns, session.names, session.tracks,
                                {}, merged, {});
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->share, std::vector<std::uint8_t>(10, 255));
}

TEST(DerivedTracks, IdleTimesBeginWithTheLongestOfOverlappingLaunches) {
  EXPECT_EQ(idle_in({{0, 500, 0, 2}, {100, 50, 0, 3}, {900, 10, 0, 2}}, {}, {{600}, {700}}),
            (Gaps{{500, 900}}));
}

TEST(Collectives, AreRecognisedByTheirNames) {
  const store::CollectiveKernels known, more("all_?reduce"), invalid("(");
  for (const auto& is_collective : {known, more, invalid}) {
    EXPECT_TRUE(is_collective("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
    EXPECT_TRUE(is_collective("void NCCLKernel<int>()"));
    EXPECT_TRUE(is_collective("nvshmem_barrier"));
    EXPECT_FALSE(is_collective("gemm"));
    EXPECT_FALSE(is_collective(""));
  }
  EXPECT_TRUE(more("void vllm::one_shot_all_reduce<8>(float*)"));
  EXPECT_FALSE(known("void vllm::one_shot_all_reduce<8>(float*)"));
}

TEST(CounterTracks, BelongToDevicesAndThreadsWithoutEventsToo) {
  auto data = small_trace();
  const auto host = std::uint32_t{0};
  const auto add = [&](store::ResourceKind kind, std::uint32_t parent) {
    const auto row = static_cast<std::uint32_t>(data.resources.size());
    data.resources.push_back(
        {kind, parent, kind == store::ResourceKind::Device ? row : kNone, 90, -1, "sampled only"});
    return row;
  };
  const auto process = add(store::ResourceKind::Process, host);
  const std::uint32_t of[] = {add(store::ResourceKind::Device, process),
                              add(store::ResourceKind::Thread, process)};
  for (std::uint32_t counter = 0; counter < 2; ++counter) {
    test::column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern("power").value);
    test::column<std::uint32_t>(data, "counters", "unit").push_back(0);
    test::column<std::uint32_t>(data, "counters", "device").push_back(of[counter]);
    test::column<std::int64_t>(data, "samples", "time").push_back(100);
    test::column<std::uint32_t>(data, "samples", "counter").push_back(counter);
    test::column<double>(data, "samples", "value").push_back(7);
  }
  const Tracked session(std::move(data));
  EXPECT_EQ(std::count_if(session.tracks.list().begin(), session.tracks.list().end(),
                          [](const auto& track) { return track.kind == TrackKind::Counter; }),
            2);
}

TEST(LaunchValues, RelativeToMeanIsSignedAndLeftOutOfWhatRanOnce) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 2);
  test::add_launches(data, {{0, 100, 0}, {200, 300, 0}, {600, 50, 1}});
  const Tracked session(std::move(data));
  TimelineRequest request;
  request.window = {{0}, {800}};
  request.value = kRelativeToMean;
  const auto stream = session.tracks.track_of_stream(0, 3);
  const auto bars = session.content(stream, request).bars;
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_FLOAT_EQ(bars[0].value, -0.5F); // 100 ns, half of the mean of 200 ns
  EXPECT_FLOAT_EQ(bars[1].value, 0.5F);
  EXPECT_TRUE(std::isnan(bars[2].value)) << "a configuration that ran once has no typical duration";
  request.max_bars = 0;
  request.columns = 1;
  const auto cell = session.content(stream, request).cells.front();
  EXPECT_FLOAT_EQ(cell.value, 0.0F) << "Σ d = Σ mean";
  request.window = {{150}, {560}};
  EXPECT_FLOAT_EQ(session.content(stream, request).cells.front().value, 0.5F);
}

TEST(LaunchValues, OfFoldedColumnsAreMeansOfTheLaunchesThatTouchThem) {
  const Tracked session(busy_trace(5, 2));
  const auto stream = session.tracks.track_of_stream(0, 3);
  TimelineRequest request;
  const auto span = session.open.session->span();
  request.window = {span.begin, span.begin + Nanoseconds{40'000}};
  request.columns = 40;
  request.max_bars = 0;
  request.value = "grid_x";
  const auto cells = session.content(stream, request).cells;
  ASSERT_GE(cells.size(), 40u);
  request.max_bars = 1'000'000;
  const auto bars = session.content(stream, request).bars;
  int compared = 0;
  for (int c = 0; c < 40; ++c) {
    double sum = 0, n = 0;
    for (const auto& bar : bars) {
      const auto from = span.begin.count + c * 1'000, to = from + 1'000;
      if (std::max(bar.end, bar.begin + 1) <= from || bar.begin >= to) continue;
      sum += static_cast<double>(bar.value);
      ++n;
    }
    if (n == 0) continue;
    EXPECT_NEAR(cells[static_cast<std::size_t>(c)].value, sum / n, 1e-4) << "column " << c;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(LaunchValues, OfTooManyLaunchesAreSampledAndMarkedAsSuch) {
  const Tracked session(busy_trace(6));
  TimelineRequest request;
  request.window = session.open.session->span();
  request.columns = 20;
  request.value = kRelativeToMean;
  request.max_requested_launches = 1'000;
  const auto drawn =
      timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request);
  EXPECT_EQ(drawn.values, ValueKind::Sampled);
  request.value.clear();
  EXPECT_EQ(timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request)
                .values,
            ValueKind::None);
}

namespace {

// Two ranks that send to each other.
store::TraceData two_ranks(int messages) {
  auto data = test::empty_trace(0);
  data.resources = {{store::ResourceKind::Host, kNone, kNone, 0, -1, "host"},
                    {store::ResourceKind::Process, 0, kNone, 100, 1, "program"},
                    {store::ResourceKind::Thread, 1, kNone, 100, -1, ""},
                    {store::ResourceKind::Process, 0, kNone, 101, 0, "program"},
                    {store::ResourceKind::Thread, 3, kNone, 101, -1, ""}};
  const auto add = [&](std::int64_t start, std::int64_t duration, std::uint32_t thread, std::uint8_t kind,
                       const char* name, std::uint32_t peer) {
    test::add_times(data, "messages", start, duration);
    test::column<std::uint32_t>(data, "messages", "thread").push_back(thread);
    test::column<std::uint8_t>(data, "messages", "kind").push_back(kind);
    test::column<std::uint32_t>(data, "messages", "name").push_back(data.strings.intern(name).value);
    test::column<std::uint32_t>(data, "messages", "peer").push_back(peer);
    test::column<std::int64_t>(data, "messages", "bytes").push_back(8);
    test::column<std::uint32_t>(data, "messages", "tag").push_back(kNone);
  };
  for (int i = 0; i < messages; ++i) {
    const bool first = i % 2 == 0;
    add(i * 100, 20, first ? 2 : 4, 0, "MPI_Send", first ? 0 : 1);
    add(i * 100, 60, first ? 2 : 4, store::kTransmission, "message", first ? 0 : 1);
  }
  return data;
}

} // namespace

TEST(Messages, EndInTheirOwnRunEvenIfAnotherRunHasTheSameRanks) {
  const test::OpenSession open({two_ranks(10), two_ranks(6)});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  TimelineRequest request;
  request.window = {{0}, {2'000}};
  const auto messages = timeline(*open.session, *open.columns, names, tracks, {}, request).messages;
  ASSERT_EQ(messages.lines.size(), 16u);
  for (const auto& line : messages.lines)
    EXPECT_EQ(tracks.list()[line.from_track].trace, tracks.list()[line.to_track].trace);
}

TEST(Messages, EndInAnotherTraceIfTheirOwnDoesNotContainTheRank) {
  auto only_rank_1 = two_ranks(10);
  only_rank_1.resources[3].rank = 2;
  const test::OpenSession open({only_rank_1, two_ranks(10)});
  const Tracks tracks(*open.session);
  EXPECT_EQ(tracks.list()[tracks.track_of_rank(0, 0)].trace, 1u);
  EXPECT_EQ(tracks.list()[tracks.track_of_rank(0, 1)].trace, 0u);
}

TEST(Messages, EndOnTheReceivingThread) {
  auto data = two_ranks(4); // transmissions from rank 1 to rank 0 are rows 1 and 5
  for (const std::uint32_t number : {1U, 2U, 3U})
    data.resources.push_back({store::ResourceKind::Thread, 3, kNone, 101 + number, -1, ""});
  SpillVector<std::uint32_t> receivers;
  receivers.resize(test::column<std::uint32_t>(data, "messages", "peer").size(), 0);
  receivers[1] = 1, receivers[5] = 3;
  data.find("messages")->add(std::string(store::kPeerThread), "", "receiving thread", std::move(receivers));
  test::add_times(data, "ranges", 0, 10);
  for (const char* name : {"name", "domain"})
    test::column<std::uint32_t>(data, "ranges", name).push_back(data.strings.intern("running").value);
  test::column<std::uint32_t>(data, "ranges", "thread").push_back(5);
  test::column<std::uint8_t>(data, "ranges", "depth").push_back(0);
  test::column<std::uint8_t>(data, "ranges", "kind").push_back(store::kStateRange);
  const test::OpenSession open({data});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  TimelineRequest request;
  request.window = {{0}, {1'000}};
  const auto messages = timeline(*open.session, *open.columns, names, tracks, {}, request).messages;
  std::vector<std::uint32_t> ends; // of messages to rank 0, in the order of time
  for (const auto& line : messages.lines)
    if (line.begin % 200 == 0) ends.push_back(line.to_track);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0], tracks.track_of_resource(0, 5)) << "a thread without messages has a track of states";
  EXPECT_NE(ends[0], tracks.track_of_rank(0, 0));
  EXPECT_EQ(ends[1], tracks.track_of_rank(0, 0)) << "a thread without tracks";
}

TEST(Messages, AreLinesBetweenRanksAndCountsWhenTheyAreMany) {
  const Tracked session(two_ranks(50));
  ASSERT_EQ(session.track(TrackKind::Process).label.substr(0, 6), "rank 0") << "ranks are in ascending order";
  const auto rank0 = session.tracks.track_of_rank(0, 0), rank1 = session.tracks.track_of_rank(0, 1);
  ASSERT_NE(rank0, kNone);
  EXPECT_EQ(session.tracks.list()[rank0].kind, TrackKind::MpiCalls);
  TimelineRequest request;
  request.window = {{130}, {1'000}};
  const auto few =
      timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request)
          .messages;
  EXPECT_EQ(few.count, 8) << "sent in the window";
  ASSERT_EQ(few.lines.size(), 9u) << "and one in transit when the window begins";
  const auto second =
      std::find_if(few.lines.begin(), few.lines.end(), [](const MessageLine& l) { return l.begin == 200; });
  ASSERT_NE(second, few.lines.end());
  EXPECT_EQ(second->from_track, rank1);
  EXPECT_EQ(second->to_track, rank0);
  EXPECT_EQ(second->end, 260);
  request.max_lines = 5;
  const auto many =
      timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request)
          .messages;
  EXPECT_EQ(many.count, 8);
  EXPECT_TRUE(many.lines.empty());
}

TEST(Tracks, FilesOfRanksAreInTheirOrder) {
  std::vector<store::TraceData> traces;
  for (const int rank : {2, 0, 1}) {
    auto data = small_trace();
    data.resources[1].rank = rank;
    traces.push_back(std::move(data));
  }
  const OpenSession open(traces);
  const Tracks tracks(*open.session);
  std::vector<std::string> labels;
  for (const auto& track : tracks.list())
    if (track.kind == TrackKind::Process) labels.push_back(track.label.substr(0, 6));
  EXPECT_EQ(labels, (std::vector<std::string>{"rank 0", "rank 1", "rank 2"}));
  EXPECT_EQ(tracks.list()[tracks.track_of_stream(1, 3)].trace, 1u) << "numbers of traces stay";
}
