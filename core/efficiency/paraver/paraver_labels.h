#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/store/trace/manifest.h"

namespace jitterscope::efficiency {

/// Names of states, of event types and of their values: the .pcf.
class ParaverLabels {
public:
  /// `numbers`: those that states and types of ranges had in their Paraver traces, and keep.
  explicit ParaverLabels(store::ParaverNumbers numbers = {});
  /// The value that represents a name in an event type, from 1.
  std::int64_t value(std::int64_t type, std::string_view name);
  /// The number of a state: the one it had, else Paraver's own if it has that name, else from 100 on.
  std::int64_t state(std::string_view name);
  /// The event type of ranges whose domain was the label of a type, in any level of nesting; nothing for
  /// other domains and for labels of several types.
  std::optional<std::int64_t> range_type(std::string_view domain) const;
  /// The event type of a counter: the one it had in a Paraver trace (`type`, 0: none) unless another counter
  /// has it, else that of nsys2prv or Extrae, else from kOtherCounter on.
  std::int64_t counter(std::string_view name, std::int64_t type = 0);
  std::string text() const;

private:
  struct Values {
    std::map<std::string, std::int64_t, std::less<>> numbers;
    std::int64_t own = 0; ///< how many names have no standard number
  };
  std::string label_of(std::int64_t type) const;

  store::ParaverNumbers numbers_;
  std::map<std::string, std::int64_t, std::less<>> range_types_; ///< by label; 0 for labels of several types
  std::map<std::int64_t, Values> types_;
  std::map<std::string, std::int64_t, std::less<>> states_, counters_;
  std::set<std::int64_t> counter_types_;
};

} // namespace jitterscope::efficiency
