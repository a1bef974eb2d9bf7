#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jitterscope::import {

/// Bytes of the separators of thousands of parse_number() other than commas: the apostrophe (Switzerland) and
/// spaces that do not break (France).
inline constexpr std::string_view kSeparatorBytes = "'\u2019\u00A0\u202F\u2009";

/// The text without blanks, tabs and line breaks at either end.
inline std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether a text has only characters of numbers in any locale: digits, "+-.,eE" and kSeparatorBytes.
inline bool has_characters_of_numbers(std::string_view text) {
  for (const char c : text)
    if (std::string_view("0123456789+-.,eE").find(c) == std::string_view::npos &&
        kSeparatorBytes.find(c) == std::string_view::npos)
      return false;
  return true;
}

/// True for texts that represent a missing value: "", "n/a", "nan", "null", "none", "no data", "-" and the
/// like, in either case.
bool is_missing(std::string_view text);

/// A finite number, "1.5e-3", "+7", "32,746,880", "32'746'880" (thousands separators only in the right
/// positions); nothing for anything else, including hexadecimal, infinity and missing values.
std::optional<double> parse_number(std::string_view text);

/// `text` times a factor; for a power of ten (as for units), the result is the double nearest to the
/// decimal number: "6.27" times 1000 is 6270.
std::optional<double> parse_number(std::string_view text, double factor);

/// An integer that fits int64, with thousands separators as in parse_number(); nothing for "1.5".
std::optional<std::int64_t> parse_integer(std::string_view text);

/// `text` times `scale` (1 to 10^10), exact, rounded half away from zero: parse_decimal("1.2345", 1000) is
/// 1235. Nothing when it is not a number or does not fit.
std::optional<std::int64_t> parse_decimal(std::string_view text, std::int64_t scale);

// The functions above try the fast path of plain_number.h first. The functions below use the general path for
// every text, with the same results: tests compare the two.
std::optional<double> parse_any_number(std::string_view text);
std::optional<double> parse_any_number(std::string_view text, double factor);
std::optional<std::int64_t> parse_any_decimal(std::string_view text, std::int64_t scale);

} // namespace jitterscope::import
