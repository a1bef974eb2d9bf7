#include "core/store/tiles/build_tiles.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"
#include "core/store/tiles/subtree.h"

namespace jitterscope::store {
namespace {

std::vector<NameTime> merged(std::vector<NameTime>&& a, std::vector<NameTime>&& b) {
  if (a.empty()) return std::move(b);
  if (b.empty()) return std::move(a);
  std::vector<NameTime> sum;
  sum.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].name < b[j].name)
      sum.push_back(a[i++]);
    else if (b[j].name < a[i].name)
      sum.push_back(b[j++]);
    else
      sum.push_back({a[i].name, a[i++].busy + b[j++].busy});
  }
  sum.insert(sum.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
  sum.insert(sum.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
  return sum;
}

/// A bin that is built by one task.
struct Task {
  Bin bin;
  std::size_t first = 0, last = 0; ///< positions of the events that begin in the bin: [first, last)
  Summary sum;
  TileTree tiles;
};

/// Splits a series into tasks, then merges their results along the same tree.
class SeriesBuilder {
public:
  SeriesBuilder(const EventSource& source, const Blocks& blocks, const TileOptions& options)
      : source_(source), blocks_(blocks), options_(options) {}

  std::optional<TileTree> build() {
    if (source_.events <= options_.min_events) return TileTree{};
    const auto begin = source_.begin_at(0), last = source_.begin_at(source_.events - 1);
    const auto shift = root_shift(begin, std::max(blocks_.last_end(), last + 1));
    // One bin holds all events, or there is one before 0 and one after it.
    const auto border = begin >> shift != last >> shift ? position_of(0, 0, source_.events) : std::size_t{0};
    if (border > 0) split({shift, begin >> shift}, 0, border);
    if (border < source_.events) split({shift, last >> shift}, border, source_.events);
    const bool done = parallel_for(
        tasks_.size(), options_.threads, [&](std::size_t i) { run(tasks_[i]); }, options_.stop_requested);
    if (!done) return std::nullopt;
    if (border > 0) join({shift, begin >> shift}, 0, border);
    if (border < source_.events) join({shift, last >> shift}, border, source_.events);
    return gathered();
  }

private:
  std::size_t position_of(std::int64_t time, std::size_t first, std::size_t last) const {
    SpillMemory::relieve(); // each access to a row also loads the pages around it
    while (first < last) {
      const auto middle = first + (last - first) / 2;
      if (source_.begin_at(middle) < time)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

  bool small(const Bin& bin, std::size_t first, std::size_t last) const {
    return last - first <= options_.events_per_task || bin.shift == 0;
  }

  void split(const Bin& bin, std::size_t first, std::size_t last) {
    if (small(bin, first, last)) {
      tasks_.push_back({bin, first, last, {}, {}});
      return;
    }
    const auto middle = position_of(bin.middle(), first, last);
    split(bin.left(), first, middle);
    split(bin.right(), middle, last);
  }

  void run(Task& task) const {
    SpillMemory::relieve();
    SpillVector<Event> buffer;
    const auto events = source_.events_at(task.first, task.last, buffer);
    auto before = reaching(task.bin.begin(), task.first);
    NameRange names;
    names.add(events);
    names.add(before);
    if (names.few()) return build(task, events, before, names);
    NamePlaces places;
    places.add(events);
    places.add(before);
    if (!places.usable()) return build(task, events, before, names);
    if (buffer.empty()) buffer = SpillVector<Event>(events.begin(), events.end());
    places.put(buffer);
    places.put(before);
    names = {};
    names.add(buffer);
    names.add(before);
    build(task, buffer, before, names);
    for (auto& level : task.tiles)
      for (auto& tile : level) places.restore(tile.name);
    for (auto& time : task.sum.times) places.restore(time.name);
  }

  void build(Task& task, std::span<const Event> events, SpillVector<Event>& before,
             const NameRange& names) const {
    task.sum = build_subtree(task.bin, {events, std::move(before), task.first, names}, options_.min_events,
                             task.tiles);
  }

  // The events before `position` that end after `time`; room for more, because a bin adds its own.
  SpillVector<Event> reaching(std::int64_t time, std::size_t position) const {
    constexpr std::size_t kRoom = 32;
    SpillVector<Event> found;
    found.reserve(kRoom);
    if (position == 0) return found;
    Event events[kBlockEvents];
    blocks_.ending_after(0, blocks_of(position), time, [&](std::size_t block) {
      const auto from = block * kBlockEvents, to = std::min(from + kBlockEvents, position);
      source_.read(from, to, events);
      for (std::size_t i = 0; i < to - from; ++i)
        if (events[i].end > time) found.push_back(events[i]);
      return true;
    });
    return found;
  }

  Summary join(const Bin& bin, std::size_t first, std::size_t last) {
    if (small(bin, first, last)) return std::move(tasks_[joined_++].sum);
    const auto middle = position_of(bin.middle(), first, last);
    auto left = join(bin.left(), first, middle);
    auto right = join(bin.right(), middle, last);
    Summary sum{joined(bin, left.tile, right.tile), merged(std::move(left.times), std::move(right.times))};
    if (sum.tile.count > options_.min_events) {
      const auto best =
          std::max_element(sum.times.begin(), sum.times.end(), [](const auto& a, const auto& b) {
            return a.busy < b.busy; // ties: the first, which has the smallest name id
          });
      sum.tile.name = best->name;
      sum.tile.name_busy = best->busy;
      upper_[static_cast<std::size_t>(bin.shift)].push_back(sum.tile);
    }
    return sum;
  }

  TileTree gathered() {
    if (tasks_.size() == 1) return std::move(tasks_.front().tiles); // no bin was split
    TileTree all;
    for (std::size_t shift = 0; shift < all.size(); ++shift) {
      std::size_t count = upper_[shift].size();
      for (const auto& task : tasks_) count += task.tiles[shift].size();
      auto& level = all[shift];
      level.reserve(count);
      for (auto& task : tasks_) {
        level.insert(level.end(), task.tiles[shift].begin(), task.tiles[shift].end());
        SpillVector<Tile>().swap(task.tiles[shift]);
      }
      const auto own = static_cast<std::ptrdiff_t>(level.size());
      level.insert(level.end(), upper_[shift].begin(), upper_[shift].end());
      std::inplace_merge(level.begin(), level.begin() + own, level.end(),
                         [](const Tile& a, const Tile& b) { return a.at < b.at; });
    }
    return all;
  }

  const EventSource& source_;
  const Blocks& blocks_;
  const TileOptions& options_;
  std::vector<Task> tasks_;
  std::size_t joined_ = 0;
  TileTree upper_;
};

} // namespace

int root_shift(std::int64_t begin, std::int64_t end) {
  int shift = 0;
  const auto fits = [&] {
    const auto first = begin >> shift, last = (std::max(end, begin + 1) - 1) >> shift;
    return first == last || (first == -1 && last == 0);
  };
  while (shift < kTileLevels - 1 && !fits()) ++shift;
  return shift;
}

std::optional<TileTree> build_tiles(const EventSource& source, const Blocks& blocks,
                                    const TileOptions& options) {
  return SeriesBuilder(source, blocks, options).build();
}

} // namespace jitterscope::store
