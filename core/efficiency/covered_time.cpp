#include "core/efficiency/covered_time.h"

#include <algorithm>
#include <utility>

namespace jitterscope::efficiency {

/// The events of several series, sorted by start; events with equal start are in the order of the series.
class CoveredTime::Merged {
public:
  static constexpr std::size_t kRead = 64;
  /// `chunk`: number of events read at once, at most kRead; small if few are needed.
  Merged(const std::vector<CoveringEvents>& events, const std::uint32_t* positions, std::size_t chunk)
      : events_(events), chunk_(chunk), cursors_(events.size()) {
    for (std::size_t s = 0; s < events.size(); ++s) {
      cursors_[s].position = positions ? positions[s] : 0;
      fill(s);
    }
  }

  struct Next {
    const store::Event* event = nullptr; ///< null at the end
    std::uint8_t unions = 0;
  };
  Next next() const {
    const auto s = earliest();
    if (s == events_.size()) return {};
    const auto& event = cursors_[s].read[cursors_[s].at];
    return {&event, events_[s].unions_of(event.name)};
  }
  void advance() {
    const auto s = earliest();
    auto& cursor = cursors_[s];
    ++cursor.position;
    if (++cursor.at == cursor.count) fill(s);
  }
  std::uint32_t position(std::size_t series) const {
    return static_cast<std::uint32_t>(cursors_[series].position);
  }

private:
  struct Cursor {
    std::size_t position = 0, at = 0, count = 0;
    std::array<store::Event, kRead> read;
  };

  void fill(std::size_t s) {
    auto& cursor = cursors_[s];
    const auto& series = *events_[s].series;
    cursor.at = 0;
    cursor.count = std::min(chunk_, series.events() - std::min(series.events(), cursor.position));
    if (cursor.count > 0) series.read(cursor.position, cursor.position + cursor.count, cursor.read.data());
  }

  std::size_t earliest() const {
    std::size_t found = events_.size();
    for (std::size_t s = 0; s < events_.size(); ++s)
      if (cursors_[s].count > 0 &&
          (found == events_.size() ||
           cursors_[s].read[cursors_[s].at].begin < cursors_[found].read[cursors_[found].at].begin))
        found = s;
    return found;
  }

  const std::vector<CoveringEvents>& events_;
  std::size_t chunk_;
  std::vector<Cursor> cursors_;
};

CoveredTime::CoveredTime(std::vector<CoveringEvents> events, int unions, Stop& stop, std::size_t block)
    : events_(std::move(events)), unions_(unions), block_(block) {
  Merged merged(events_, nullptr, Merged::kRead);
  State state;
  std::size_t count = 0;
  if (block_ < kBlock) {
    for (const auto& each : events_) count += each.series->events();
    kept_.reserve(std::exchange(count, 0));
  }
  for (auto next = merged.next(); next.event; next = merged.next(), ++count) {
    if (stop.at(count)) return;
    if (count % block_ == 0) keep(merged, next.event->begin, state);
    first_ = std::min(first_, next.event->begin);
    last_ = std::max(last_, next.event->end);
    add(next.event->begin, next.event->end, next.unions, state);
    if (block_ < kBlock)
      kept_.push_back(
          {next.event->begin,
           static_cast<std::uint64_t>(next.event->end - next.event->begin) << kMaxUnions | next.unions});
    merged.advance();
  }
}

void CoveredTime::keep(const Merged& merged, std::int64_t next, const State& state) {
  next_begin_.push_back(next);
  for (std::size_t s = 0; s < events_.size() && block_ == kBlock; ++s)
    positions_.push_back(merged.position(s));
  unions_before_.insert(unions_before_.end(), state.begin(), state.begin() + unions_);
}

void CoveredTime::add(std::int64_t begin, std::int64_t end, std::uint8_t unions, State& state) const {
  for (int u = 0; u < unions_; ++u) {
    if (!(unions >> u & 1)) continue;
    auto& of = state[static_cast<std::size_t>(u)];
    const auto from = std::max(begin, of.reached);
    if (end <= from) continue;
    of.length += end - from;
    of.reached = end;
  }
}

// State after all events that start before `time`; their ends may be later.
CoveredTime::State CoveredTime::state_at(std::int64_t time) const {
  State state;
  const auto after = std::upper_bound(next_begin_.begin(), next_begin_.end(), time);
  if (after == next_begin_.begin()) return state;
  const auto block = static_cast<std::size_t>(after - next_begin_.begin()) - 1;
  const auto width = static_cast<std::size_t>(unions_);
  std::copy_n(&unions_before_[block * width], width, state.begin());
  for (auto i = block * block_; i < std::min((block + 1) * block_, kept_.size()) && kept_[i].begin < time;
       ++i) {
    const auto& [begin, packed] = kept_[i];
    constexpr std::uint64_t kUnionBits = (1u << kMaxUnions) - 1;
    add(begin, begin + static_cast<std::int64_t>(packed >> kMaxUnions),
        static_cast<std::uint8_t>(packed & kUnionBits), state);
  }
  if (!kept_.empty()) return state;
  constexpr std::size_t kFew = 8;
  Merged merged(events_, &positions_[block * events_.size()], kFew);
  std::size_t left = block_;
  for (auto next = merged.next(); next.event && next.event->begin < time && left > 0;
       next = merged.next(), --left) {
    add(next.event->begin, next.event->end, next.unions, state);
    merged.advance();
  }
  return state;
}

// A union that extends beyond `time` covers all of [time, reached), because the event that ends at `reached`
// began before `time`.
CoveredTime::Lengths CoveredTime::before(std::int64_t time) const {
  Lengths lengths{};
  const auto state = state_at(std::min(time, last_));
  for (int u = 0; u < unions_; ++u) {
    const auto& of = state[static_cast<std::size_t>(u)];
    lengths[static_cast<std::size_t>(u)] = of.length - (of.reached > time ? of.reached - time : 0);
  }
  return lengths;
}

CoveredTime::Lengths CoveredTime::within(std::int64_t begin, std::int64_t end) const {
  Lengths lengths{};
  if (end <= begin || first_ > last_ || end <= first_ || begin >= last_) return lengths;
  lengths = before(end);
  if (begin <= first_) return lengths;
  const auto earlier = before(begin);
  for (std::size_t u = 0; u < lengths.size(); ++u) lengths[u] -= earlier[u];
  return lengths;
}

} // namespace jitterscope::efficiency
