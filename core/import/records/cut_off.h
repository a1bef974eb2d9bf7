#pragma once

#include <fmt/core.h>

#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import {

/// At the end of a table: reports a last row with an unclosed quote.
inline void report_truncation(const CsvReader& csv, RowIssues& issues) {
  if (!csv.cut_off()) return;
  issues.count(store::Severity::Drop, "cut-off-row", [&] {
    return fmt::format("{}: the file ends inside a quoted field; it was truncated, and this row is left out",
                       csv.place());
  });
}

} // namespace jitterscope::import
