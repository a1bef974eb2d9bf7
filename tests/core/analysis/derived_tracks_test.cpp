#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/analysis/area.h"
#include "core/analysis/flow.h"
#include "core/analysis/kernels.h"
#include "core/analysis/level_of_detail.h"
#include "core/analysis/timeline.h"
#include "core/analysis/union_length.h"
#include "tests/core/store/random_trace.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::OpenSession;

namespace {

struct Tracked {
  OpenSession open;
  NameTable names;
  Tracks tracks;

  explicit Tracked(store::TraceData data) : open({indexed(std::move(data))}), names(*open.session), tracks(*open.session) {}

  const Track& track(TrackKind kind, std::size_t which = 0) const {
    for (const auto& track : tracks.list())
      if (track.kind == kind && which-- == 0) return track;
    throw std::runtime_error("no such track");
  }
  TrackContent content(std::uint32_t track, TimelineRequest request) const {
    request.tracks = {track};
    return timeline(*open.session, *open.columns, names, tracks, {}, request).tracks.front();
  }

private:
  static store::TraceData indexed(store::TraceData data) {
    if (!store::add_track_index(data, {})) throw std::runtime_error("cancelled");
    return data;
  }
};

std::vector<store::Event> events_of(const store::Series& series) {
  std::vector<store::Event> events(series.events());
  series.read(0, events.size(), events.data());
  return events;
}

std::uint64_t brute_union(const std::vector<store::Event>& events, std::int64_t begin, std::int64_t end) {
  std::uint64_t sum = 0;
  auto reached = begin;
  for (const auto& event : events) {
    const auto from = std::max(event.begin, reached), to = std::min(event.end, end);
    if (to <= from) continue;
    sum += static_cast<std::uint64_t>(to - from);
    reached = to;
  }
  return sum;
}

store::TraceData busy_trace(unsigned seed, int streams = 3) {
  std::mt19937_64 random(seed);
  return test::random_trace(random, {streams, 6, 30'000, 100, 120, 4'000, 4'000, 2'000, 100});
}

// Three launches on two streams: together, then apart; the second kernel communicates.
store::TraceData small_trace() {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "gemm", 1);
  test::add_kernel(data, "ncclDevKernel_AllReduce", 1);
  test::add_launches(data, {{100, 100, 0, 2}, {150, 100, 1, 3}, {400, 50, 0, 2}, {600, 100, 0, 2}});
  test::add_transfers(data, {{190, 220, 10, store::TransferKind::HostToDevice, 2},
                             {500, 20, 10, store::TransferKind::DeviceToHost, 2},
                             {800, 20, 10, store::TransferKind::DeviceToHost, 2}});
  return data;
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
  EXPECT_EQ(union_length(series, series.begin - 10, series.end + 10), brute_union(events, INT64_MIN / 4, INT64_MAX / 4));
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
    request.most_bars = 0;
    const auto content = session.content(device.id, request);
    ASSERT_EQ(content.cells.size(), 90u);
    for (int c = 0; c < request.columns; ++c) {
      const auto from = begin + step * c;
      const auto covered = static_cast<double>(brute_union(events, from, from + step)) / static_cast<double>(step);
      ASSERT_NEAR(content.cells[static_cast<std::size_t>(c)].busy, covered, 1e-6) << "column " << c;
    }
    const auto idle = session.content(session.track(TrackKind::Idle).id, request);
    for (std::size_t c = 0; c < idle.cells.size(); ++c)
      ASSERT_NEAR(idle.cells[c].busy, 1 - content.cells[c].busy, 1e-6) << "idle is the rest";
  }
}

TEST(ActiveKernels, MeanAndExtremesAreThoseOfTheLaunches) {
  const Tracked session(small_trace());
  TimelineRequest request;
  request.window = {{0}, {500}};
  request.columns = 10; // 50 ns each
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
  EXPECT_EQ(collective.bars[0].row, 1) << "a launch like any other";
  const auto idle = session.content(session.track(TrackKind::Idle).id, request);
  std::vector<std::pair<std::int64_t, std::int64_t>> gaps;
  for (const auto& bar : idle.bars) gaps.emplace_back(bar.begin, bar.end);
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected = {{0, 100}, {250, 400}, {450, 600}, {700, 1'000}};
  EXPECT_EQ(gaps, expected);
}

TEST(DerivedTracks, IdleTimesAreWholeWhateverTheWindowCutsOff) {
  const Tracked session(small_trace());
  const auto gaps = [&](Interval window) {
    TimelineRequest request;
    request.window = window;
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const auto& bar : session.content(session.track(TrackKind::Idle).id, request).bars) found.emplace_back(bar.begin, bar.end);
    return found;
  };
  using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(gaps({{260}, {390}}), (Gaps{{250, 400}})) << "nothing begins or ends in the window";
  EXPECT_EQ(gaps({{300}, {500}}), (Gaps{{250, 400}, {450, 600}}));
  EXPECT_EQ(gaps({{200}, {420}}), (Gaps{{250, 400}})) << "a launch reaches into it, another out of it";
  EXPECT_EQ(gaps({{610}, {690}}), Gaps{});
  EXPECT_EQ(gaps({{250}, {400}}), (Gaps{{250, 400}}));
  EXPECT_EQ(gaps({{400}, {450}}), Gaps{});
}

TEST(DerivedTracks, IdleTimesAfterTheLastLaunchEndWithTheSession) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 100, 0}});
  test::add_transfers(data, {{900, 100, 8}});
  const Tracked session(std::move(data));
  TimelineRequest request;
  request.window = {{300}, {400}};
  const auto idle = session.content(session.track(TrackKind::Idle).id, request).bars;
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_EQ(idle[0].begin, 100);
  EXPECT_EQ(idle[0].end, 1000) << "the copy ends the session";
}

TEST(DerivedTracks, IdleTimesBeginWithTheLongestOfOverlappingLaunches) {
  auto data = test::empty_trace(2);
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 500, 0, 2}, {100, 50, 0, 3}, {900, 10, 0, 2}});
  const Tracked session(std::move(data));
  TimelineRequest request;
  request.window = {{600}, {700}};
  const auto idle = session.content(session.track(TrackKind::Idle).id, request).bars;
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_EQ(idle[0].begin, 500);
  EXPECT_EQ(idle[0].end, 900);
}

TEST(Collectives, AreKnownByTheirNames) {
  EXPECT_TRUE(store::is_collective("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_TRUE(store::is_collective("void NCCLKernel<int>()"));
  EXPECT_TRUE(store::is_collective("nvshmem_barrier"));
  EXPECT_FALSE(store::is_collective("gemm"));
  EXPECT_FALSE(store::is_collective(""));
}

TEST(LaunchValues, AgainstUsualIsSignedAndLeftOutOfWhatRanOnce) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 2);
  test::add_launches(data, {{0, 100, 0}, {200, 300, 0}, {600, 50, 1}});
  const Tracked session(std::move(data));
  TimelineRequest request;
  request.window = {{0}, {800}};
  request.value = kAgainstUsual;
  const auto stream = session.tracks.track_of_stream(0, 3);
  const auto bars = session.content(stream, request).bars;
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_FLOAT_EQ(bars[0].value, -0.5F); // 100 against a mean of 200
  EXPECT_FLOAT_EQ(bars[1].value, 0.5F);
  EXPECT_TRUE(std::isnan(bars[2].value)) << "a configuration that ran once has no usual duration";
  request.most_bars = 0;
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
  request.most_bars = 0;
  request.value = "grid_x";
  const auto cells = session.content(stream, request).cells;
  ASSERT_GE(cells.size(), 40u);
  request.most_bars = 1'000'000;
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

TEST(LaunchValues, OfTooManyLaunchesAreSampledAndSaySo) {
  const Tracked session(busy_trace(6));
  TimelineRequest request;
  request.window = session.open.session->span();
  request.columns = 20;
  request.value = kAgainstUsual;
  request.most_asked_launches = 1'000;
  const auto drawn = timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request);
  EXPECT_EQ(drawn.values, ValueKind::Sampled);
  request.value.clear();
  EXPECT_EQ(timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request).values,
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
  const auto add = [&](std::int64_t start, std::int64_t duration, std::uint32_t thread, std::uint8_t kind, const char* name,
                       std::uint32_t peer) {
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

TEST(Messages, AreLinesBetweenRanksAndCountsWhenTheyAreMany) {
  const Tracked session(two_ranks(50));
  ASSERT_EQ(session.track(TrackKind::Process).label.substr(0, 6), "rank 0") << "ranks stand in their order";
  const auto rank0 = session.tracks.track_of_rank(0), rank1 = session.tracks.track_of_rank(1);
  ASSERT_NE(rank0, kNone);
  EXPECT_EQ(session.tracks.list()[rank0].kind, TrackKind::MpiCalls);
  TimelineRequest request;
  request.window = {{130}, {1'000}};
  const auto few = timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request).messages;
  EXPECT_EQ(few.count, 8) << "sent in the window";
  ASSERT_EQ(few.lines.size(), 9u) << "and one on its way";
  const auto second = std::find_if(few.lines.begin(), few.lines.end(), [](const MessageLine& l) { return l.begin == 200; });
  ASSERT_NE(second, few.lines.end());
  EXPECT_EQ(second->from_track, rank1);
  EXPECT_EQ(second->to_track, rank0);
  EXPECT_EQ(second->end, 260);
  request.most_lines = 5;
  const auto many = timeline(*session.open.session, *session.open.columns, session.names, session.tracks, {}, request).messages;
  EXPECT_EQ(many.count, 8);
  EXPECT_TRUE(many.lines.empty());
}

TEST(Tracks, FilesOfRanksStandInTheirOrder) {
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

TEST(Area, CountsWhatLiesInItsTracks) {
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
  EXPECT_EQ(of(whole, session.track(TrackKind::Idle).id).covered, 700u);
  const auto first = session.tracks.track_of_stream(0, 3);
  const auto one = area_of(*session.open.session, session.tracks, {first}, {{120}, {500}});
  EXPECT_FALSE(one.all_streams);
  ASSERT_EQ(one.streams.size(), 1u);
  EXPECT_EQ(one.streams[0], (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(of(one, first).events, 1u) << "that begin in it";
  EXPECT_EQ(of(one, first).covered, 80u + 50u);
  const auto group = area_of(*session.open.session, session.tracks, {device.id}, {{0}, {1'000}});
  EXPECT_TRUE(group.all_streams) << "a device brings its streams";
}

TEST(Area, TracksOfLaunchesFollowTheFilter) {
  const Tracked session(busy_trace(8));
  const Interval range{{20'000}, {200'000}};
  const auto& trace = session.open.session->traces()[0];
  const auto streams = session.open.columns->read("stream", {0, 0, trace.launches()}); // the profiler's numbers
  const auto resources = trace.store.column<std::uint32_t>("launches", "stream");
  auto selection = Selection::from_json({{"where", fmt::format("stream != {} and duration > 60", streams[0])}}, *session.open.columns);
  ASSERT_TRUE(selection.has_value());
  const auto selected = selected_launches(*session.open.session, *session.open.columns, &session.tracks, *selection, range,
                                          *session.open.communicator, {});
  ASSERT_TRUE(selected.has_value());
  const auto area = area_of(*session.open.session, session.tracks, {}, range, &*selected);
  const auto whole = area_of(*session.open.session, session.tracks, {}, range);
  const auto row_of = [](const Area& of, std::uint32_t track) {
    return *std::find_if(of.tracks.begin(), of.tracks.end(), [&](const AreaTrack& row) { return row.track == track; });
  };
  const auto device = row_of(area, session.track(TrackKind::Device).id);
  std::vector<store::Event> passing;
  std::uint64_t events = 0, busy = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(trace.launches()); ++row) {
    const auto begin = trace.starts()[row], end = begin + trace.durations()[row];
    const auto parent = session.tracks.list()[session.tracks.track_of_stream(0, resources[row])].parent;
    if (parent != static_cast<std::int32_t>(device.track) || streams[row] == streams[0] || end - begin <= 60 || end <= range.begin.count || begin >= range.end.count) continue;
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
  // What is no launch stays whole, and says so.
  for (const auto kind : {TrackKind::Copies, TrackKind::Idle}) {
    const auto id = session.track(kind).id;
    EXPECT_FALSE(row_of(area, id).filtered);
    EXPECT_EQ(row_of(area, id).busy, row_of(whole, id).busy);
  }
}

// Many rows, so that several threads each have parts; launches that reach over several parts, and into the range.
TEST(Area, SumsOfSelectedLaunchesEqualThoseOfEachTrackForAnyRange) {
  std::mt19937_64 random(11);
  auto data = test::random_trace(random, {3, 6, 400'000, 20, 60, 10, 10, 10, 10});
  test::add_kernel(data, "ncclDevKernel_AllReduce", 1);
  const auto communicates = static_cast<std::uint32_t>(data.find("configurations")->rows() - 1);
  auto& durations = test::column<std::int64_t>(data, "launches", "duration");
  auto& configurations = test::column<std::uint32_t>(data, "launches", "configuration");
  for (std::size_t row = 0; row < durations.size(); ++row)
    if (random() % 7 == 0) configurations[row] = communicates;
  durations[1'000] = 2'000'000; // of about 4,000,000 ns
  durations[100'000] = 800'000;
  durations[150'000] = 900'000;
  const Tracked session(std::move(data));
  const auto& trace = session.open.session->traces()[0];
  const auto selection = Selection::from_json({{"where", "duration > 25"}}, *session.open.columns);
  ASSERT_TRUE(selection.has_value());
  const auto last = trace.starts().back();
  for (const Interval range : {Interval{{-10}, {last + 3'000'000}}, {{last / 10}, {last * 9 / 10}}, {{last / 2}, {last / 2 + 5'000}}}) {
    const auto selected = selected_launches(*session.open.session, *session.open.columns, &session.tracks, *selection, range,
                                            *session.open.communicator, {});
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
          if (trace.durations()[series->row(position)] <= 25 || event.end <= range.begin.count || event.begin >= range.end.count) continue;
          passing.push_back({std::max(event.begin, range.begin.count), std::min(event.end, range.end.count), 0});
          expected.events += event.begin >= range.begin.count;
          expected.busy += static_cast<std::uint64_t>(passing.back().end - passing.back().begin);
        }
      std::sort(passing.begin(), passing.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
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
    expected += (streams[row] == 3 || streams[row] == 5) && trace.starts()[row] >= 20'000 && trace.starts()[row] < 200'000;
  EXPECT_GT(expected, 100);
  EXPECT_EQ(counted, expected);
  selection.streams = {{}};
  EXPECT_TRUE(kernel_table(*session.open.session, *session.open.columns, selection, communicator, {})->empty())
      << "no stream is not all streams";
}

TEST(Flow, LinksTheCopiesOfTheFeedingWindow) {
  const Tracked session(small_trace());
  const auto copies = session.track(TrackKind::Copies).id;
  // Launch 2 of stream 3 begins at 400; the launch before ended at 200: the copy of 190 … 410 feeds it.
  const auto flow = launch_flow(*session.open.session, session.tracks, 2, 10);
  ASSERT_TRUE(flow.has_value());
  EXPECT_EQ(flow->window_begin, 200);
  EXPECT_EQ(flow->call_track, kNone);
  ASSERT_EQ(flow->transfers.size(), 1u);
  EXPECT_EQ(flow->transfers[0].track, copies);
  EXPECT_EQ(flow->transfers[0].begin, 190);
  const auto last = launch_flow(*session.open.session, session.tracks, 3, 10);
  ASSERT_EQ(last->transfers.size(), 1u) << "the copy behind it is not its";
  EXPECT_EQ(last->transfers[0].begin, 500);
  EXPECT_FALSE(launch_flow(*session.open.session, session.tracks, 4, 10).has_value());
}

TEST(Step, FollowsTheKernelAndTheStream) {
  const Tracked session(small_trace());
  const auto step = [&](std::int64_t row, StepBy by, int direction) {
    const auto found = step_from(*session.open.session, session.tracks, row, by, direction, {});
    return found && *found ? (*found)->row : -1;
  };
  EXPECT_EQ(step(0, StepBy::Kernel, 1), 2) << "the other kernel is passed over";
  EXPECT_EQ(step(2, StepBy::Kernel, 1), 3);
  EXPECT_EQ(step(3, StepBy::Kernel, 1), -1);
  EXPECT_EQ(step(3, StepBy::Kernel, -1), 2);
  EXPECT_EQ(step(1, StepBy::Kernel, -1), -1);
  EXPECT_EQ(step(0, StepBy::Stream, 1), 2);
  EXPECT_EQ(step(2, StepBy::Stream, -1), 0);
  EXPECT_EQ(step(1, StepBy::Stream, 1), -1);
}

TEST(Step, VisitsEveryLaunchOfAStreamOnce) {
  const Tracked session(busy_trace(9, 1)); // its launches stand in several lanes
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
  while (const auto next = *step_from(*session.open.session, session.tracks, at, StepBy::Stream, -1, {})) at = next->row;
  EXPECT_EQ(at, first);
}

// A copy feeds exactly the launches that name it among the copies that feed them.
TEST(EventFlow, CopiesFeedTheLaunchesThatTheyAreLinkedTo) {
  for (const std::uint64_t seed : {11u, 12u, 13u}) {
    const Tracked session(busy_trace(seed));
    const auto& open = *session.open.session;
    const auto& trace = open.traces()[0];
    using Link = std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::int64_t>; // copy's track and end, launch's track and place
    std::multiset<Link> by_launch, by_copy;
    for (std::int64_t row = 0; row < trace.launches(); ++row) {
      const auto flow = launch_flow(open, session.tracks, row, 1'000'000);
      ASSERT_TRUE(flow.has_value());
      for (const auto& copy : flow->transfers) by_launch.insert({copy.track, copy.end, flow->track, std::clamp(copy.end, flow->begin, flow->end)});
    }
    for (const auto kind : {TrackKind::Copies, TrackKind::Migrations})
      for (const auto& track : session.tracks.list()) {
        if (track.kind != kind) continue;
        for (const auto* series : session.tracks.levels(track.id))
          for (std::size_t i = 0; series && i < series->events(); ++i) {
            const auto arrows = event_flow(open, session.tracks, track.id, static_cast<std::int64_t>(series->row(i)), 1'000'000);
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
  EXPECT_TRUE(event_flow(*session.open.session, session.tracks, session.track(TrackKind::Device).id, 0, 10)->empty());
  EXPECT_TRUE(event_flow(*session.open.session, session.tracks, copies, 0, 0)->empty());
}
