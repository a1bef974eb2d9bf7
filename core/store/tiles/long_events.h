#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/store/tiles/name_times.h"
#include "core/store/tiles/tile_bin.h"

namespace jitterscope::store {

/// The events that cover the current bin (and so every bin below it), by name. Bins are entered and left in
/// stack order, so that the previous best is restored on leaving.
class Covering {
public:
  /// Counts of the first names of the range are stored in place, those of others in a map.
  explicit Covering(const NameRange& names) : base_(names.smallest), few_counts_(names.length() + 1) {}

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

/// The events that began before the bin being built and end after its start.
class EventsBefore {
public:
  /// `names`: range of the names of all events.
  EventsBefore(SpillVector<Event>&& events, const NameRange& names)
      : events_(std::move(events)), names_(names) {
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
  bool countable_beyond(const Bin& bin) const { return names_.few() && shortest_ - 1 > bin.last(); }
  /// The number of events of each name. Thousands of them can cover thousands of consecutive bins.
  const NameTimes& counts() {
    if (!counts_) counts_.emplace(names_);
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
  NameRange names_;
  bool counted_ = false;
  std::optional<NameTimes> counts_; ///< valid while counted_ is true, else without names
};

} // namespace jitterscope::store
