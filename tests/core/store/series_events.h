#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "core/store/tiles/build_tiles.h"

namespace jitterscope::test {

/// A series stored in a vector.
inline store::EventSource source_of(const std::vector<store::Event>& events) {
  return {events.size(), [&](std::size_t position) { return events[position].begin; },
          [&](std::size_t first, std::size_t last, store::Event* out) {
            std::copy(events.begin() + static_cast<std::ptrdiff_t>(first),
                      events.begin() + static_cast<std::ptrdiff_t>(last), out);
          }};
}

/// Parameters of random events.
struct EventShape {
  int events = 1000;
  std::int64_t begin = 0;
  std::int64_t max_gap = 100;    ///< maximum gap from an event's end (`overlap`: start) to the next start
  std::int64_t max_length = 100; ///< maximum length; one event in twenty is `long_factor` times as long
  std::int64_t long_factor = 30;
  int names = 7;
  bool overlap = false;
};

inline std::vector<store::Event> random_events(std::mt19937_64& random, const EventShape& shape) {
  std::vector<store::Event> events;
  std::int64_t at = shape.begin;
  const auto up_to = [&](std::int64_t maximum) {
    return static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(maximum) + 1));
  };
  for (int i = 0; i < shape.events; ++i) {
    const auto length = up_to(shape.max_length) * (random() % 20 == 0 ? shape.long_factor : 1);
    events.push_back(
        {at, at + length, static_cast<std::uint32_t>(random() % static_cast<unsigned>(shape.names))});
    at += (shape.overlap ? 0 : length) + up_to(shape.max_gap);
  }
  return events;
}

struct BuiltBlocks {
  store::BlockColumns columns;
  store::GroupColumns groups;
  bool overlaps = false;
  store::Blocks blocks;

  explicit BuiltBlocks(const store::EventSource& source, int threads = 1)
      : overlaps(*store::build_blocks(source, columns, groups, threads, [] { return false; })),
        blocks({columns.begin, columns.sum_before, columns.squares_before_low, columns.squares_before_high,
                columns.minimum, columns.maximum, columns.last_end, groups.minimum, groups.maximum,
                groups.last_end},
               source.events) {}
  BuiltBlocks(const BuiltBlocks&) = delete;
};

/// The tiles of the level of bins of 2^shift ns, computed event by event. Bins in which `min_events` or fewer
/// events start have no tile.
inline std::vector<store::Tile> brute_force_level(const std::vector<store::Event>& events, int shift,
                                                  std::uint32_t min_events) {
  std::map<std::int64_t, store::Tile> bins;
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto& tile = bins[events[i].begin >> shift];
    if (tile.count++ == 0) tile.first = static_cast<std::uint32_t>(i);
  }
  std::vector<store::Tile> level;
  for (auto& [at, tile] : bins) {
    if (tile.count <= min_events) continue;
    const auto begin = at * (std::int64_t{1} << shift);
    const auto last = begin + ((std::int64_t{1} << shift) - 1);
    tile.at = at;
    tile.minimum = UINT32_MAX;
    std::map<std::uint32_t, std::uint64_t> times;
    auto reached = begin; // events are in start order
    for (const auto& event : events) {
      const auto length = event.end - event.begin;
      if (event.begin > last || (event.begin < begin && event.end <= begin)) continue;
      const auto inside =
          static_cast<std::uint64_t>(std::min(event.end - 1, last) - std::max(event.begin, begin) + 1);
      times[event.name] += inside;
      if (inside > 0 && std::min(event.end - 1, last) >= reached) {
        tile.covered +=
            static_cast<std::uint64_t>(std::min(event.end - 1, last) - std::max(event.begin, reached) + 1);
        reached = std::min(event.end - 1, last) + 1;
      }
      tile.busy += inside;
      if (event.begin < begin) {
        ++tile.open;
        continue;
      }
      tile.sum += static_cast<std::uint64_t>(length);
      tile.squares += static_cast<UInt128>(length) * static_cast<UInt128>(length);
      tile.minimum =
          std::min(tile.minimum, static_cast<std::uint32_t>(std::min<std::int64_t>(length, UINT32_MAX)));
      tile.maximum =
          std::max(tile.maximum, static_cast<std::uint32_t>(std::min<std::int64_t>(length, UINT32_MAX)));
    }
    const auto best = std::max_element(times.begin(), times.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    tile.name = best->first;
    tile.name_busy = best->second;
    level.push_back(tile);
  }
  return level;
}

} // namespace jitterscope::test
