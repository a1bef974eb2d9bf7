#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::test {

/// An event of a Paraver trace: a type gets a value at a time.
struct TypedEvent {
  std::int64_t time = 0; ///< time of the event [ns]
  std::int64_t type = 0, value = 0;
  bool operator==(const TypedEvent&) const = default;
};

/// Values of Paraver's software counters for dropped events.
enum class CounterKind : std::uint8_t {
  PerValue,   ///< number of events per value
  Global,     ///< number of events of a type
  Accumulated ///< the sum of the values of a type
};

/// Type of the counter that represents events of a type and a value, with the numbering of Paraver's tools
/// and integer divisions. PerValue: (type/10000 + type%10000 + 10000)·1000 + value; Global: type/10000 +
/// 20000 + type%10000; Accumulated: the same type.
std::int64_t counter_type(CounterKind kind, std::int64_t type, std::int64_t value);

struct BurstFilter {
  std::int64_t minimum_burst = 0; ///< [ns]: shorter bursts are dropped
  std::set<std::int64_t> keep;    ///< event types that are kept
  std::set<std::int64_t> count;   ///< event types that are replaced by counters
  CounterKind kind = CounterKind::PerValue;
};

/// The filtered data of a thread.
struct FilteredThread {
  std::vector<Interval> bursts;
  std::vector<TypedEvent> events;   ///< kept events, in order of time
  std::vector<TypedEvent> counters; ///< events of counters, in order of time
};

/// Paraver's burst filter by states: keeps bursts (useful computation, sorted by time, without overlaps) of
/// the minimum length and the events of the types in `keep`; counts those of the types in `count`. At the
/// start of each kept burst a counter holds the count since the last emission, at its end the count inside
/// it; this applies to every counter that has counted anything so far. Events with value 0 are ends and are
/// not counted.
FilteredThread filter_bursts(std::span<const Interval> bursts, std::span<const TypedEvent> events,
                             const BurstFilter& filter);

} // namespace jitterscope::test
