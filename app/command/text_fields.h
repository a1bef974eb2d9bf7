#pragma once

#include <QString>
#include <algorithm>
#include <cmath>
#include <cstddef>
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

/// Pads to a width in characters, not bytes; shortens names of more than three times the width in the middle.
inline std::string padded(const std::string& text, int width) {
  auto name = QString::fromStdString(text);
  if (const int most = 3 * width; name.size() > most)
    name = name.left(most / 2) + QChar(0x2026) + name.right(most - most / 2 - 1);
  return name.leftJustified(width).toStdString();
}

/// A bar chart of Unicode block characters (eight heights), scaled to `high`; blank for NaN and 0.
inline std::string sparkline(const double* values, std::size_t count, double high) {
  static constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (std::size_t c = 0; c < count; ++c) {
    const double share = high > 0 && values[c] > 0 ? values[c] / high : 0;
    line += kBlocks[share > 0 ? std::clamp(static_cast<int>(std::ceil(share * 8)), 1, 8) : 0];
  }
  return line;
}

} // namespace jitterscope::app
