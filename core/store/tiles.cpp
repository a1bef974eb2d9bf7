#include "core/store/tiles.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/parallel.h"

namespace jitterscope::store {
namespace {

struct Bin {
  int shift = 0;
  std::int64_t at = 0;
  std::int64_t begin() const { return at * (std::int64_t{1} << shift); }
  /// Wide enough for shift 62 and bin 0.
  std::int64_t last() const { return begin() + ((std::int64_t{1} << shift) - 1); }
  std::int64_t middle() const { return begin() + (std::int64_t{1} << (shift - 1)); }
  std::uint64_t width() const { return std::uint64_t{1} << shift; }
  Bin left() const { return {shift - 1, at * 2}; }
  Bin right() const { return {shift - 1, at * 2 + 1}; }
};

struct NameTime {
  std::uint32_t name = 0;
  std::uint64_t busy = 0;
};

/// What a bin tells its parent. Time of events that cover the whole parent is left out: nobody has to hand it
/// up.
struct Summary {
  Tile tile;                   ///< busy and name without events that cover this bin and its parent
  std::vector<NameTime> times; ///< by name
};

/// The events that cover every bin from here down, by name. Bins are entered and left like a stack, so what
/// was best before is simply put back.
class Covering {
public:
  struct Mark {
    std::size_t size = 0;
    NameTime best;
  };
  Mark mark() const { return {names_.size(), best_}; }
  void push(std::uint32_t name) {
    names_.push_back(name);
    const auto count = ++counts_[name];
    if (count > best_.busy || (count == best_.busy && name < best_.name)) best_ = {name, count};
  }
  void back_to(const Mark& mark) {
    for (; names_.size() > mark.size; names_.pop_back())
      if (--counts_[names_.back()] == 0) counts_.erase(names_.back());
    best_ = mark.best;
  }
  std::uint64_t total() const { return names_.size(); }
  std::uint64_t of(std::uint32_t name) const {
    if (names_.empty()) return 0;
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  const NameTime& best() const { return best_; } ///< busy: how many events
  std::vector<NameTime> since(const Mark& mark) const {
    std::vector<NameTime> added;
    for (auto i = mark.size; i < names_.size(); ++i) added.push_back({names_[i], 1});
    return added;
  }

private:
  std::vector<std::uint32_t> names_;
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
  NameTime best_;
};

void sort_and_join(std::vector<NameTime>& times) {
  std::sort(times.begin(), times.end(), [](const NameTime& a, const NameTime& b) { return a.name < b.name; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (kept > 0 && times[kept - 1].name == times[i].name)
      times[kept - 1].busy += times[i].busy;
    else
      times[kept++] = times[i];
  }
  times.resize(kept);
}

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

std::uint32_t saturated(std::int64_t length) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(length, UINT32_MAX));
}

void start(Tile& tile, const Bin& bin, std::size_t first) {
  tile.at = bin.at;
  tile.first = static_cast<std::uint32_t>(first);
  tile.minimum = UINT32_MAX;
}

Summary joined(const Bin& bin, Summary&& left, Summary&& right) {
  Summary sum;
  Tile& t = sum.tile;
  start(t, bin, left.tile.first);
  t.count = left.tile.count + right.tile.count;
  t.open = left.tile.open;
  t.minimum = std::min(left.tile.minimum, right.tile.minimum);
  t.maximum = std::max(left.tile.maximum, right.tile.maximum);
  t.busy = left.tile.busy + right.tile.busy;
  t.sum = left.tile.sum + right.tile.sum;
  t.squares = left.tile.squares + right.tile.squares;
  sum.times = merged(std::move(left.times), std::move(right.times));
  return sum;
}

/// Builds the tiles of one bin and of all below it from events that lie in memory.
class SubtreeBuilder {
public:
  SubtreeBuilder(const std::vector<Event>& events, std::size_t first_position, std::uint32_t least,
                 TileTree& tiles)
      : events_(events), first_position_(first_position), least_(least), tiles_(tiles) {}

  /// `from_before`: the events that began before the bin and end after its begin; on return, those of them
  /// and of [first, last) that end after the bin.
  Summary build(const Bin& bin, std::size_t first, std::size_t last, std::vector<Event>& from_before) {
    const auto mark = covering_.mark();
    std::vector<Event> longer; // cover the bin and end after it
    std::size_t kept = 0;
    for (const auto& event : from_before) {
      if (event.end <= bin.last()) {
        from_before[kept++] = event;
        continue;
      }
      covering_.push(event.name);
      if (event.end - 1 > bin.last()) longer.push_back(event);
    }
    from_before.resize(kept);
    const auto open = static_cast<std::uint32_t>(covering_.total() + kept);
    Summary sum = last - first <= least_ || bin.shift == 0 ? leaf(bin, first, last, from_before)
                                                           : node(bin, first, last, from_before);
    sum.tile.open = open;
    if (last - first > least_) emit(bin, sum);
    if (auto added = covering_.since(mark); !added.empty()) {
      for (auto& time : added) time.busy = bin.width();
      sum.tile.busy += added.size() * bin.width();
      sort_and_join(added);
      sum.times = merged(std::move(sum.times), std::move(added));
    }
    covering_.back_to(mark);
    from_before.insert(from_before.end(), longer.begin(), longer.end());
    return sum;
  }

private:
  Summary leaf(const Bin& bin, std::size_t first, std::size_t last, std::vector<Event>& from_before) {
    Summary sum;
    Tile& t = sum.tile;
    start(t, bin, first_position_ + first);
    t.count = static_cast<std::uint32_t>(last - first);
    sum.times.reserve(from_before.size() + (last - first));
    for (const auto& event : from_before)
      add(sum, event.name, static_cast<std::uint64_t>(event.end - bin.begin()));
    from_before.clear(); // all end inside
    for (auto i = first; i < last; ++i) {
      const auto& event = events_[i];
      const auto length = event.end - event.begin;
      t.minimum = std::min(t.minimum, saturated(length));
      t.maximum = std::max(t.maximum, saturated(length));
      t.sum += static_cast<std::uint64_t>(length);
      t.squares += static_cast<UInt128>(length) * static_cast<UInt128>(length);
      const bool inside = event.end - 1 <= bin.last();
      add(sum, event.name,
          static_cast<std::uint64_t>((inside ? event.end - 1 : bin.last()) - event.begin + 1));
      if (!inside) from_before.push_back(event);
    }
    sort_and_join(sum.times);
    return sum;
  }

  static void add(Summary& sum, std::uint32_t name, std::uint64_t busy) {
    sum.tile.busy += busy;
    sum.times.push_back({name, busy});
  }

  Summary node(const Bin& bin, std::size_t first, std::size_t last, std::vector<Event>& from_before) {
    const auto border = std::partition_point(events_.begin() + static_cast<std::ptrdiff_t>(first),
                                             events_.begin() + static_cast<std::ptrdiff_t>(last),
                                             [&](const Event& e) { return e.begin < bin.middle(); });
    const auto middle = static_cast<std::size_t>(border - events_.begin());
    auto left = build(bin.left(), first, middle, from_before);
    auto right = build(bin.right(), middle, last, from_before);
    return joined(bin, std::move(left), std::move(right));
  }

  void emit(const Bin& bin, const Summary& sum) {
    Tile tile = sum.tile;
    tile.busy += covering_.total() * bin.width();
    NameTime best{covering_.best().name, covering_.best().busy * bin.width()};
    bool any = covering_.total() > 0;
    for (const auto& time : sum.times) {
      const auto busy = time.busy + covering_.of(time.name) * bin.width();
      if (!any || busy > best.busy || (busy == best.busy && time.name < best.name)) best = {time.name, busy};
      any = true;
    }
    tile.name = best.name;
    tile.name_busy = best.busy;
    tiles_[static_cast<std::size_t>(bin.shift)].push_back(tile);
  }

  const std::vector<Event>& events_;
  std::size_t first_position_;
  std::uint32_t least_;
  TileTree& tiles_;
  Covering covering_;
};

/// A bin that one task builds.
struct Task {
  Bin bin;
  std::size_t first = 0, last = 0; ///< positions
  Summary sum;
  TileTree tiles;
};

/// Splits a series into tasks, then joins what they made, along the same tree.
class SeriesBuilder {
public:
  SeriesBuilder(const EventSource& source, const Blocks& blocks, const TileOptions& options)
      : source_(source), blocks_(blocks), options_(options) {}

  std::optional<TileTree> build() {
    if (source_.events <= options_.least_events) return TileTree{};
    const auto begin = source_.begin_at(0), last = source_.begin_at(source_.events - 1);
    const auto shift = root_shift(begin, std::max(blocks_.last_end(), last + 1));
    // One bin holds all, or one before zero and one behind.
    const auto border = begin >> shift != last >> shift ? position_of(0, 0, source_.events) : std::size_t{0};
    if (border > 0) split({shift, begin >> shift}, 0, border);
    if (border < source_.events) split({shift, last >> shift}, border, source_.events);
    const bool done = parallel_for(
        tasks_.size(), options_.threads, [&](std::size_t i) { run(tasks_[i]); }, options_.stop_wanted);
    if (!done) return std::nullopt;
    if (border > 0) join({shift, begin >> shift}, 0, border);
    if (border < source_.events) join({shift, last >> shift}, border, source_.events);
    return gathered();
  }

private:
  std::size_t position_of(std::int64_t time, std::size_t first, std::size_t last) const {
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
    std::vector<Event> events(task.last - task.first);
    source_.read(task.first, task.last, events.data());
    auto before = reaching(task.bin.begin(), task.first);
    SubtreeBuilder builder(events, task.first, options_.least_events, task.tiles);
    task.sum = builder.build(task.bin, 0, events.size(), before);
  }

  // The events before `position` that end after `time`.
  std::vector<Event> reaching(std::int64_t time, std::size_t position) const {
    std::vector<Event> found;
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
    auto sum = joined(bin, std::move(left), std::move(right));
    if (sum.tile.count > options_.least_events) {
      const auto best =
          std::max_element(sum.times.begin(), sum.times.end(), [](const auto& a, const auto& b) {
            return a.busy < b.busy; // the first of equals: the smallest name
          });
      sum.tile.name = best->name;
      sum.tile.name_busy = best->busy;
      upper_[static_cast<std::size_t>(bin.shift)].push_back(sum.tile);
    }
    return sum;
  }

  TileTree gathered() {
    TileTree all;
    for (std::size_t shift = 0; shift < all.size(); ++shift) {
      std::size_t count = upper_[shift].size();
      for (const auto& task : tasks_) count += task.tiles[shift].size();
      auto& level = all[shift];
      level.reserve(count);
      for (auto& task : tasks_) {
        level.insert(level.end(), task.tiles[shift].begin(), task.tiles[shift].end());
        std::vector<Tile>().swap(task.tiles[shift]);
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
