#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/table/column_kinds.h"
#include "core/import/formats/table/shape.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/row_issues.h"
#include "core/import/records/table_mapping.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import::table {

/// Judges the columns by the next records of the reader, at most 65,536. `titles` are the column names of the
/// table; of `mapping`, only the columns of times are used.
Expected<Columns> judge(CsvReader& csv, const std::vector<std::string>& titles, const TableMapping& mapping,
                        char separator, RowIssues& issues);

/// Column of the launches' duration, and ns per unit; `column` is the number of columns when there is
/// none.
struct DurationColumn {
  std::size_t column;
  std::int64_t scale;
};
/// Found by its name. `by_similar_name`: if no column has the name of a duration, also one such as
/// "step_time"; reported.
DurationColumn duration_column(const Columns& columns, bool by_similar_name, RowIssues& issues);

/// The column with a name as a user may spell it: exactly, in different case, or without its unit.
std::size_t find_column(const Columns& columns, const std::vector<std::string>& titles,
                        std::string_view requested);

/// True for the line below the header of a Markdown table: "|---|:---:|".
bool is_rule(std::span<const std::string_view> fields);

/// Whether a cell is missing in a column of texts, where "none" and "-" are values.
bool is_missing_text(std::string_view text);

} // namespace jitterscope::import::table
