#include "core/analysis/timeline/merged_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;

namespace {

struct State {
  std::uint32_t thread = 0;
  std::int64_t begin = 0, end = 0;
  std::string name;
};

/// Threads of one process with their states, in start order.
store::TraceData trace_of(int threads, std::vector<State> states) {
  auto data = test::empty_trace(2);
  data.resources.push_back({store::ResourceKind::Process, 0, kNone, 1'000, 0, "program"});
  const auto process = static_cast<std::uint32_t>(data.resources.size() - 1);
  std::vector<std::uint32_t> resources;
  for (int t = 0; t < threads; ++t) {
    resources.push_back(static_cast<std::uint32_t>(data.resources.size()));
    data.resources.push_back({store::ResourceKind::Thread, process, kNone, t, -1, ""});
  }
  std::ranges::stable_sort(states, {}, &State::begin);
  for (const auto& state : states) {
    test::column<std::int64_t>(data, "ranges", "start").push_back(state.begin);
    test::column<std::int64_t>(data, "ranges", "duration").push_back(state.end - state.begin);
    test::column<std::uint32_t>(data, "ranges", "name").push_back(data.strings.intern(state.name).value);
    test::column<std::uint32_t>(data, "ranges", "thread").push_back(resources[state.thread]);
    test::column<std::uint32_t>(data, "ranges", "domain").push_back(0);
    test::column<std::uint8_t>(data, "ranges", "depth").push_back(0);
    test::column<std::uint8_t>(data, "ranges", "kind").push_back(3);
  }
  if (!store::add_track_index(data, {})) throw std::runtime_error("no index");
  return data;
}

struct Opened {
  test::OpenSession opened;
  Tracks tracks;
  NameTable names;
  std::vector<std::uint32_t> states; ///< tracks of the states, by thread

  explicit Opened(const store::TraceData& data)
      : opened({data}), tracks(*opened.session), names(*opened.session) {
    for (const auto& track : tracks.list())
      if (track.kind == TrackKind::Ranges) states.push_back(track.id);
  }
  MergedRows ask(const MergedRequest& request, const Job& job = {}) const {
    const auto merged =
        merged_rows(*opened.session, *opened.columns, names, tracks, Selection(), request, job);
    EXPECT_TRUE(merged) << describe(merged.error());
    return merged ? *merged : MergedRows();
  }
  std::string name(const MergedRows& rows, std::size_t cell) const {
    return rows.name[cell] == kNone ? "" : names.names()[rows.name[cell]];
  }
};

MergedRequest request(Interval window, int columns, std::vector<std::vector<std::uint32_t>> rows,
                      Merging merging) {
  MergedRequest requested;
  requested.window = window;
  requested.columns = columns;
  requested.rows = std::move(rows);
  requested.merging = merging;
  return requested;
}

/// Threads that alternate between four states, some of them with gaps.
std::vector<State> random_states(int threads, std::int64_t end, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::string names[] = {"Running", "Waiting", "Blocked", "I/O"};
  std::vector<State> states;
  for (std::uint32_t thread = 0; thread < static_cast<std::uint32_t>(threads); ++thread)
    for (std::int64_t at = static_cast<std::int64_t>(random() % 300); at < end;) {
      const auto length = 1 + static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 5'000 : 200));
      states.push_back({thread, at, at + length, names[random() % 4]});
      at += length + (random() % 3 == 0 ? static_cast<std::int64_t>(random() % 100) : 0);
    }
  return states;
}

} // namespace

TEST(MergedRows, DominantIsTheNameWithMostTimeInAllTracks) {
  const Opened run(trace_of(3, {{0, 0, 100, "Running"}, {1, 0, 100, "Waiting"}, {2, 0, 100, "Waiting"}}));
  const auto rows = run.ask(request({{0}, {200}}, 2, {run.states, {run.states[0]}}, Merging::Dominant));
  EXPECT_EQ(run.name(rows, 0), "Waiting");
  EXPECT_EQ(rows.share[0], 255);
  EXPECT_EQ(rows.name[1], kNone);
  EXPECT_EQ(rows.share[1], 0);
  EXPECT_EQ(run.name(rows, 2), "Running");
}

TEST(MergedRows, MeanIsOverTheTracksAndMaximumOfOneOfThem) {
  const Opened run(trace_of(
      4, {{0, 0, 90, "Waiting"}, {1, 0, 30, "Running"}, {2, 0, 30, "Running"}, {3, 0, 60, "Running"}}));
  const auto mean = run.ask(request({{0}, {100}}, 1, {run.states}, Merging::Mean));
  EXPECT_EQ(run.name(mean, 0), "Running"); // 120 of 210 ns
  EXPECT_EQ(mean.share[0], static_cast<std::uint8_t>(std::ceil(255 * 210.0 / 400)));
  const auto maximum = run.ask(request({{0}, {100}}, 1, {run.states}, Merging::Maximum));
  EXPECT_EQ(run.name(maximum, 0), "Waiting");
  EXPECT_EQ(maximum.share[0], static_cast<std::uint8_t>(std::ceil(255 * 0.9)));
}

TEST(MergedRows, MaximumShowsTheOneThreadThatDiffers) {
  std::vector<State> states;
  for (std::uint32_t thread = 0; thread < 50; ++thread)
    states.push_back({thread, 0, 1'000, thread == 23 ? "Running" : "Waiting"});
  const Opened run(trace_of(50, states));
  const auto rows = run.ask(request({{0}, {1'000}}, 10, {run.states}, Merging::Maximum));
  for (std::size_t c = 0; c < 10; ++c) EXPECT_EQ(run.name(rows, c), "Running");
}

TEST(MergedRows, EqualsBruteForce) {
  constexpr int kThreads = 37;
  const auto states = random_states(kThreads, 40'000, 5);
  const Opened run(trace_of(kThreads, states));
  for (const auto& [window, columns] : std::vector<std::pair<Interval, int>>{
           {{{0}, {40'000}}, 97}, {{{-500}, {50'000}}, 11}, {{{12'345}, {13'000}}, 300}, {{{1}, {2}}, 5}}) {
    std::vector<std::vector<std::uint32_t>> rows(5);
    for (std::size_t i = 0; i < run.states.size(); ++i) rows[i % 4].push_back(run.states[i]);
    for (const auto merging : {Merging::Dominant, Merging::Mean}) {
      const auto merged = run.ask(request(window, columns, rows, merging));
      for (std::size_t row = 0; row < rows.size(); ++row)
        for (int c = 0; c < columns; ++c) {
          const auto length = window.length().count;
          const auto left = window.begin.count + length * c / columns,
                     right = window.begin.count + length * (c + 1) / columns;
          std::map<std::string, std::int64_t> times;
          std::int64_t covered = 0;
          for (const auto& state : states) {
            if (state.thread % 4 != row || row == 4) continue;
            const auto inside = std::min(state.end, right) - std::max(state.begin, left);
            if (inside <= 0) continue;
            times[state.name] += inside;
            covered += inside;
          }
          const auto cell = row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c);
          const double share =
              covered == 0 ? 0
                           : static_cast<double>(covered) /
                                 (static_cast<double>(right - left) * static_cast<double>(rows[row].size()));
          ASSERT_EQ(merged.share[cell], static_cast<int>(std::ceil(255 * share))) << row << " " << c;
          if (covered == 0) continue;
          const auto maximum =
              std::ranges::max_element(times, {}, [](const auto& each) { return each.second; })->second;
          EXPECT_EQ(times[run.name(merged, cell)], maximum);
        }
    }
  }
}

TEST(MergedRows, EventsThatCoverManyColumnsAndBlocksCountInAll) {
  const Opened run(trace_of(2, {{0, -5'000, 90'000, "Running"}, {1, 10, 20, "Waiting"}}));
  const auto rows = run.ask(request({{0}, {80'000}}, 800, {{run.states[0]}}, Merging::Maximum));
  EXPECT_TRUE(std::ranges::all_of(rows.share, [](auto share) { return share == 255; }));
}

TEST(MergedRows, TrackByTrackGivesTheSameSharesWhereColumnsAreLarge) {
  const auto states = random_states(6, 20'000, 8);
  const Opened run(trace_of(6, states));
  auto requested = request({{0}, {20'000}}, 40, {run.states}, Merging::Mean);
  const auto swept = run.ask(requested);
  requested.rows.front().push_back(run.tracks.list().front().id); // a host has no events of threads
  const auto by_track = run.ask(requested);
  for (std::size_t c = 0; c < 40; ++c) EXPECT_NEAR(swept.share[c] * 6.0 / 7, by_track.share[c], 2);
}

TEST(MergedRows, StopsWhenCancelled) {
  const Opened run(trace_of(3, random_states(3, 10'000, 3)));
  Job job;
  job.cancelled = [] { return true; };
  const auto merged =
      merged_rows(*run.opened.session, *run.opened.columns, run.names, run.tracks, Selection(),
                  request({{0}, {10'000}}, 100, {run.states}, Merging::Mean), job);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().kind, ErrorKind::Cancelled);
}
