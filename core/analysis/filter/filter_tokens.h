#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::analysis {

enum class TokenKind { Name, Number, Text, Regex, Symbol, End };

/// What the unit of a number measures.
enum class Dimension { None, Time, Size, Frequency, Power, Fraction };

struct Unit {
  Dimension dimension = Dimension::None;
  double factor = 1; ///< size of the unit in base units: ns, B, Hz, W, fraction
};

/// Units of numbers: ns us ms s, B KB MB GB KiB MiB GiB, Hz kHz MHz GHz, mW W kW, %.
std::optional<Unit> unit_of(std::string_view text);

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;                      ///< name, symbol, or content of a text or regex
  double number = 0;                     ///< of numbers: the value in base units
  std::size_t place = 0;                 ///< position of the first character in the filter text, from 1
  Dimension dimension = Dimension::None; ///< of numbers with a unit: what the unit measures
  double written = 0,
         factor = 1;   ///< number as written, and its unit in base units
  std::size_t end = 0; ///< of numbers without a unit: offset in the filter text at which one can be inserted
};

/// A text in quotes, as a filter reads it: \" is a quote and \\ is a backslash.
std::string quoted_text(std::string_view text);

/// Splits a filter text; the last token is End. Errors: BadUse with the position.
Expected<std::vector<Token>> tokenize_filter(const std::string& text);

} // namespace jitterscope::analysis
