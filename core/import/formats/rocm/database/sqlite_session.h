#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/records/draft.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/reader.h"
#include "core/import/records/row_issues.h"
#include "core/import/sqlite/table_walk.h"

namespace jitterscope::import::rocm {

/// One SQLite file of an AMD tool being read.
class SqliteSession : public sqlite::TableWalk {
public:
  SqliteSession(sqlite::Database& database, Draft& target, const Progress& file_progress)
      : TableWalk(database, file_progress), draft(target), from(target.sizes()), kernels(target) {}

  Draft& draft;
  const DraftSizes from; ///< where the rows of this file begin
  RowIssues issues;
  KernelNames kernels;

  std::optional<Times> times(const sqlite::Rows& rows, int start_column, int end_column,
                             const std::string& table);

  std::uint32_t intern(std::string_view text);

  /// What all dialects do in the end: calls are linked, nothing of a GPU is an error, issues are told.
  Expected<void> finish(const std::string& what, const std::string& record_again);
};

using sqlite::integer;
using sqlite::place_of;

/// The text of a column made clean, empty for NULL and other types.
std::string text_or_empty(const sqlite::Rows& rows, int column);

/// The number of a column, also where it stands as a text; NaN for everything else.
double number_or_nan(const sqlite::Rows& rows, int column);

/// The first of these columns that the table has, else the first.
std::string column_of(const sqlite::Database& db, const std::string& table,
                      std::initializer_list<const char*> names);

/// Rows of a table by their number: names of strings, kernels …
template <class Value>
using ById = std::unordered_map<std::int64_t, Value>;

} // namespace jitterscope::import::rocm
