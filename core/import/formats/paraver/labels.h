#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/import/formats/paraver/lines.h"

namespace jitterscope::import::paraver {

/// The label of a type of events and the labels of its values; several types may share their values.
struct EventType {
  std::string label;
  std::shared_ptr<const std::map<std::int64_t, std::string>> values;

  /// Empty when the value has no name.
  std::string value_name(std::int64_t value) const;
  bool names_zero() const { return values && values->contains(0); }
};

/// The .pcf: names of states, event types and their values. Built-in names replace a missing file.
class Labels {
public:
  Expected<void> read(Lines& lines);

  std::string state(std::int64_t number) const;
  /// Null for a type that the file does not define.
  const EventType* type(std::int64_t number) const;
  /// Whether the file defines a type from `first` to `last`.
  bool any_type(std::int64_t first, std::int64_t last) const;
  bool empty() const { return types_.empty(); }

private:
  std::map<std::int64_t, std::string> states_;
  std::map<std::int64_t, EventType> types_;
};

/// The .row: names of nodes, tasks, threads …
class Rows {
public:
  Expected<void> read(Lines& lines);
  /// The name of an object, from 0; empty when it has none.
  std::string name(const std::string& level, std::int64_t index) const;
  bool empty() const { return names_.empty(); }

private:
  std::map<std::string, std::vector<std::string>> names_;
};

} // namespace jitterscope::import::paraver
