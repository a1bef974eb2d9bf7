#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/import/formats/table/shape.h"
#include "core/import/input/input.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::table {

/// One of several tables in a file, one below the other, each with its own header.
struct Part {
  std::int64_t first_line = 1; ///< line of the table's header
  std::int64_t last_line = 1;  ///< line of the table's last row
  std::int64_t rows = 0;
  std::vector<std::string> titles;
};

/// The tables of an input whose first one is known, as far as the first 65,536 records show. A header in the
/// middle has only different texts, above a row with numbers. At least two of them are in columns that had
/// only numbers so far; after an empty line or a line of another width, one is enough.
Expected<std::vector<Part>> parts_of(const Input& input, const Shape& shape);

/// Several tables one below the other: `shape` becomes that of the longest, and the others are reported as
/// left out. False if there is only one.
Expected<bool> choose_part(const Input& input, Shape& shape, RowIssues& issues);

/// The first lines of a stream; line breaks are counted as CsvReader does.
ByteStreamPointer first_lines(ByteStreamPointer stream, std::int64_t lines);

} // namespace jitterscope::import::table
