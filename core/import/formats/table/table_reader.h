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

/// Any table in text with titles: comma, semicolon, tab or bar between the fields. Every row is a launch:
/// with a place in time where columns say when it started and ended (time_columns.h), else without. Columns
/// of numbers and of texts become its attributes. Must be asked last: other readers know more of their
/// tables.
bool recognises(const Input& input);

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress);

inline constexpr Reader kReader = {"table", recognises, read};

/// How a reader that knows what is in a table wants it read.
struct Plan {
  /// Title of the column that names kernels, or of several, with commas between: a kernel for each
  /// combination of their values. Empty: one kernel.
  std::string kernel_column;
  bool finds_duration = true;  ///< a column with a title like "Duration (ns)" is the duration
  bool kernel_required = true; ///< its absence is an error
  bool finds_times = false;    ///< columns like "start_ns" and "end_ns" give the rows a place in time
  std::vector<std::string> kernel_columns = {}; ///< the first of these that is there, where none is given
  /// What of a cell in the column of kernels is the name, where not all is.
  std::function<std::string_view(std::string_view cell)> kernel_name = {};
  /// Tells the line of titles, for tables behind other text.
  std::function<bool(std::string_view line)> is_titles = {};
  char separator = ','; ///< between the fields where is_titles tells the titles
  std::map<std::string, ConfigurationField> fields = {}; ///< parts of configurations, by column name
  TableMapping mapping = {}; ///< what the user says about columns; its kernels are in kernel_column
};

/// Reads one input. Errors: BadInput.
Expected<void> read_plain(const Input& input, const Plan& plan, Draft& draft, RowIssues& issues,
                          const Progress& progress);

/// The same of a table that may have times; fills source.timeless and utc_ns. Errors: BadInput.
Expected<void> read_timed(const Input& input, const Plan& plan, Draft& draft, store::Source& source,
                          RowIssues& issues, const Progress& progress);

/// The first `most_rows` rows of an input and what its columns are taken for. Errors: those of read().
Expected<Preview> preview(const Input& input, const ImportOptions& options, std::size_t most_rows = 5);

} // namespace jitterscope::import::table
