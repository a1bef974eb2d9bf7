#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/input/input.h"

namespace jitterscope::import::table {

/// What the beginning of a text shows of the table in it.
struct Shape {
  enum class Kind {
    None,       ///< no table: prose, a log, other bytes
    Headerless, ///< rows of numbers without titles
    Table
  };
  Kind kind = Kind::None;
  char separator = ',';
  std::int64_t lines_before = 0;   ///< lines before the titles: remarks and others
  std::int64_t other_lines = 0;    ///< of these: from the first that is no remark to the last
  bool titles_are_remark = false;  ///< the titles stand behind a '#'
  std::vector<std::string> titles; ///< as written, without blanks at either end
  std::int64_t last_line = -1;     ///< where something else follows the table: of its last row
};

/// Looks at the first bytes (all of the content when `whole`). A table has titles that are no numbers, at
/// least one more record, about as many fields in all of them, and a column of numbers.
Shape shape_of(std::string_view head, bool whole);

/// Lines of "key: value", "key = value" or "[section]": YAML, INI, TOML.
bool is_settings(std::string_view head);

/// The same of an input. Where its head does not hold the titles and a row, as much more is read as they take
/// (16 MiB at most).
Shape shape_of(const Input& input);

/// What would be a table if one of its columns held numbers: a cell that is almost one ("12.5 us"), and the
/// title above it. Nothing for a table, and for what does not look like one.
struct AlmostNumber {
  std::string cell, title;
};
std::optional<AlmostNumber> almost_number(const Input& input);

/// What would be a table with one separator: columns held apart by runs of blanks, one of them of numbers.
bool is_aligned_by_blanks(const Input& input);

/// What would be a table as well: records of one width, and texts in all of them.
bool holds_only_texts(const Input& input);

} // namespace jitterscope::import::table
