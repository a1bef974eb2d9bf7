#include "tests/core/efficiency/software_counters.h"

#include <map>

namespace jitterscope::test {

std::int64_t counter_type(CounterKind kind, std::int64_t type, std::int64_t value) {
  switch (kind) {
  case CounterKind::PerValue:
    return (type / 10'000 + type % 10'000 + 10'000) * 1'000 + value;
  case CounterKind::Global:
    return type / 10'000 + 20'000 + type % 10'000;
  default:
    return type;
  }
}

FilteredThread filter_bursts(std::span<const Interval> bursts, std::span<const TypedEvent> events,
                             const BurstFilter& filter) {
  FilteredThread out;
  std::map<std::int64_t, std::int64_t> counts; // by counter type, since the last emission
  std::size_t next = 0;
  const auto count_until = [&](std::int64_t time) {
    for (; next < events.size() && events[next].time < time; ++next) {
      const auto& event = events[next];
      if (filter.keep.contains(event.type)) out.events.push_back(event);
      if (event.value != 0 && filter.count.contains(event.type))
        counts[counter_type(filter.kind, event.type, event.value)] +=
            filter.kind == CounterKind::Accumulated ? event.value : 1;
    }
  };
  const auto emit = [&](std::int64_t time) {
    for (auto& [type, count] : counts) {
      out.counters.push_back({time, type, count});
      count = 0;
    }
  };
  for (const auto& burst : bursts) {
    if (burst.length().count < filter.minimum_burst) continue;
    count_until(burst.begin.count);
    emit(burst.begin.count);
    count_until(burst.end.count);
    emit(burst.end.count);
    out.bursts.push_back(burst);
  }
  count_until(INT64_MAX);
  return out;
}

} // namespace jitterscope::test
