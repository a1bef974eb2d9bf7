#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/table/column_kinds.h"
#include "core/import/formats/table/shape.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import::table {

/// Judges the columns by the records that the reader gives from here on, 65,536 of them at most. `titles` are
/// those of the table.
Expected<Columns> judge(CsvReader& csv, const std::vector<std::string>& titles, char separator,
                        RowIssues& issues);

/// Which column holds the duration of launches, and ns per unit; `column` is the number of columns when none
/// does.
struct DurationColumn {
  std::size_t column;
  std::int64_t scale;
};
DurationColumn duration_column(const Columns& columns, RowIssues& issues);

/// The column with a title, spelt as a user may do: exactly, in other letters, without its unit.
std::size_t find_column(const Columns& columns, const std::vector<std::string>& titles,
                        std::string_view wanted);

/// The line below the titles of a Markdown table: "|---|:---:|".
bool is_rule(std::span<const std::string_view> fields);

/// "1.234,5" as "1234.5".
std::string decimal_point(std::string_view text);

/// Missing in a column of texts, where "none" and "-" mean something.
bool is_missing_text(std::string_view text);

} // namespace jitterscope::import::table
