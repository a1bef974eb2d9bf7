#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jitterscope::causal {

/// A value of an enumeration, and its name in answers, options and JSON.
template <class Value>
struct ValueName {
  Value value;
  const char* name;
};

/// Name of a value; empty if the table does not have it.
template <class Value, std::size_t count>
std::string name_in(const ValueName<Value> (&table)[count], Value value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.name;
  return {};
}

/// The value with a name; empty if the table does not have it.
template <class Value, std::size_t count>
std::optional<Value> value_in(const ValueName<Value> (&table)[count], std::string_view name) {
  for (const auto& entry : table)
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

} // namespace jitterscope::causal
