#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::app {

/// "0-3,7" → 0, 1, 2, 3, 7. Errors: BadUse with the option as place: other texts, more than a million
/// numbers.
Expected<std::vector<std::int64_t>> parse_numbers(const std::string& text, const std::string& option);

/// Appends the numbers of such a list; an empty text has none. Errors: as of parse_numbers().
template <class Number>
Expected<void> add_numbers(const std::string& text, const std::string& option, std::vector<Number>& to) {
  if (text.empty()) return {};
  const auto numbers = parse_numbers(text, option);
  if (!numbers) return forward(numbers.error());
  for (const auto number : *numbers) to.push_back(static_cast<Number>(number));
  return {};
}

} // namespace jitterscope::app
