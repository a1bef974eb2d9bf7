#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::analysis {

enum class TokenKind { Name, Number, Text, Regex, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;      ///< name, symbol, or content of a text or regex
  double number = 0;     ///< numbers, in base units (ns, B, fraction for %)
  std::size_t place = 0; ///< first character, 1-based
};

/// Splits a filter text; the last token is End. Errors: BadUse with the position.
Expected<std::vector<Token>> tokenize_filter(const std::string& text);

} // namespace jitterscope::analysis
