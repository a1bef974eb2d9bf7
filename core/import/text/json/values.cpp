#include "core/import/text/json/values.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/import/text/plain_number.h"

namespace jitterscope::import::json {
namespace {

bool is_white_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white_space(text.back())) text.remove_suffix(1);
  return text;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return {};
  std::uint32_t code = 0;
  const auto* begin = text.data() + at;
  const auto result = std::from_chars(begin, begin + 4, code, 16);
  return result.ec == std::errc() && result.ptr == begin + 4 ? std::optional(code) : std::nullopt;
}

// Decodes the escape after a backslash at `at`; returns its length in bytes, 0 when JSON has no such escape.
std::size_t unescape(std::string_view text, std::size_t at, std::string& out) {
  if (at + 1 >= text.size()) return 0;
  static constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (const auto found = kNames.find(text[at + 1]); found != std::string_view::npos) {
    out += kMeanings[found];
    return 2;
  }
  if (text[at + 1] != 'u') return 0;
  const auto code = hex4(text, at + 2);
  if (!code) return 0;
  if (*code >= 0xD800 && *code < 0xDC00 && at + 7 < text.size() && text[at + 6] == '\\' &&
      text[at + 7] == 'u')
    if (const auto low = hex4(text, at + 8); low && *low >= 0xDC00 && *low < 0xE000) {
      append_utf8(out, 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00));
      return 12;
    }
  append_utf8(out, *code >= 0xD800 && *code < 0xE000 ? 0xFFFD : *code);
  return 6;
}

// A decimal number in parts: digits · 10^exponent.
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;
  int exponent = 0;
  bool more = false; // digits were dropped, all below the last kept one
};

std::optional<Decimal> decimal(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) number.negative = text[at++] == '-';
  bool any = false, point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number.digits > (std::numeric_limits<std::uint64_t>::max() - digit) / 10 || number.more) {
      number.more = true;
      if (!point && ++number.exponent > 400) return {};
      continue;
    }
    number.digits = number.digits * 10 + digit;
    if (point) --number.exponent;
  }
  if (!any) return {};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    int exponent = 0;
    const auto* begin = text.data() + at + 1;
    const auto* end = text.data() + text.size();
    if (begin < end && *begin == '+') ++begin;
    const auto result = std::from_chars(begin, end, exponent);
    if (result.ec != std::errc() || result.ptr != end || exponent > 1000 || exponent < -1000) return {};
    number.exponent += exponent;
    at = text.size();
  }
  return at == text.size() ? std::optional(number) : std::nullopt;
}

// Appends the digits from `at` on to a number and returns their end; more than 19 overflow.
std::size_t consume_digits(std::string_view text, std::size_t at, std::uint64_t& number) {
  for (std::uint64_t eight = 0; std::endian::native == std::endian::little && text.size() - at >= 8;
       at += 8) {
    std::memcpy(&eight, text.data() + at, 8);
    if (!eight_digits(eight, 8, eight)) break;
    number = number * 100'000'000 + eight;
  }
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = number * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return at;
}

// Fast path for timestamps: at most 19 digits in all, no exponent. False for anything else.
bool scale_plain(std::string_view text, int digits, std::int64_t& result) {
  if (text.empty() || text.size() > 20 || digits < 0 || digits > 3) return false;
  const auto places = static_cast<std::size_t>(digits);
  std::uint64_t number = 0;
  auto at = consume_digits(text, 0, number);
  if (at == 0 || at + places > 19) return false;
  if (at < text.size() && text[at++] != '.') return false;
  if (at + places < text.size()) return false; // needs rounding
  const auto missing = places - (text.size() - at);
  if (consume_digits(text, at, number) != text.size()) return false;
  for (std::size_t i = 0; i < missing; ++i) number *= 10;
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
  result = static_cast<std::int64_t>(number);
  return true;
}

} // namespace

bool is_text(std::string_view value) {
  value = trimmed(value);
  return !value.empty() && value.front() == '"';
}

std::string_view unquoted(std::string_view value) {
  value = trimmed(value);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    return value.substr(1, value.size() - 2);
  return value;
}

std::string text_of(std::string_view value) {
  const auto written = unquoted(value);
  if (written.find('\\') == std::string_view::npos) return std::string(written);
  std::string out;
  out.reserve(written.size());
  for (std::size_t at = 0; at < written.size();) {
    const auto used = written[at] == '\\' ? unescape(written, at, out) : 0;
    if (used == 0) out += written[at];
    at += used == 0 ? 1 : used;
  }
  return out;
}

std::optional<std::int64_t> scaled(std::string_view value, int digits) {
  if (std::int64_t plain = 0; scale_plain(value, digits, plain)) return plain;
  auto number = decimal(trimmed(unquoted(value)));
  if (!number) return {};
  number->exponent += digits;
  auto magnitude = number->digits;
  bool half = false; // the first dropped digit is 5 or more
  for (; number->exponent < 0 && magnitude > 0; ++number->exponent) {
    half = magnitude % 10 >= 5;
    magnitude /= 10;
  }
  if (number->exponent < 0) half = false;
  if (half) ++magnitude;
  for (; number->exponent > 0 && magnitude > 0; --number->exponent) {
    if (magnitude > std::numeric_limits<std::uint64_t>::max() / 10) return {};
    magnitude *= 10;
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (magnitude > kMax) return {};
  const auto result = static_cast<std::int64_t>(magnitude);
  return number->negative ? -result : result;
}

std::optional<std::int64_t> integer(std::string_view value) {
  if (const auto digits = few_digits(value)) return digits;
  const auto text = trimmed(unquoted(value));
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec == std::errc() && result.ptr == text.data() + text.size()) return number;
  const auto point = text.find('.');
  const bool plain = text.find_first_of("eE") == std::string_view::npos;
  if (point != std::string_view::npos && plain && scaled(text, 0)) return scaled(text.substr(0, point), 0);
  return scaled(text, 0);
}

std::optional<std::uint64_t> handle(std::string_view value) {
  auto text = trimmed(unquoted(value));
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (result.ec == std::errc() && result.ptr == text.data() + text.size()) return number;
  if (const auto whole = integer(value)) return static_cast<std::uint64_t>(*whole);
  return {};
}

std::optional<double> real(std::string_view value) {
  if (const auto plain = plain_number(value))
    if (const auto number = nearest(*plain)) return number;
  const auto text = trimmed(unquoted(value));
  double number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(number))
    return {};
  return number;
}

} // namespace jitterscope::import::json
