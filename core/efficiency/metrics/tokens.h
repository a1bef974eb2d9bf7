#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/efficiency/metrics/syntax.h"

namespace jitterscope::efficiency::metrics {

enum class TokenKind : std::uint8_t { Name, Number, Text, Pattern, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  ///< name, symbol, or what is between quotes or slashes
  double number = 0; ///< times in ns
  bool has_unit = false;
  Place place;
};

/// The last token is End. Errors: BadUse with the place.
Expected<std::vector<Token>> tokens_of(std::string_view text);

/// "line 3, column 7" as the place of an error about a definition.
tl::unexpected<Error> wrong_at(Place place, std::string message, std::string hint = {});

} // namespace jitterscope::efficiency::metrics
