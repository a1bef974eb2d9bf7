#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/efficiency/metrics/syntax.h"

namespace jitterscope::efficiency::metrics {

enum class TokenKind : std::uint8_t { Name, Number, Text, Pattern, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  ///< name, symbol, or the text between quotes or slashes
  double number = 0; ///< times in ns
  bool has_unit = false;
  Place place;
};

/// Splits a text into tokens; the last one is End. Errors: BadUse with the place.
Expected<std::vector<Token>> tokens_of(std::string_view text);

/// Error about a definition, with a place such as "line 3, column 7".
tl::unexpected<Error> wrong_at(Place place, std::string message, std::string hint = {});

} // namespace jitterscope::efficiency::metrics
