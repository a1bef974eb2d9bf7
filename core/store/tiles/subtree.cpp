#include "core/store/tiles/subtree.h"

#include <algorithm>

#include "core/store/tiles/long_events.h"

namespace jitterscope::store {
namespace {

std::uint32_t saturated(std::int64_t length) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(length, UINT32_MAX));
}

void start(Tile& tile, const Bin& bin, std::size_t first) {
  tile.at = bin.at;
  tile.first = static_cast<std::uint32_t>(first);
  tile.minimum = UINT32_MAX;
}

/// Builds the tiles of one bin and of all bins below it from events in memory.
class SubtreeBuilder {
public:
  SubtreeBuilder(BinEvents events, std::uint32_t minimum, TileTree& tiles)
      : events_(events.begin_inside), first_position_(events.first_position), minimum_(minimum),
        tiles_(tiles), few_names_(events.names.few()), sums_(events.names),
        before_(std::move(events.from_before), events.names), covering_(events.names) {}

  Summary build(const Bin& bin) {
    const auto tile = build_bin(bin, 0, events_.size());
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

} // namespace

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

Summary build_subtree(const Bin& bin, BinEvents events, std::uint32_t minimum, TileTree& tiles) {
  return SubtreeBuilder(std::move(events), minimum, tiles).build(bin);
}

} // namespace jitterscope::store
