#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// The columns of a table whose rows need not be launches.
struct TableColumns {
  std::vector<std::string> names;
  std::vector<std::string> units; ///< by column; empty: by the ending of the name, as in "time_ns"
  /// By column, then row: numbers, or indices of labels; NaN: missing. All columns have the same length.
  std::vector<std::vector<double>> values;
  std::vector<std::vector<std::string>> labels; ///< by column: its texts; empty for numbers
  std::vector<std::string> remarks;             ///< on how the table was read
};

/// The rows of a table. `target`: its column; empty: guess_target() (column_roles.h). `file`: for errors.
Expected<MemoryRows> rows_of_table(TableColumns table, const std::string& target = {},
                                   const std::string& file = {});

} // namespace jitterscope::causal
