#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/import/formats/table/shape.h"
#include "core/import/input/input.h"

namespace jitterscope::import::table {

/// One of several tables that stand in a file one below the other, with titles of its own.
struct Part {
  std::int64_t first_line = 1; ///< of its titles
  std::int64_t last_line = 1;  ///< of its last row
  std::int64_t rows = 0;
  std::vector<std::string> titles;
};

/// The tables of an input whose first is known, as far as its first 65,536 records show them. Titles in the
/// middle have texts where the column so far had numbers only (in two columns at least, unless an empty line
/// or one of another width comes before), all unlike each other, and a row with numbers below them.
Expected<std::vector<Part>> parts_of(const Input& input, const Shape& shape);

/// The first lines of a stream, their line breaks counted as CsvReader does.
ByteStreamPointer first_lines(ByteStreamPointer stream, std::int64_t lines);

} // namespace jitterscope::import::table
