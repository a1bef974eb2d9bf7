#pragma once

#include <string>
#include <vector>

#include "core/import/records/row_issues.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::sqlite {

/// A table of which no row is read.
struct UnreadTable {
  std::string name;
  std::string words; ///< what it holds, for messages; empty where that is not known
};

/// Reports how many rows these tables have, as one entry "not-imported" that names the largest first. Errors:
/// those of Database::count_rows(), but for damaged tables, which are reported.
Expected<void> report_unread(Database& db, const std::vector<UnreadTable>& tables, RowIssues& issues);

} // namespace jitterscope::import::sqlite
