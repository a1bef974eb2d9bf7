#include <gtest/gtest.h>

#include "core/store/tiles/build_tiles.h"
#include "tests/core/store/series_events.h"

using namespace jitterscope;
using namespace jitterscope::store;
using test::EventShape;

namespace {

TileTree tiles_of(const std::vector<Event>& events, const TileOptions& options,
                  const Event* in_memory = nullptr) {
  auto source = test::source_of(events);
  source.in_memory = in_memory;
  const test::BuiltBlocks built(source);
  auto tiles = build_tiles(source, built.blocks, options);
  EXPECT_TRUE(tiles.has_value());
  return std::move(*tiles);
}

TileOptions with_min_events(std::uint32_t minimum, std::size_t events_per_task = 1 << 17, int threads = 1) {
  TileOptions options;
  options.min_events = minimum;
  options.events_per_task = events_per_task;
  options.threads = threads;
  return options;
}

// Compares every level with the events, including levels without tiles.
void expect_brute_force(const std::vector<Event>& events, const TileOptions& options, const char* what) {
  const auto tree = tiles_of(events, options);
  EXPECT_TRUE(tree == tiles_of(events, options, events.data())) << what << ": events in memory";
  std::int64_t last_end = INT64_MIN;
  for (const auto& event : events) last_end = std::max(last_end, event.end);
  const int top = root_shift(events.front().begin, std::max(last_end, events.back().begin + 1));
  for (int shift = 0; shift < kTileLevels; ++shift) {
    const auto& level = tree[static_cast<std::size_t>(shift)];
    if (shift > top) {
      EXPECT_TRUE(level.empty()) << what << ": above the root";
      continue;
    }
    const auto expected = test::brute_force_level(events, shift, options.min_events);
    ASSERT_EQ(level.size(), expected.size()) << what << ", shift " << shift;
    for (std::size_t i = 0; i < level.size(); ++i)
      ASSERT_TRUE(level[i] == expected[i])
          << what << ", shift " << shift << ", bin " << level[i].at << ": busy " << level[i].busy << " not "
          << expected[i].busy << ", name " << level[i].name << " not " << expected[i].name << ", open "
          << level[i].open << " not " << expected[i].open;
  }
}

} // namespace

TEST(Tiles, MatchTheWorkedExample) {
  // Events as (begin, end, name): (0,10,a) (10,30,b) (35,40,a).
  const auto tree = tiles_of({{0, 10, 0}, {10, 30, 1}, {35, 40, 0}}, with_min_events(0));
  const auto& fine = tree[4]; // 16 ns; no event starts in bin 1, so it has no tile
  ASSERT_EQ(fine.size(), 2u);
  EXPECT_EQ(fine[0].count, 2u);
  EXPECT_EQ(fine[0].busy, 16u);
  EXPECT_EQ(fine[0].name, 0u);
  EXPECT_EQ(fine[0].name_busy, 10u);
  EXPECT_EQ(fine[1].at, 2);
  EXPECT_EQ(fine[1].count, 1u);
  EXPECT_EQ(fine[1].busy, 5u);
  const auto& middle = tree[5];
  ASSERT_EQ(middle.size(), 2u);
  EXPECT_EQ(middle[0].count, 2u);
  EXPECT_EQ(middle[0].busy, 30u);
  EXPECT_EQ(middle[0].name, 1u);
  EXPECT_EQ(middle[0].name_busy, 20u);
  EXPECT_EQ(middle[1].busy, 5u);
  ASSERT_EQ(tree[6].size(), 1u);
  const auto& root = tree[6][0];
  EXPECT_EQ(root.count, 3u);
  EXPECT_EQ(root.busy, 35u);
  EXPECT_EQ(root.sum, 35u);
  EXPECT_TRUE(root.squares == 525);
  EXPECT_EQ(root.minimum, 5u);
  EXPECT_EQ(root.maximum, 20u);
  EXPECT_EQ(root.name, 1u);
  EXPECT_EQ(root.name_busy, 20u);
}

TEST(Tiles, EqualBruteForceForRandomSeries) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 60; ++trial) {
    EventShape shape;
    shape.events = 1 + static_cast<int>(random() % 600);
    shape.begin = static_cast<std::int64_t>(random() % 100'000) - 20'000;
    shape.max_gap = static_cast<std::int64_t>(1) << random() % 14;
    shape.max_length = static_cast<std::int64_t>(1) << random() % 14;
    shape.long_factor = 1 + static_cast<std::int64_t>(random() % 200);
    shape.names = 1 + static_cast<int>(random() % 9);
    shape.overlap = trial % 2 == 1;
    auto events = test::random_events(random, shape);
    for (auto& event : events) // numbers of names: large and consecutive, or far apart
      event.name = trial % 3 == 1 ? event.name + 1'000'000 : event.name * (trial % 3 == 2 ? 3'000 : 1);
    expect_brute_force(events, with_min_events(static_cast<std::uint32_t>(random() % 5)), "one task");
    expect_brute_force(events, with_min_events(3, 1 + random() % 100, 2), "many tasks");
    expect_brute_force(events, with_min_events(kTileEvents), "as stored");
  }
}

// As the bursts of thousands of threads on one node: more than a hundred events cover whole bins.
TEST(Tiles, OfManyOpenEvents) {
  for (const std::uint32_t apart : {1u, 30'000u}) {
    std::vector<Event> events;
    for (std::int64_t i = 0; i < 300; ++i)
      events.push_back({i, 3'000 + i * i, static_cast<std::uint32_t>(i * i % 11) * apart});
    for (std::int64_t i = 0; i < 300; ++i)
      events.push_back({1'000 + 7 * i, 1'020 + 9 * i, static_cast<std::uint32_t>(i % 13) * apart});
    expect_brute_force(events, with_min_events(0), "one task");
    expect_brute_force(events, with_min_events(2, 50, 2), "many tasks");
  }
}

// As the threads of a program after a barrier: no event begins in most of the bins that they cover.
TEST(Tiles, OfEventsThatBeginTogether) {
  for (const std::uint32_t apart : {1u, 30'000u}) {
    std::vector<Event> events;
    for (std::int64_t step = 0; step < 4; ++step)
      for (std::int64_t i = 0; i < 200; ++i)
        events.push_back({10'000 * step, 10'000 * step + (i % 9 == 0 ? 25'000 : 4'000 + i * i % 3'000),
                          static_cast<std::uint32_t>(i * i % 11) * apart});
    expect_brute_force(events, with_min_events(0), "one task");
    expect_brute_force(events, with_min_events(32, 100, 2), "many tasks");
  }
}

TEST(Tiles, HoldLengthsBeyond32Bits) {
  const std::int64_t wide = std::int64_t{1} << 40;
  std::vector<Event> events;
  for (int i = 0; i < 50; ++i)
    events.push_back({i * wide, i * wide + wide - i, static_cast<std::uint32_t>(i % 3)});
  expect_brute_force(events, with_min_events(0), "long events");
  const auto tree = tiles_of(events, with_min_events(0));
  const auto& root = tree[46].front();
  EXPECT_EQ(root.maximum, UINT32_MAX) << "saturated";
  EXPECT_EQ(root.sum, 50ull * static_cast<std::uint64_t>(wide) - 49 * 25);
}

TEST(Tiles, ExtremeTimesStayInside) {
  const std::int64_t far = std::int64_t{1} << 61;
  std::vector<Event> events = {{-far, far, 0}, {-far, -far, 1}, {-1, 0, 2},
                               {0, 0, 2},      {0, far, 3},     {far, 2 * far, 1}};
  expect_brute_force(events, with_min_events(0), "the whole axis");
  expect_brute_force(events, with_min_events(0, 2, 2), "the whole axis in tasks");
}

TEST(Tiles, EveryLevelSumsToTheRoot) {
  std::mt19937_64 random(5);
  const auto events = test::random_events(random, {20'000, 12'345, 50, 200, 10, 20, false});
  const auto tree = tiles_of(events, with_min_events(0, 1'000, 2));
  std::uint64_t busy = 0;
  UInt128 squares = 0;
  for (const auto& event : events) {
    busy += static_cast<std::uint64_t>(event.end - event.begin);
    squares += static_cast<UInt128>(event.end - event.begin) * static_cast<UInt128>(event.end - event.begin);
  }
  int levels = 0;
  for (std::size_t shift = 0; shift < tree.size(); ++shift) {
    const auto& level = tree[shift];
    if (level.empty()) continue;
    ++levels;
    std::uint64_t count = 0, sum = 0, inside = 0;
    UInt128 level_squares = 0;
    for (const auto& tile : level) {
      EXPECT_EQ(tile.first, count) << "`first` is the number of events in earlier tiles";
      count += tile.count;
      sum += tile.sum;
      inside += tile.busy;
      level_squares += tile.squares;
    }
    EXPECT_EQ(count, events.size());
    EXPECT_EQ(sum, busy);
    EXPECT_TRUE(level_squares == squares);
    EXPECT_LE(inside, busy) << "bins in which nothing begins have no tile";
    if (level.size() == 1) {
      EXPECT_EQ(inside, busy);
    }
  }
  EXPECT_GT(levels, 10);
}

TEST(Tiles, EmptyTimeCostsNothing) {
  // A thousand bursts of 40 events, an hour apart.
  std::vector<Event> events;
  const std::int64_t hour = 3'600'000'000'000;
  for (int burst = 0; burst < 1000; ++burst)
    for (int i = 0; i < 40; ++i) events.push_back({burst * hour + i * 10, burst * hour + i * 10 + 8, 0});
  const auto tree = tiles_of(events, with_min_events(kTileEvents, 10'000, 2));
  std::size_t tiles = 0;
  for (const auto& level : tree) tiles += level.size();
  EXPECT_LT(tiles, 40'000u) << "bounded by the numbers of events and levels, for any gaps";
  EXPECT_EQ(tiles_of({{0, 5, 0}}, with_min_events(kTileEvents))[0].size(), 0u);
  EXPECT_EQ(tiles_of({}, with_min_events(0))[0].size(), 0u);
}

TEST(Tiles, ManyOpenEventsDoNotMakeTheBuildQuadratic) {
  // A hundred thousand ranges that are never closed: each covers every bin after its start.
  std::vector<Event> events;
  const std::int64_t end = 100'000 * 10;
  for (int i = 0; i < 100'000; ++i) events.push_back({i * 10, end, static_cast<std::uint32_t>(i)});
  const auto tree = tiles_of(events, with_min_events(kTileEvents, 1 << 14, 2));
  const auto& root =
      *std::find_if(tree.rbegin(), tree.rend(), [](const auto& level) { return !level.empty(); });
  EXPECT_EQ(root.front().count, 100'000u);
  EXPECT_EQ(root.front().name, 0u);
  EXPECT_EQ(root.front().name_busy, static_cast<std::uint64_t>(end));
}

TEST(Tiles, StopWhenCancelled) {
  std::mt19937_64 random(1);
  const auto events = test::random_events(random, {10'000});
  const auto source = test::source_of(events);
  const test::BuiltBlocks built(source);
  int asked = 0;
  auto alone = with_min_events(1, 100, 1);
  alone.stop_requested = [&] { return ++asked > 3; };
  EXPECT_FALSE(build_tiles(source, built.blocks, alone).has_value());
  // Only the calling thread checks for cancellation, before each of its tasks. By then the other thread may
  // have run nearly all tasks.
  auto both = with_min_events(1, 100, 2);
  both.stop_requested = [] { return true; };
  EXPECT_FALSE(build_tiles(source, built.blocks, both).has_value());
}

TEST(RangeBlocks, FindEveryEventThatEndsLater) {
  std::mt19937_64 random(3);
  for (const int count : {1, 63, 64, 65, 5000, 300'000}) {
    const auto events = test::random_events(random, {count, 0, 20, 30, 1'000, 3, true});
    const test::BuiltBlocks built(test::source_of(events), 2);
    std::int64_t last_end = INT64_MIN;
    bool overlap = false;
    for (const auto& event : events) {
      overlap |= event.begin < last_end;
      last_end = std::max(last_end, event.end);
    }
    EXPECT_EQ(built.overlaps, overlap);
    EXPECT_EQ(built.blocks.last_end(), last_end);
    for (int trial = 0; trial < 20; ++trial) {
      const auto time = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last_end + 1));
      auto first = static_cast<std::size_t>(random()) % (built.blocks.count() + 1);
      auto last = static_cast<std::size_t>(random()) % (built.blocks.count() + 1);
      if (first > last) std::swap(first, last);
      std::vector<std::size_t> expected, found;
      std::int64_t minimum = INT64_MAX, maximum = INT64_MIN;
      for (auto block = first; block < last; ++block) {
        bool ends_later = false;
        for (auto i = block * 64; i < std::min((block + 1) * 64, events.size()); ++i) {
          ends_later |= events[i].end > time;
          minimum = std::min(minimum, events[i].end - events[i].begin);
          maximum = std::max(maximum, events[i].end - events[i].begin);
        }
        if (ends_later) expected.push_back(block);
      }
      built.blocks.ending_after(first, last, time, [&](std::size_t block) {
        found.push_back(block);
        return true;
      });
      EXPECT_EQ(found, expected);
      EXPECT_EQ(built.blocks.extremes(first, last).minimum, minimum);
      EXPECT_EQ(built.blocks.extremes(first, last).maximum, maximum);
    }
  }
}
