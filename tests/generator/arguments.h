#pragma once

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace jitterscope::generator {

inline int refuse(const std::string& message) {
  std::fprintf(stderr, "jitterscope-generate: %s\nTry jitterscope-generate --help.\n", message.c_str());
  return 1;
}

/// Succeeds only if the whole text is a number.
template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

} // namespace jitterscope::generator
