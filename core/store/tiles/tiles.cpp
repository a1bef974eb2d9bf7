#include "core/store/tiles/tiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"

namespace jitterscope::store {
namespace {

struct Bin {
  int shift = 0;
  std::int64_t at = 0;
  std::int64_t begin() const { return at * (std::int64_t{1} << shift); }
  /// The last ns of the bin; does not overflow at shift 62.
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

/// Aggregate of a bin for its parent. Time of events that cover the whole parent is left out: the parent
/// accounts for it itself.
struct Summary {
  Tile tile;                   ///< busy and name without events that cover this bin and its parent
  std::vector<NameTime> times; ///< times of the names in the bin, sorted by name
};

/// Times per name of the bins being built, stored one bin after the other: a stack, so that no bin allocates
/// memory of its own.
class TimeStack {
public:
  std::size_t size() const { return times_.size(); }
  std::span<const NameTime> from(std::size_t first) const { return std::span(times_).subspan(first); }

  /// Pushes a time; sort() must follow.
  void push(const NameTime& time) { times_.push_back(time); }
  /// Sorts the times from `first` on by name and merges those of the same name.
  void sort(std::size_t first) {
    std::sort(times_.begin() + static_cast<std::ptrdiff_t>(first), times_.end(),
              [](const NameTime& a, const NameTime& b) { return a.name < b.name; });
    auto kept = first;
    for (auto i = first; i < times_.size(); ++i) {
      if (kept > first && times_[kept - 1].name == times_[i].name)
        times_[kept - 1].busy += times_[i].busy;
      else
        times_[kept++] = times_[i];
    }
    times_.resize(kept);
  }

  /// Adds to the times from `first` on, which stay sorted by name; intended for a few times.
  void add(std::size_t first, const NameTime& time) {
    auto place = times_.size();
    while (place > first && time.name < times_[place - 1].name) --place;
    if (place > first && times_[place - 1].name == time.name)
      times_[place - 1].busy += time.busy;
    else
      times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(place), time);
  }

  /// Merges [first, middle) with the times after it, both sorted by name.
  void join(std::size_t first, std::size_t middle) {
    if (first == middle || middle == times_.size()) return;
    joined_.clear();
    auto i = first, j = middle;
    while (i < middle && j < times_.size()) {
      const auto a = times_[i].name, b = times_[j].name;
      if (a == b)
        joined_.push_back({a, times_[i++].busy + times_[j++].busy});
      else
        joined_.push_back(a < b ? times_[i++] : times_[j++]);
    }
    for (; i < middle; ++i) joined_.push_back(times_[i]);
    for (; j < times_.size(); ++j) joined_.push_back(times_[j]);
    times_.resize(first);
    times_.insert(times_.end(), joined_.begin(), joined_.end());
  }

private:
  std::vector<NameTime> times_, joined_;
};

/// Times per name of one bin at a time, for names within kNames of each other: summed in place, returned in
/// order.
class NameTimes {
public:
  static constexpr std::uint32_t kNames = 4'096;

  /// Names are at least `base` and at most `base + largest`, which is below kNames.
  NameTimes(std::uint32_t base, std::uint32_t largest) : base_(base), times_(largest + 1) {}
  void add(std::uint32_t id, std::uint64_t busy) {
    const auto name = id - base_;
    times_[name] += busy;
    met_[name / 64] |= std::uint64_t{1} << (name % 64);
    first_ = std::min(first_, name / 64);
    last_ = std::max(last_, name / 64);
  }
  /// Calls each(name, time) for the names that were added, including those with time 0.
  template <class Each>
  void visit(Each&& each) const {
    for (auto word = first_; word <= last_; ++word)
      for (auto left = met_[word]; left != 0; left &= left - 1) {
        const auto name = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
        each(base_ + name, times_[name]);
      }
  }
  void clear() {
    visit([&](std::uint32_t id, std::uint64_t) { times_[id - base_] = 0; });
    for (auto word = first_; word <= last_; ++word) met_[word] = 0;
    first_ = kWords;
    last_ = 0;
  }
  /// Like visit(), then clear().
  template <class Each>
  void give(Each&& each) {
    visit(each);
    clear();
  }

private:
  static constexpr std::uint32_t kWords = kNames / 64;
  std::uint32_t base_;
  std::vector<std::uint64_t> times_;
  std::array<std::uint64_t, kWords> met_{};
  std::uint32_t first_ = kWords, last_ = 0;
};

/// The events that cover the current bin (and so every bin below it), by name. Bins are entered and left in
/// stack order, so that the previous best is restored on leaving.
class Covering {
public:
  /// Counts of the names from `base` to `base + largest` are stored in place, those of others in a map.
  Covering(std::uint32_t base, std::uint32_t largest) : base_(base), few_counts_(largest + 1) {}

  /// Consecutive events of one name.
  struct Run {
    std::uint32_t name = 0;
    std::uint64_t events = 0;
  };
  struct Mark {
    std::size_t runs = 0;
    std::uint64_t total = 0;
    NameTime best;
  };
  /// Events pushed later are in runs of their own.
  Mark mark() {
    first_new_ = runs_.size();
    return {runs_.size(), total_, best_};
  }
  void push(std::uint32_t name) {
    if (runs_.size() > first_new_ && runs_.back().name == name)
      ++runs_.back().events;
    else
      runs_.push_back({name, 1});
    ++total_;
    // for names below the base, this wraps around to a number beyond all places
    const auto place = name - base_;
    const auto count = ++(place < few_counts_.size() ? few_counts_[place] : counts_[name]);
    if (count > best_.busy || (count == best_.busy && name < best_.name)) best_ = {name, count};
  }
  void back_to(const Mark& mark) {
    for (; runs_.size() > mark.runs; runs_.pop_back()) {
      const auto& [name, events] = runs_.back();
      if (const auto place = name - base_; place < few_counts_.size())
        few_counts_[place] -= events;
      else if ((counts_[name] -= events) == 0)
        counts_.erase(name);
    }
    total_ = mark.total;
    best_ = mark.best;
  }
  std::uint64_t total() const { return total_; }
  std::uint64_t of(std::uint32_t name) const {
    if (total_ == 0) return 0;
    if (const auto place = name - base_; place < few_counts_.size()) return few_counts_[place];
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  const NameTime& best() const {
    return best_;
  } ///< the most frequent name, with the number of its events in `busy`
  std::span<const Run> since(const Mark& mark) const { return std::span(runs_).subspan(mark.runs); }

private:
  std::vector<Run> runs_;
  std::uint64_t total_ = 0; ///< number of events of all runs
  std::size_t first_new_ = 0;
  std::uint32_t base_;
  std::vector<std::uint64_t> few_counts_;
  std::unordered_map<std::uint32_t, std::uint64_t>
      counts_; ///< numbers of events of the names that are not in few_counts_
  NameTime best_;
};

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

Tile joined(const Bin& bin, const Tile& left, const Tile& right) {
  Tile t;
  start(t, bin, left.first);
  t.count = left.count + right.count;
  t.open = left.open;
  t.minimum = std::min(left.minimum, right.minimum);
  t.maximum = std::max(left.maximum, right.maximum);
  t.busy = left.busy + right.busy;
  t.covered = left.covered + right.covered;
  t.sum = left.sum + right.sum;
  t.squares = left.squares + right.squares;
  return t;
}

/// The smallest and the largest name of some events.
struct NameRange {
  std::uint32_t smallest = UINT32_MAX, largest = 0;

  void add(std::span<const Event> events) {
    for (const auto& event : events) {
      smallest = std::min(smallest, event.name);
      largest = std::max(largest, event.name);
    }
  }
  /// Difference between the largest and the smallest name, at most kNames − 1.
  std::uint32_t length() const {
    return smallest > largest ? 0 : std::min(largest - smallest, NameTimes::kNames - 1);
  }
  bool few() const { return smallest > largest || largest - smallest < NameTimes::kNames; }
};

/// Replaces the names of events by their places in a sorted list, so that the names of one series, which may
/// be far from each other, are summed in place. Does nothing if there are more than kNames of them.
class NamePlaces {
public:
  void add(std::span<const Event> events) {
    for (const auto& event : events) {
      if (!usable()) return;
      if (at_ < names_.size() && names_[at_] == event.name) continue;
      const auto place = std::lower_bound(names_.begin(), names_.end(), event.name);
      at_ = static_cast<std::size_t>(place - names_.begin());
      if (place == names_.end() || *place != event.name) names_.insert(place, event.name);
    }
  }
  void put(SpillVector<Event>& events) const {
    if (!usable()) return;
    for (auto& event : events)
      event.name = static_cast<std::uint32_t>(std::lower_bound(names_.begin(), names_.end(), event.name) -
                                              names_.begin());
  }
  void restore(std::uint32_t& name) const {
    if (usable()) name = names_[name];
  }
  bool usable() const { return names_.size() <= NameTimes::kNames; }

private:
  std::vector<std::uint32_t> names_;
  std::size_t at_ = 0; ///< position in the list of the last event's name
};

/// The events that began before the bin being built and end after its start.
class EventsBefore {
public:
  /// `few_names`: all names are at least `base` and at most `base + largest`.
  EventsBefore(SpillVector<Event>&& events, bool few_names, std::uint32_t base, std::uint32_t largest)
      : events_(std::move(events)), few_names_(few_names), base_(base), largest_(largest) {
    for (const auto& event : events_) shortest_ = std::min(shortest_, event.end);
  }
  std::size_t size() const { return events_.size(); }
  void push(const Event& event) {
    events_.push_back(event);
    shortest_ = std::min(shortest_, event.end);
    if (counted_) counts_->add(event.name, 1);
  }
  /// Removes the events for which keep(event) returns false.
  template <class Keep>
  void filter(Keep&& keep) {
    auto shortest = INT64_MAX;
    std::size_t kept = 0;
    for (const auto& event : events_)
      if (keep(event)) {
        shortest = std::min(shortest, event.end);
        events_[kept++] = event;
      }
    if (kept < events_.size()) uncount();
    events_.resize(kept);
    shortest_ = shortest;
  }
  /// Whether all events end after the end of the bin, and their names can be counted.
  bool countable_beyond(const Bin& bin) const { return few_names_ && shortest_ - 1 > bin.last(); }
  /// The number of events of each name. Thousands of them can cover thousands of consecutive bins.
  const NameTimes& counts() {
    if (!counts_) counts_.emplace(base_, largest_);
    if (!counted_)
      for (const auto& event : events_) counts_->add(event.name, 1);
    counted_ = true;
    return *counts_;
  }

private:
  void uncount() {
    if (counted_) counts_->clear();
    counted_ = false;
  }

  SpillVector<Event> events_;
  std::int64_t shortest_ = INT64_MAX; ///< the first end of the events
  bool few_names_;
  std::uint32_t base_, largest_;
  bool counted_ = false;
  std::optional<NameTimes> counts_; ///< valid while counted_ is true, else without names
};

/// Builds the tiles of one bin and of all bins below it from events in memory.
class SubtreeBuilder {
public:
  /// `names`: range of the names of all events, also of those that begin before the bin.
  SubtreeBuilder(std::span<const Event> events, SpillVector<Event>&& from_before, const NameRange& names,
                 std::size_t first_position, std::uint32_t minimum, TileTree& tiles)
      : events_(events), first_position_(first_position), minimum_(minimum), tiles_(tiles),
        few_names_(names.few()), sums_(names.smallest, names.length()),
        before_(std::move(from_before), names.few(), names.smallest, names.length()),
        covering_(names.smallest, names.length()) {}

  Summary build(const Bin& bin, std::size_t first, std::size_t last) {
    const auto tile = build_bin(bin, first, last);
    const auto times = times_.from(0);
    return {tile, {times.begin(), times.end()}};
  }

private:
  static constexpr std::size_t kFew = 64; // up to this many names are inserted one by one

  // Leaves the times of the bin on top of the stack.
  Tile build_bin(const Bin& bin, std::size_t first, std::size_t last) {
    const auto own_times = times_.size();
    const auto open = static_cast<std::uint32_t>(covering_.total() + before_.size());
    if (last - first <= minimum_ || bin.shift == 0) {
      auto tile = leaf(bin, first, last);
      tile.open = open;
      if (last - first > minimum_) emit(bin, tile, times_.from(own_times));
      return tile;
    }
    const auto mark = covering_.mark();
    const auto own_longer = longer_.size(); // events from here on cover the bin and end after it
    before_.filter([&](const Event& event) {
      if (event.end <= bin.last()) return true;
      covering_.push(event.name);
      if (event.end - 1 > bin.last()) longer_.push_back(event);
      return false;
    });
    auto tile = node(bin, first, last);
    tile.open = open;
    emit(bin, tile, times_.from(own_times));
    if (const auto added = covering_.total() - mark.total; added > 0) {
      add_widths(covering_.since(mark), own_times, bin.width());
      tile.busy += added * bin.width();
      tile.covered = bin.width();
    }
    covering_.back_to(mark);
    for (auto i = own_longer; i < longer_.size(); ++i) before_.push(longer_[i]);
    longer_.resize(own_longer);
    return tile;
  }

  // Adds the width of a bin for each of the events that cover it to the times from `first` on.
  void add_widths(std::span<const Covering::Run> runs, std::size_t first, std::uint64_t width) {
    if (runs.size() <= kFew) {
      for (const auto& [name, events] : runs) times_.add(first, {name, events * width});
    } else if (few_names_) {
      const auto middle = times_.size();
      for (const auto& [name, events] : runs) sums_.add(name, events * width);
      sums_.give([&](std::uint32_t name, std::uint64_t busy) { times_.push({name, busy}); });
      times_.join(first, middle);
    } else {
      for (const auto& [name, events] : runs) times_.push({name, events * width});
      times_.sort(first);
    }
  }

  Tile leaf(const Bin& bin, std::size_t first, std::size_t last) {
    Tile t;
    start(t, bin, first_position_ + first);
    t.count = static_cast<std::uint32_t>(last - first);
    const auto own_times = times_.size();
    std::uint64_t reached = 0; // ns from the start of the bin; everything before is covered or empty
    const auto add = [&](const Event& event, std::uint64_t begin) { // returns whether it ends after the bin
      const bool longer = event.end - 1 > bin.last();
      const auto end = static_cast<std::uint64_t>((longer ? bin.last() : event.end - 1) - bin.begin()) + 1;
      t.busy += end - begin;
      few_names_ ? sums_.add(event.name, end - begin) : times_.push({event.name, end - begin});
      if (end > reached) {
        t.covered += end - std::max(begin, reached);
        reached = end;
      }
      return longer;
    };
    if (before_.size() > 0 && before_.countable_beyond(bin)) {
      before_.counts().visit(
          [&](std::uint32_t name, std::uint64_t events) { sums_.add(name, events * bin.width()); });
      t.busy = before_.size() * bin.width();
      t.covered = reached = bin.width();
    } else {
      before_.filter([&](const Event& event) { return add(event, 0); });
    }
    for (auto i = first; i < last; ++i) {
      const auto& event = events_[i];
      const auto length = event.end - event.begin;
      t.minimum = std::min(t.minimum, saturated(length));
      t.maximum = std::max(t.maximum, saturated(length));
      t.sum += static_cast<std::uint64_t>(length);
      t.squares += static_cast<UInt128>(length) * static_cast<UInt128>(length);
      if (add(event, static_cast<std::uint64_t>(event.begin - bin.begin()))) before_.push(event);
    }
    if (few_names_)
      sums_.give([&](std::uint32_t name, std::uint64_t busy) { times_.push({name, busy}); });
    else
      times_.sort(own_times);
    return t;
  }

  Tile node(const Bin& bin, std::size_t first, std::size_t last) {
    const auto border = std::partition_point(events_.begin() + static_cast<std::ptrdiff_t>(first),
                                             events_.begin() + static_cast<std::ptrdiff_t>(last),
                                             [&](const Event& e) { return e.begin < bin.middle(); });
    const auto middle = static_cast<std::size_t>(border - events_.begin());
    const auto left_times = times_.size();
    const auto left = build_bin(bin.left(), first, middle);
    const auto right_times = times_.size();
    const auto right = build_bin(bin.right(), middle, last);
    times_.join(left_times, right_times);
    return joined(bin, left, right);
  }

  void emit(const Bin& bin, Tile tile, std::span<const NameTime> times) {
    tile.busy += covering_.total() * bin.width();
    if (covering_.total() > 0) tile.covered = bin.width();
    NameTime best{covering_.best().name, covering_.best().busy * bin.width()};
    bool any = covering_.total() > 0;
    for (const auto& time : times) {
      const auto busy = time.busy + covering_.of(time.name) * bin.width();
      if (!any || busy > best.busy || (busy == best.busy && time.name < best.name)) best = {time.name, busy};
      any = true;
    }
    tile.name = best.name;
    tile.name_busy = best.busy;
    tiles_[static_cast<std::size_t>(bin.shift)].push_back(tile);
  }

  std::span<const Event> events_;
  std::size_t first_position_;
  std::uint32_t minimum_;
  TileTree& tiles_;
  bool few_names_;
  NameTimes sums_;
  EventsBefore before_;
  Covering covering_;
  TimeStack times_;
  std::vector<Event> longer_; ///< events that cover the bins being built, one bin after the other
};

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
    SubtreeBuilder builder(events, std::move(before), names, task.first, options_.min_events, task.tiles);
    task.sum = builder.build(task.bin, 0, events.size());
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
