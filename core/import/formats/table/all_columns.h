#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/job.h"
#include "core/import/input/input.h"

namespace jitterscope::import::table {

/// A table whose rows need not be launches: all columns, with the names that the file gives them.
struct AllColumns {
  std::vector<std::string> titles; ///< as written; "column_3" for an empty one
  std::vector<std::string> units;  ///< of columns whose cells state one ("12.5 us"): the unit of `values`
  std::vector<std::vector<double>>
      values; ///< by column, then row: numbers or indices of labels; NaN: missing
  std::vector<std::vector<std::string>> labels; ///< by column: its texts, sorted; empty for numbers
  std::vector<std::string> remarks;             ///< on cells that were not read as they may be meant
};

/// 8 GiB of values.
inline constexpr std::size_t kMaxCells = std::size_t{1} << 30;

/// Reads a table or JSON records. Columns are judged as for launches (columns.h). Short rows are filled with
/// missing values; surplus fields are left out. Errors: BadInput (no table, an unclosed quote, more than
/// `max_cells` cells), those of the stream, Cancelled.
Expected<AllColumns> read_all_columns(const Input& input, const Job& job, std::size_t max_cells = kMaxCells);

} // namespace jitterscope::import::table
