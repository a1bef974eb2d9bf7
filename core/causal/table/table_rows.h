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

/// Columns of a table that are not ordinary features. Empty: the default.
struct TableOptions {
  std::string target;             ///< default: guess_target() (column_roles.h)
  std::string duration;           ///< column of durations, ns; default: "duration_ns"; used with `group` only
  std::vector<std::string> group; ///< columns that together form the configuration; default: none
  std::string kernel;             ///< column of kernel names; default: a column "kernel"
  bool all_in_one_tier = false;   ///< no background knowledge (tables that are not about launches)
};

/// The rows of a table. Errors: BadUse for columns in `options` that do not exist. `file`: for errors.
Expected<MemoryRows> rows_of_table(TableColumns table, const TableOptions& options = {},
                                   const std::string& file = {});

} // namespace jitterscope::causal
