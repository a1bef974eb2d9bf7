#include "core/import/text/csv/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/import/text/plain_number.h"

namespace jitterscope::import {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::size_t kMaxDigits = 64; // maximum for numbers with thousands separators

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool equal_but_for_case(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
         });
}

/// Separator of thousands at the start of a text: a comma, an apostrophe (Switzerland) or a space that does
/// not break (France); empty: none.
std::string_view separator_at(std::string_view text) {
  for (const std::string_view one : {",", "'", "\u2019", "\u00A0", "\u202F", "\u2009"})
    if (text.starts_with(one)) return text.substr(0, one.size());
  return {};
}

/// Removes thousands separators: groups of three after a first one of one to three digits. `buffer` holds the
/// result. Returns the text itself if it has no separators, nothing if they are misplaced or the text is
/// longer than kMaxDigits.
std::optional<std::string_view> without_separators(std::string_view text,
                                                   std::array<char, kMaxDigits>& buffer) {
  const auto first = text.find_first_not_of("+-0123456789");
  const auto separator =
      first == std::string_view::npos ? std::string_view() : separator_at(text.substr(first));
  if (separator.empty()) return text;
  if (text.size() > kMaxDigits) return {};
  std::size_t length = 0, group = 0, at = 0;
  bool separated = false;
  if (text[0] == '-' || text[0] == '+') buffer[length++] = text[at++];
  while (at < text.size()) {
    if (is_digit(text[at])) {
      ++group;
      buffer[length++] = text[at++];
      continue;
    }
    if (!text.substr(at).starts_with(separator)) break;
    if (group == 0 || group > 3 || (separated && group != 3)) return {};
    if (!separated && buffer[length - group] == '0') return {}; // "0,125" is a fraction
    separated = true;
    group = 0;
    at += separator.size();
  }
  if (group != 3) return {};
  for (; at < text.size(); ++at) {
    if (text[at] == ',') return {};
    buffer[length++] = text[at];
  }
  return std::string_view(buffer.data(), length);
}

// Digits of a decimal number as mantissa × 10^exponent.
struct Decimal {
  Wide mantissa = 0;
  int exponent = 0;
  bool negative = false;
};

std::optional<Decimal> decimal(std::string_view text) {
  constexpr Wide kFull = Wide{1'000'000'000'000'000'000} * 10'000'000'000; // 10^28, times 10^10 fits
  Decimal out;
  std::size_t at = 0;
  bool any = false, fraction = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) out.negative = text[at++] == '-';
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    any = true;
    if (out.mantissa < kFull / 10) {
      out.mantissa = out.mantissa * 10 + static_cast<unsigned>(text[at] - '0');
      out.exponent -= fraction ? 1 : 0;
    } else {
      out.exponent += fraction ? 0 : 1;
    }
  }
  if (!any) return {};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    int power = 0;
    const char* begin = text.data() + at + 1;
    if (at + 1 < text.size() && *begin == '+') ++begin;
    const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), power);
    if (problem != std::errc() || std::abs(power) > 10'000) return {};
    out.exponent += power;
    at = static_cast<std::size_t>(end - text.data());
  }
  return at == text.size() ? std::optional(out) : std::nullopt;
}

std::optional<std::int64_t> fitted(Wide value, bool negative) {
  const Wide maximum = Wide{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
  if (value > maximum) return {};
  const auto bits = static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(negative ? ~bits + 1 : bits);
}

// Digits of an integer or a simple fraction times the scale, if 64 bits suffice.
std::optional<std::int64_t> quick_decimal(std::string_view text, std::int64_t scale) {
  const auto number = plain_number(text);
  std::uint64_t value = 0;
  if (!number || __builtin_mul_overflow(number->digits, static_cast<std::uint64_t>(scale), &value)) return {};
  std::uint64_t divisor = 1;
  for (int places = number->places; places > 0; --places) divisor *= 10;
  if (divisor > 1) value = value / divisor + (value % divisor >= divisor / 2 ? 1 : 0);
  return fitted(value, number->negative);
}

// The exponent of a factor of units that is 1, 10^3, 10^6 or 10^9; nothing for others.
std::optional<int> unit_power(double factor) {
  for (const int power : {0, 3, 6, 9})
    if (factor == kExactPowers[static_cast<std::size_t>(power)]) return power;
  return {};
}

} // namespace

bool is_missing(std::string_view text) {
  static constexpr std::array<std::string_view, 22> kWords = {"",
                                                              "n/a",
                                                              "nan",
                                                              "-nan",
                                                              "na",
                                                              "null",
                                                              "none",
                                                              "nil",
                                                              "no data",
                                                              "-",
                                                              "--",
                                                              "(null)",
                                                              "<na>",
                                                              "<null>",
                                                              "#n/a",
                                                              "missing",
                                                              "not available",
                                                              "inf",
                                                              "-inf",
                                                              "[n/a]",
                                                              "[not supported]",
                                                              "[unknown error]"};
  if (!text.empty() && is_digit(text.front())) return false; // the case of nearly all fields
  text = trimmed(text);
  if (text.starts_with("(!)"))
    text = trimmed(text.substr(3)); // Nsight Compute's mark of values that it could not collect
  if (text.size() > 15) return false;
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return equal_but_for_case(text, word); });
}

std::optional<double> parse_number(std::string_view text) {
  if (const auto number = plain_number(text))
    if (const auto value = nearest(*number)) return value;
  return parse_any_number(text);
}

std::optional<double> parse_any_number(std::string_view text) {
  text = trimmed(text);
  std::array<char, kMaxDigits> buffer;
  if (text.empty()) return {};
  const auto plain = without_separators(text, buffer);
  if (!plain || plain->empty()) return {};
  const char* begin = plain->data();
  const char* const end = begin + plain->size();
  const char* const first = *begin == '-' || *begin == '+' ? begin + 1 : begin;
  if (*begin == '+') ++begin;
  if (first == end || (!is_digit(*first) && *first != '.')) return {};
  double value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem != std::errc() || stop != end || !std::isfinite(value)) return {};
  return value;
}

std::optional<double> parse_number(std::string_view text, double factor) {
  if (const auto power = unit_power(factor))
    if (const auto number = plain_number(text))
      if (const auto value = nearest(*number, *power)) return value;
  return parse_any_number(text, factor);
}

std::optional<double> parse_any_number(std::string_view text, double factor) {
  const auto plain = parse_any_number(text);
  if (!plain || factor == 1) return plain;
  if (*plain == std::trunc(*plain) && std::abs(*plain) * factor < 9e15 && factor >= 1) return *plain * factor;
  const auto power = std::lround(std::log10(factor));
  std::array<char, kMaxDigits + 8> shifted;
  text = trimmed(text);
  if (text.front() == '+') text.remove_prefix(1);
  if (std::pow(10.0, static_cast<double>(power)) != factor || text.size() > kMaxDigits ||
      text.find_first_of(",eE") != std::string_view::npos)
    return *plain * factor;
  auto* at = std::copy(text.begin(), text.end(), shifted.data());
  *at++ = 'e';
  at = std::to_chars(at, shifted.data() + shifted.size(), power).ptr;
  double value = 0;
  const auto [stop, problem] = std::from_chars(shifted.data(), at, value);
  return problem == std::errc() && stop == at ? value : *plain * factor;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (const auto value = few_digits(text)) return value;
  text = trimmed(text);
  std::array<char, kMaxDigits> buffer;
  const auto plain = text.empty() ? std::nullopt : without_separators(text, buffer);
  if (!plain || plain->empty()) return {};
  const char* begin = plain->data();
  const char* const end = begin + plain->size();
  if (*begin == '+' && plain->size() > 1 && is_digit(begin[1])) ++begin;
  std::int64_t value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  return problem == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> parse_decimal(std::string_view text, std::int64_t scale) {
  if (const auto value = quick_decimal(text, scale)) return value;
  return parse_any_decimal(text, scale);
}

std::optional<std::int64_t> parse_any_decimal(std::string_view text, std::int64_t scale) {
  text = trimmed(text);
  std::array<char, kMaxDigits> buffer;
  const auto plain = text.empty() ? std::nullopt : without_separators(text, buffer);
  const auto parts = plain ? decimal(*plain) : std::nullopt;
  if (!parts) return {};
  Wide value = parts->mantissa * static_cast<Wide>(scale);
  if (value == 0) return 0;
  for (int power = parts->exponent; power > 0; --power) {
    if (value > static_cast<Wide>(std::numeric_limits<std::uint64_t>::max())) return {};
    value *= 10;
  }
  if (parts->exponent < -39) return 0;
  Wide divisor = 1;
  for (int power = parts->exponent; power < 0 && divisor != 0; ++power) {
    if (divisor > ~Wide{0} / 10) return 0; // less than half of one
    divisor *= 10;
  }
  const Wide rest = value % divisor;
  value /= divisor;
  if (rest >= divisor - rest) ++value;
  return fitted(value, parts->negative);
}

} // namespace jitterscope::import
