#pragma once

#include <string>
#include <vector>

#include "core/import/records/row_issues.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::sqlite {

/// A table that is not read.
struct UnreadTable {
  std::string name;
  std::string words; ///< content of the table in words, for messages; empty where unknown
};

/// Reports the numbers of rows of these tables, as one entry "not-imported" that lists the largest first.
/// Errors: those of Database::count_rows(), except for damaged tables, which are reported.
Expected<void> report_unread(Database& db, const std::vector<UnreadTable>& tables, RowIssues& issues);

} // namespace jitterscope::import::sqlite
