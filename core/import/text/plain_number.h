#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace jitterscope::import {

// Nearly all numbers in tables and traces are a few digits with at most a sign and a point. These functions
// parse only such numbers, with the same result as a general parser but several times faster. For other texts
// they return nothing, although the text may be a number.

/// Bytes that must be readable from the beginning of a text for digits_in_padded().
inline constexpr std::size_t kDigitPadding = 16;

/// The value of `count` digits, at most eight, all converted at once by the multiplications of fast_float
/// (Lemire, 2021). `bytes` has the first digit in its lowest byte; bytes after the digits are ignored. False
/// if one of the `count` bytes is not a digit.
inline bool eight_digits(std::uint64_t bytes, std::size_t count, std::uint64_t& value) {
  // Zeros then precede the first digit.
  const auto digits = (bytes ^ 0x3030303030303030u) << (8 * (8 - count));
  // A byte beyond 9 sets its highest bit.
  if ((((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u) != 0) return false;
  constexpr std::uint64_t kPairs = 0x000000FF000000FFu;
  const auto pairs = digits * 10 + (digits >> 8);
  value = ((pairs & kPairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
           ((pairs >> 16) & kPairs) * (1 + (std::uint64_t{10'000} << 32))) >>
          32;
  return true;
}

/// One to fifteen digits and nothing else, which a double holds exactly.
inline std::optional<std::int64_t> few_digits(std::string_view text) {
  if (text.empty() || text.size() > 15) return {};
  std::int64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
    if (digit > 9) return {};
    value = value * 10 + digit;
  }
  return value;
}

/// Same as few_digits(), but without a loop over the digits: kDigitPadding bytes must be readable. False, and
/// the value is undefined, for every other text.
[[gnu::always_inline]] inline bool read_padded_digits(std::string_view text, std::uint64_t& value) {
  if constexpr (std::endian::native != std::endian::little) {
    const auto digits = few_digits(text);
    value = static_cast<std::uint64_t>(digits.value_or(0));
    return digits.has_value();
  }
  if (text.empty() || text.size() > 15) return false;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data(), 8);
  if (text.size() <= 8) return eight_digits(bytes, text.size(), value);
  constexpr std::array<std::uint64_t, 8> kPowers = {1,      10,      100,       1'000,
                                                    10'000, 100'000, 1'000'000, 10'000'000};
  std::uint64_t low = 0;
  if (!eight_digits(bytes, 8, value)) return false;
  std::memcpy(&bytes, text.data() + 8, 8);
  if (!eight_digits(bytes, text.size() - 8, low)) return false;
  value = value * kPowers[text.size() - 8] + low;
  return true;
}
inline std::optional<std::int64_t> digits_in_padded(std::string_view text) {
  std::uint64_t value = 0;
  return read_padded_digits(text, value) ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

/// digits / 10^places.
struct PlainNumber {
  std::uint64_t digits = 0; ///< all digits as an integer, below 10^18
  int places = 0;           ///< number of digits after the point, 0 to 17
  bool negative = false;
};

/// [-]digits[.digits], 18 digits at most.
inline std::optional<PlainNumber> plain_number(std::string_view text) {
  PlainNumber number;
  if (!text.empty() && text.front() == '-') {
    number.negative = true;
    text.remove_prefix(1);
  }
  if (text.empty() || text.size() > 19) return {};
  std::size_t at = 0;
  const auto consume_digits = [&] {
    const auto begin = at;
    for (; at < text.size(); ++at) {
      const auto digit = static_cast<unsigned>(static_cast<unsigned char>(text[at])) - '0';
      if (digit > 9) break;
      number.digits = number.digits * 10 + digit;
    }
    return static_cast<int>(at - begin);
  };
  const auto whole = consume_digits();
  if (whole == 0 || whole > 18) return {};
  if (at == text.size()) return number;
  if (text[at++] != '.') return {};
  number.places = consume_digits();
  if (at != text.size() || number.places == 0) return {};
  return number;
}

/// plain_number() for one to seven digits before the point and at most eight after it, where kDigitPadding
/// bytes are readable after the text. Nothing for every other text.
[[gnu::always_inline]] inline std::optional<PlainNumber> padded_plain_number(std::string_view text) {
  if constexpr (std::endian::native != std::endian::little) return plain_number(text);
  PlainNumber number;
  if (!text.empty() && text.front() == '-') {
    number.negative = true;
    text.remove_prefix(1);
  }
  constexpr std::uint64_t kZeros = 0x3030303030303030u, kBeyond = 0x7676767676767676u,
                          kHighest = 0x8080808080808080u;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text.data(), 8);
  const auto digits = bytes ^ kZeros;
  const auto others = ((digits + kBeyond) | digits) & kHighest; // exact up to the first non-digit byte
  const auto whole =
      std::min<std::size_t>(static_cast<std::size_t>(std::countr_zero(others)) / 8, text.size());
  if (whole == 0 || whole == 8) return {};
  if (!eight_digits(bytes, whole, number.digits)) return {};
  if (text.size() == whole) return number;
  const auto places = text.size() - whole - 1;
  if (text[whole] != '.' || places == 0 || places > 8) return {};
  std::uint64_t fraction = 0;
  std::memcpy(&bytes, text.data() + whole + 1, 8);
  if (!eight_digits(bytes, places, fraction)) return {};
  constexpr std::array<std::uint64_t, 9> kPowers = {1,       10,        100,        1'000,      10'000,
                                                    100'000, 1'000'000, 10'000'000, 100'000'000};
  number.digits = number.digits * kPowers[places] + fraction;
  number.places = static_cast<int>(places);
  return number;
}

/// 10^power for powers that a double holds exactly.
inline constexpr int kMaxExactPower = 22;
inline constexpr std::array<double, kMaxExactPower + 1> kExactPowers = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The double nearest to a plain number times 10^power: both operands of the one operation are exact, so its
/// rounding is the only one (Clinger, 1990). Nothing where an operand is not exact.
inline std::optional<double> nearest(const PlainNumber& number, int power = 0) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const int exponent = power - number.places;
  if (number.digits > kExact || exponent < -kMaxExactPower || exponent > kMaxExactPower) return {};
  const auto digits = static_cast<double>(number.digits);
  const auto scaled = exponent < 0 ? digits / kExactPowers[static_cast<std::size_t>(-exponent)]
                                   : digits * kExactPowers[static_cast<std::size_t>(exponent)];
  return number.negative ? -scaled : scaled;
}

} // namespace jitterscope::import
