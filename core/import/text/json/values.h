#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/import/text/plain_number.h"

namespace jitterscope::import::json {

// Values as written in the text ("12", "\"12\"", "1712195495519689.047", "inf"): numbers may be in quotes,
// as several tools write them.

/// The text between the quotes, or the value itself when it is not quoted.
std::string_view unquoted(std::string_view value);
bool is_text(std::string_view value);
/// The text of a quoted value; escapes that JSON does not define stay as written.
std::string text_of(std::string_view value);

/// value · 10^digits as an integer, exactly (never through a double), rounded half away from zero where
/// digits are left over. Nothing when it is not a number or does not fit.
std::optional<std::int64_t> scaled(std::string_view value, int digits);
/// An integer; a fraction is truncated.
std::optional<std::int64_t> integer(std::string_view value);
/// integer() where kDigitPadding bytes are readable, as in chunks of elements.
inline std::optional<std::int64_t> integer_in_padded(std::string_view value) {
  if (const auto digits = digits_in_padded(value)) return digits;
  return integer(value);
}
/// A number written as "0x1f" or "31".
std::optional<std::uint64_t> handle(std::string_view value);
/// A finite number; nothing for true and false.
std::optional<double> real(std::string_view value);
/// real() where kDigitPadding bytes are readable.
inline std::optional<double> real_in_padded(std::string_view value) {
  if (const auto digits = digits_in_padded(value)) return static_cast<double>(*digits);
  return real(value);
}

} // namespace jitterscope::import::json
