#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace jitterscope::app {

/// A value as a field of a line of CSV (RFC 4180): texts in quotes where they need them, null empty.
inline std::string csv_field(const nlohmann::json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return value.dump();
  const auto text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

} // namespace jitterscope::app
