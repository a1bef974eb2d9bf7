#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::efficiency {

/// An event of a Paraver trace: a type takes a value at a time.
struct TypedEvent {
  std::int64_t time = 0; ///< [ns]
  std::int64_t type = 0, value = 0;
  bool operator==(const TypedEvent&) const = default;
};

/// How events that are left out are counted (models.md 5.5).
enum class CounterKind : std::uint8_t {
  PerValue,   ///< how many of each value
  Global,     ///< how many of a type
  Accumulated ///< the sum of the values of a type
};

/// Type of the counter that stands for events of a type and a value, as Paraver's tools number them;
/// divisions are of integers: (type/10000 + type%10000 + 10000)·1000 + value, type/10000 + 20000 +
/// type%10000, or the same type.
std::int64_t counter_type(CounterKind kind, std::int64_t type, std::int64_t value);

struct BurstFilter {
  std::int64_t minimum_burst = 0; ///< [ns]: shorter bursts are dropped
  std::set<std::int64_t> keep;    ///< types of events that stay
  std::set<std::int64_t> count;   ///< types of events that counters replace
  CounterKind kind = CounterKind::PerValue;
};

/// What is left of a thread.
struct FilteredThread {
  std::vector<Interval> bursts;
  std::vector<TypedEvent> events;   ///< kept, in order of time
  std::vector<TypedEvent> counters; ///< in order of time
};

/// Paraver's burst filter by states: keeps the bursts (useful computation, in order of time, without
/// overlaps) that last long enough, and the kept events; counts the others. At the begin of each burst that
/// stays a counter holds what was counted since the last emission, at its end what was counted inside; of
/// every counter that has counted anything so far. Events with value 0 end something and are not counted.
FilteredThread filter_bursts(std::span<const Interval> bursts, std::span<const TypedEvent> events,
                             const BurstFilter& filter);

} // namespace jitterscope::efficiency
