#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/table/configuration_columns.h"
#include "core/import/formats/table/preview.h"
#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::table {

/// Any text table with a header: comma, semicolon, tab or bar between the fields. Every row is a launch:
/// with a timestamp where columns give start and end (time_columns.h), else without. Columns
/// of numbers and of texts become its attributes. Must be the last reader: others interpret their own tables
/// better.
bool recognises(const Input& input);

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"table", recognises, read};

/// Options of a reader for a known kind of table.
struct Plan {
  /// Name of the column with kernels, or of several, separated by commas: a kernel for each
  /// combination of their values. Empty: one kernel.
  std::string kernel_column;
  bool finds_duration = true;  ///< a column named like "Duration (ns)" is the duration
  bool kernel_required = true; ///< a missing column of kernels is an error
  bool finds_times = false;    ///< columns like "start_ns" and "end_ns" give the rows timestamps
  std::vector<std::string> kernel_columns =
      {}; ///< if kernel_column is empty, the first of these that exists is used
  /// Extracts the kernel name from a cell of the column of kernels; optional.
  std::function<std::string_view(std::string_view cell)> kernel_name = {};
  /// True for the header line, for tables after other text.
  std::function<bool(std::string_view line)> is_titles = {};
  char separator = ','; ///< separator of the fields, used only if is_titles is set
  std::map<std::string, ConfigurationField> fields =
      {};                    ///< by column name: the part of a configuration that the column states
  TableMapping mapping = {}; ///< the user's choices for columns; the choice for kernels is in kernel_column
};

/// Reads one input. Errors: BadInput.
Expected<void> read_plain(const Input& input, const Plan& plan, Draft& draft, RowIssues& issues,
                          const Progress& progress);

/// Same as read_plain() for a table that may have times; fills source.timeless and utc_ns. Errors: BadInput.
Expected<void> read_timed(const Input& input, const Plan& plan, Draft& draft, store::Source& source,
                          RowIssues& issues, const Progress& progress);

/// The first `max_rows` rows of an input and the interpretation of its columns. Errors: those of read().
Expected<Preview> preview(const Input& input, const ImportOptions& options, std::size_t max_rows = 5);

} // namespace jitterscope::import::table
