#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/store/tiles/range_blocks.h"

namespace jitterscope::store {

struct NameTime {
  std::uint32_t name = 0;
  std::uint64_t busy = 0;
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

/// Maximum distance of names whose times are summed in place, plus one.
inline constexpr std::uint32_t kNamesInPlace = 4'096;

/// The smallest and the largest name of some events.
struct NameRange {
  std::uint32_t smallest = UINT32_MAX, largest = 0;

  void add(std::span<const Event> events) {
    for (const auto& event : events) {
      smallest = std::min(smallest, event.name);
      largest = std::max(largest, event.name);
    }
  }
  /// Difference between the largest and the smallest name, at most kNamesInPlace − 1.
  std::uint32_t length() const {
    return smallest > largest ? 0 : std::min(largest - smallest, kNamesInPlace - 1);
  }
  bool few() const { return smallest > largest || largest - smallest < kNamesInPlace; }
};

/// Times per name of one bin at a time, for names within kNamesInPlace of each other: summed in place,
/// returned in order.
class NameTimes {
public:
  explicit NameTimes(const NameRange& names) : base_(names.smallest), times_(names.length() + 1) {}
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
  static constexpr std::uint32_t kWords = kNamesInPlace / 64;
  std::uint32_t base_;
  std::vector<std::uint64_t> times_;
  std::array<std::uint64_t, kWords> met_{};
  std::uint32_t first_ = kWords, last_ = 0;
};

/// Replaces the names of events by their places in a sorted list, so that the names of one series, which may
/// be far from each other, are summed in place. Does nothing if there are more than kNamesInPlace of them.
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
  bool usable() const { return names_.size() <= kNamesInPlace; }

private:
  std::vector<std::uint32_t> names_;
  std::size_t at_ = 0; ///< position in the list of the last event's name
};

} // namespace jitterscope::store
