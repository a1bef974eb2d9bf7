#include "core/efficiency/cut/burst_counters.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/stop.h"
#include "core/efficiency/steps.h"

namespace jitterscope::efficiency {
namespace {

using store::ResourceKind;

/// Rows of all tables except samples, sorted by start; at equal times in the order of tables.
class ByTime {
public:
  struct At {
    std::size_t table = 0, row = 0;
    std::int64_t time = 0;
  };
  explicit ByTime(const RowFacts& facts) : facts_(facts) {}
  std::optional<At> next() {
    std::optional<At> first;
    for (std::size_t t = 0; t < kSamplesTable; ++t)
      if (next_[t] < facts_.rows(t))
        if (const auto time = facts_.start(t, next_[t]); !first || time < first->time)
          first = At{t, next_[t], time};
    if (first) ++next_[first->table];
    return first;
  }

private:
  const RowFacts& facts_;
  std::array<std::size_t, kSamplesTable> next_ = {};
};

class Counting {
public:
  Counting(const store::Store& store, const Choice& choice, Copy& copy, std::int64_t move_by)
      : resources_(store.resources()), facts_(store), choice_(choice), copy_(copy), move_by_(move_by),
        tracks_(resources_.size()),
        first_counter_(static_cast<std::uint32_t>(copy.data.find("counters")->rows())) {
    for (std::uint32_t r = 0; r < resources_.size(); ++r) {
      device_.push_back(r);
      while (device_[r] < resources_.size() && resources_[device_[r]].kind == ResourceKind::Stream)
        device_[r] = resources_[device_[r]].parent;
    }
    for (const auto table : {kLaunchesTable, kRangesTable})
      for (const auto row : choice.tables[table].kept)
        if (facts_.kinds(table, row) & bit_of(RowKind::Bursts)) tracks_[track(table, row)].has_bursts = true;
  }

  Expected<std::int64_t> run(const Job& job) {
    Stop stop(job);
    ByTime rows(facts_);
    std::vector<ByTime::At> together; // rows of one time: bursts begin before events are counted
    std::size_t steps = 0;
    for (auto at = rows.next(); at;) {
      if (stop.at(steps++)) return Job::cancelled_error();
      together.assign(1, *at);
      while ((at = rows.next()) && at->time == together.front().time) together.push_back(*at);
      for (const auto& one : together)
        if (is_burst(one)) begin_burst(one);
      for (const auto& one : together)
        if (is_counted(one)) count(one);
    }
    for (std::uint32_t r = 0; r < tracks_.size(); ++r) finish(r);
    if (stop.requested()) return Job::cancelled_error();
    write();
    return static_cast<std::int64_t>(counters_.size());
  }

private:
  struct Counter {
    std::uint32_t track = 0;
    std::string name;
    std::int64_t count = 0;
    std::int64_t samples = 0;
  };
  struct Track {
    bool has_bursts = false, open = false;
    std::int64_t end = 0;        ///< end of the open burst
    std::int64_t last_event = 0; ///< latest end of the counted events
    std::vector<std::uint32_t> counters;
  };

  std::uint32_t track(std::size_t table, std::size_t row) const {
    const auto resource = facts_.track(table, row);
    return resource < device_.size() ? device_[resource] : 0;
  }
  Reason reason(const ByTime::At& at) const {
    return static_cast<Reason>(choice_.tables[at.table].reason[at.row]);
  }

  bool is_burst(const ByTime::At& at) const {
    if (reason(at) != Reason::Kept) return false;
    if (at.table == kLaunchesTable) return true;
    if (facts_.kinds(at.table, at.row) & bit_of(RowKind::Bursts)) return true;
    return (at.table == kMessagesTable || at.table == kCallsTable) &&
           !tracks_[track(at.table, at.row)].has_bursts;
  }
  bool is_counted(const ByTime::At& at) const {
    const auto why = reason(at);
    if (why != Reason::Kind && why != Reason::Short && why != Reason::Where) return false;
    return !(facts_.kinds(at.table, at.row) & (bit_of(RowKind::States) | bit_of(RowKind::Bursts)));
  }

  void emit(const Track& of, std::int64_t time) {
    for (const auto c : of.counters) {
      times_.push_back(time + move_by_);
      of_counter_.push_back(c);
      counts_.push_back(counters_[c].count);
      ++counters_[c].samples;
      counters_[c].count = 0;
    }
  }
  void close_before(Track& of, std::int64_t time) {
    if (!of.open || time < of.end) return;
    emit(of, of.end);
    of.open = false;
  }
  void begin_burst(const ByTime::At& at) {
    auto& of = tracks_[track(at.table, at.row)];
    const auto end = at.time + facts_.length(at.table, at.row);
    close_before(of, at.time);
    if (!of.open) emit(of, at.time);
    of.end = of.open ? std::max(of.end, end) : end;
    of.open = true;
  }
  void count(const ByTime::At& at) {
    const auto place = track(at.table, at.row);
    auto& of = tracks_[place];
    close_before(of, at.time);
    ++counters_[counter(place, at)].count;
    of.last_event = std::max(of.last_event, at.time + facts_.length(at.table, at.row));
  }
  void finish(std::uint32_t place) {
    auto& of = tracks_[place];
    close_before(of, INT64_MAX);
    if (std::ranges::any_of(of.counters, [&](std::uint32_t c) { return counters_[c].count > 0; }))
      emit(of, of.last_event);
  }

  // The text of a name is looked up once per track, table and name number.
  std::uint32_t counter(std::uint32_t place, const ByTime::At& at) {
    const auto number = facts_.name_number(at.table, at.row);
    const auto key = (std::uint64_t{place} << 32 | number) * kChosenTables.size() + at.table;
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    auto text = facts_.name(at.table, at.row);
    if (at.table == kRangesTable) text = without_numbers(text); // "step 12" and "step 13" are one counter
    const auto name = text + "_counter";
    auto& of = tracks_[place].counters;
    const auto same = std::ranges::find_if(of, [&](std::uint32_t c) { return counters_[c].name == name; });
    if (same != of.end()) return known_[key] = *same;
    counters_.push_back({place, name});
    of.push_back(static_cast<std::uint32_t>(counters_.size() - 1));
    return known_[key] = of.back();
  }

  template <class T>
  SpillVector<T>& column(std::string_view table, std::string_view name) {
    return std::get<SpillVector<T>>(const_cast<store::Column*>(copy_.data.find(table)->find(name))->values);
  }

  // Emissions of each counter are sorted by time, so they only need to be concatenated.
  void write() {
    std::vector<std::int64_t> place;
    std::int64_t next = static_cast<std::int64_t>(column<std::int64_t>("samples", "time").size());
    for (const auto& one : counters_) {
      column<std::uint32_t>("counters", "name").push_back(copy_.data.strings.intern(one.name).value);
      column<std::uint32_t>("counters", "unit").push_back(0);
      column<std::uint32_t>("counters", "device").push_back(copy_.new_resource[one.track]);
      if (copy_.data.find("counters")->find("holds")) column<std::uint8_t>("counters", "holds").push_back(0);
      if (copy_.data.find("counters")->find(store::kCounterType))
        column<std::int64_t>("counters", store::kCounterType).push_back(0);
      place.push_back(next);
      next += one.samples;
    }
    auto& times = column<std::int64_t>("samples", "time");
    auto& of = column<std::uint32_t>("samples", "counter");
    auto& values = column<double>("samples", "value");
    times.resize(static_cast<std::size_t>(next));
    of.resize(static_cast<std::size_t>(next));
    values.resize(static_cast<std::size_t>(next));
    for (std::size_t i = 0; i < times_.size(); ++i) {
      SpillMemory::relieve_at(i);
      const auto at = static_cast<std::size_t>(place[of_counter_[i]]++);
      times[at] = times_[i];
      of[at] = first_counter_ + of_counter_[i];
      values[at] = static_cast<double>(counts_[i]);
    }
  }

  const std::vector<store::Resource>& resources_;
  RowFacts facts_;
  const Choice& choice_;
  Copy& copy_;
  std::int64_t move_by_;
  std::vector<std::uint32_t> device_; ///< by resource: for streams their device, else itself
  std::vector<Track> tracks_;         ///< track of each resource
  std::vector<Counter> counters_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_; ///< counter by track, number of the name and table
  SpillVector<std::int64_t> times_, counts_;
  SpillVector<std::uint32_t> of_counter_;
  std::uint32_t first_counter_;
};

} // namespace

Expected<std::int64_t> add_burst_counters(const store::Store& store, const Choice& choice,
                                          std::int64_t move_by, Copy& copy, const Job& job) {
  return Counting(store, choice, copy, move_by).run(job);
}

} // namespace jitterscope::efficiency
