#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/import/formats/table/shape.h"
#include "core/import/input/input.h"

namespace jitterscope::import::table {

/// One of several tables in a file, one below the other, each with its own header.
struct Part {
  std::int64_t first_line = 1; ///< of its header
  std::int64_t last_line = 1;  ///< of its last row
  std::int64_t rows = 0;
  std::vector<std::string> titles;
};

/// The tables of an input whose first one is known, as far as the first 65,536 records show. A header in the
/// middle has texts where the column so far had only numbers (in at least two columns, unless an empty line
/// or one of another width precedes), all different, and a row with numbers below it.
Expected<std::vector<Part>> parts_of(const Input& input, const Shape& shape);

/// The first lines of a stream; line breaks are counted as CsvReader does.
ByteStreamPointer first_lines(ByteStreamPointer stream, std::int64_t lines);

} // namespace jitterscope::import::table
