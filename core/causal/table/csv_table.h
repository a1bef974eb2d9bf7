#pragma once

#include <string>

#include "core/base/error.h"
#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// Columns of a table file that are not ordinary features. Empty: the default.
struct TableOptions {
  std::string target;             ///< default: guess_target() (column_roles.h)
  std::string duration;           ///< column of durations, ns; default: "duration_ns"; used with `group` only
  std::vector<std::string> group; ///< columns that together form the configuration; default: none
  std::string kernel;             ///< column of kernel names; default: a column "kernel"
  bool all_in_one_tier = false;   ///< no background knowledge (tables that are not about launches)
};

/// A table with a header line, plain or gzip, separated by commas, semicolons or tabs. Quoted fields, CRLF
/// and a byte-order mark are accepted; empty, NA, N/A, nan, null and "-" mean a missing value; short rows are
/// filled with missing values, longer rows are an error. A column with any other text becomes a category.
/// Infinite numbers are missing values. Errors state the file and "line N".
Expected<MemoryRows> read_csv_table(const std::string& file, const TableOptions& options = {});
/// Parses the text of a table (tests, pasted tables).
Expected<MemoryRows> parse_csv_table(const std::string& text, const TableOptions& options = {},
                                     const std::string& file = {});

} // namespace jitterscope::causal
