#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/input/input.h"

namespace jitterscope::import::table {

/// The table at the beginning of a text, as far as it can be recognised.
struct Shape {
  enum class Kind {
    None,       ///< no table: prose, a log, other bytes
    Headerless, ///< rows of numbers without a header
    Table
  };
  Kind kind = Kind::None;
  char separator = ',';
  std::int64_t lines_before = 0;   ///< lines before the header: comments and others
  std::int64_t other_lines = 0;    ///< of lines_before: from the first line that is not a comment to the last
  bool titles_are_comment = false; ///< the header follows a '#'
  std::vector<std::string> titles; ///< column names as written, without blanks at either end
  std::int64_t last_line = -1;     ///< line of the last row where something else follows the table, else −1
};

/// Examines the first bytes (all of the content when `whole`). A table has names that are not numbers, at
/// least one more record, about the same number of fields in all of them, and a column of numbers or two of
/// dates with a time of day.
Shape shape_of(std::string_view head, bool whole);

/// True for lines of "key: value", "key = value" or "[section]": YAML, INI, TOML.
bool is_settings(std::string_view head);

/// The shape of an input. Where its head does not contain the header and a row, more is read until it does
/// (16 MiB at most).
Shape shape_of(const Input& input);

/// A cell that prevents a text from being a table: almost a number ("12.5 us"), and its column name.
/// Nothing for a table, and for texts that do not resemble one.
struct AlmostNumber {
  std::string cell, title;
};
std::optional<AlmostNumber> almost_number(const Input& input);

/// True for a text that would be a table with another separator: columns aligned by runs of blanks, one of
/// them numeric.
bool is_aligned_by_blanks(const Input& input);

/// True for a table without numbers: records of one width, and texts in all of them.
bool holds_only_texts(const Input& input);

} // namespace jitterscope::import::table
