#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace jitterscope::efficiency {

/// Names of states, of event types and of their values: the .pcf.
class ParaverLabels {
public:
  /// The value that represents a name in an event type, from 1.
  std::int64_t value(std::int64_t type, std::string_view name);
  /// The number of a state: Paraver's own if it has that name, else from 100 on.
  std::int64_t state(std::string_view name);
  /// The event type of a counter: the one it had in a Paraver trace (`type`, 0: none) unless another counter
  /// has it, else that of nsys2prv or Extrae, else from kOtherCounter on.
  std::int64_t counter(std::string_view name, std::int64_t type = 0);
  std::string text() const;

private:
  struct Values {
    std::map<std::string, std::int64_t, std::less<>> numbers;
  };
  std::map<std::int64_t, Values> types_;
  std::map<std::string, std::int64_t, std::less<>> states_, counters_;
  std::set<std::int64_t> counter_types_;
};

} // namespace jitterscope::efficiency
