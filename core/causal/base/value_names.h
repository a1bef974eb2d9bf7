#pragma once

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
std::string name_in(const auto& table, const auto& value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.name;
  return {};
}

/// The value with a name; empty if the table does not have it.
auto value_in(const auto& table, std::string_view name) -> std::optional<decltype(table[0].value)> {
  for (const auto& entry : table)
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

} // namespace jitterscope::causal
