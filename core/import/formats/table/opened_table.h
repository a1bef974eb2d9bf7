#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/job.h"
#include "core/import/formats/table/shape.h"
#include "core/import/input/input.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import::table {

/// The shape of an input that must be a table with column names. Errors: BadInput if it is none.
Expected<Shape> require_table(const Input& input);

/// The records of a table after its header.
struct OpenedTable {
  ByteStreamPointer stream;
  std::unique_ptr<CsvReader> csv;
  std::vector<std::string> titles; ///< as written, without blanks at either end
};

/// `is_titles`: true for the header line, for tables after other text; empty: the header is where `shape`
/// states. Errors: BadInput without a header or with more than kMaxColumns columns; those of the stream;
/// Cancelled, which reading the records returns as well. The job must outlive the result.
Expected<OpenedTable> open_table(const Input& input, const Shape& shape, const Job& job,
                                 const std::function<bool(std::string_view line)>& is_titles = {});

} // namespace jitterscope::import::table
