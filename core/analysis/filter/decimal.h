#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace jitterscope::analysis {

/// A decimal number, as std::from_chars() reads it, times the size of its unit; rounded once if that is a
/// power of ten: "1.001" times 1e9 is 1,001,000,000, although 1.001 as a double is smaller. Infinite if too
/// large.
inline double in_base_units(std::string_view digits, double factor) {
  double value = 0;
  const auto read = [&](std::string_view text) {
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  };
  const auto power = std::lround(std::log10(factor));
  if (std::pow(10.0, static_cast<double>(power)) != factor) return read(digits) ? value * factor : value;
  const auto mark = std::min(digits.find_first_of("eE"), digits.size());
  long exponent = 0;
  auto written = digits.substr(std::min(mark + 1, digits.size()));
  if (written.starts_with('+')) written.remove_prefix(1);
  std::from_chars(written.data(), written.data() + written.size(), exponent);
  exponent = std::clamp(exponent, -100'000L, 100'000L) + power;
  if (read(std::string(digits.substr(0, mark)) + "e" + std::to_string(exponent))) return value;
  return exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
}

} // namespace jitterscope::analysis
