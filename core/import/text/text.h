#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace jitterscope::import {

/// U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Valid UTF-8 without NUL: every invalid byte becomes kReplacement. Names go into JSON, HDF5 and
/// onto the screen, all of which reject or mangle anything else.
std::string clean_text(std::string_view bytes);

/// True when clean_text would return the same bytes.
bool is_clean_text(std::string_view bytes);

/// Converts a name to a column name of the filter language: lower case letters, digits, single '_' for
/// everything else, none at either end. "GPC Clock Frequency" → "gpc_clock_frequency"; never empty.
std::string slug(std::string_view text);

/// ASCII letters in lower case; everything else stays.
std::string lower(std::string_view text);

/// Whether a word is in a list of words, which are separated by '|'.
bool is_listed(std::string_view word, std::string_view list);

/// End of the line that contains `from`: its line feed or return, the end of the text where there is none.
/// Several times as fast as find_first_of(), which calls a function for every byte.
inline std::size_t line_end(std::string_view text, std::size_t from = 0) {
  const auto* const end = text.data() + text.size();
  const auto* const begin = text.data() + std::min(from, text.size());
  return static_cast<std::size_t>(std::find_if(begin, end, [](char c) { return c == '\n' || c == '\r'; }) -
                                  text.data());
}

} // namespace jitterscope::import
