#pragma once

#include <fmt/core.h>

#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import {

/// Calls `each()` for every record of a table. `bytes` and `what` are for the progress. Errors: those of
/// CsvReader::next(), Cancelled.
template <class Each>
Expected<void> each_row(CsvReader& csv, const Progress& progress, std::int64_t bytes, const char* what,
                        Each&& each) {
  constexpr std::int64_t kRowsBetweenReports = 4'096;
  for (std::int64_t row = 0;; ++row) {
    const auto more = csv.next();
    if (!more) return forward(more.error());
    if (!*more) return {};
    if (row % kRowsBetweenReports == 0 && !progress.report(csv.consumed(), bytes, what))
      return Job::cancelled_error();
    each();
  }
}

/// At the end of a table: reports a last row with an unclosed quote.
inline void report_truncation(const CsvReader& csv, RowIssues& issues) {
  if (!csv.cut_off()) return;
  issues.count(store::Severity::Drop, "cut-off-row", [&] {
    return fmt::format("{}: the file ends inside a quoted field; it was truncated, and this row is left out",
                       csv.place());
  });
}

} // namespace jitterscope::import
