#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/draft.h"
#include "core/import/registry.h"
#include "core/import/row_issues.h"
#include "core/import/rows/events.h"
#include "core/import/rows/kernel_names.h"
#include "core/import/rows/places.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::rocm {

/// One SQLite file of an AMD tool being read.
class SqliteSession {
public:
  SqliteSession(sqlite::Database& database, Draft& target, const Progress& file_progress)
      : db(database), draft(target), progress(file_progress), from(target.sizes()), kernels(target) {}

  sqlite::Database& db;
  Draft& draft;
  const Progress& progress;
  const DraftSizes from; ///< where the rows of this file begin
  RowIssues issues;
  KernelNames kernels;

  /// These tables are going to be read: for progress.
  void expect(const std::vector<std::string>& tables);

  /// Calls `each(rows)` for every row of a table (nothing when it is absent), with progress and cancel.
  template <class EachRow>
  Expected<void> for_each(const std::string& table, const std::vector<std::string>& columns, EachRow&& each);

  std::optional<Times> times(const sqlite::Rows& rows, int start_column, int end_column,
                             const std::string& table);

  std::uint32_t intern(std::string_view text);

  /// What all dialects do in the end: calls are linked, nothing of a GPU is an error, issues are told.
  Expected<void> finish(const std::string& what, const std::string& record_again);

private:
  Expected<void> tick(const std::string& table);
  std::int64_t rows_expected_ = 0, rows_done_ = 0;
};

/// The integer of a column, nothing for NULL and other types.
inline std::optional<std::int64_t> integer(const sqlite::Rows& rows, int column) {
  return rows.is_integer(column) ? std::optional(rows.integer(column)) : std::nullopt;
}

/// The text of a column made clean, empty for NULL and other types.
std::string text_or_empty(const sqlite::Rows& rows, int column);

/// The number of a column, also where it stands as a text; NaN for everything else.
double number_or_nan(const sqlite::Rows& rows, int column);

/// `table row 12`.
std::string place_of(const sqlite::Rows& rows, const std::string& table);

/// The first of these columns that the table has, else the first.
std::string column_of(const sqlite::Database& db, const std::string& table,
                      std::initializer_list<const char*> names);

/// Rows of a table by their number: names of strings, kernels …
template <class Value>
using ById = std::unordered_map<std::int64_t, Value>;

template <class EachRow>
Expected<void> SqliteSession::for_each(const std::string& table, const std::vector<std::string>& columns,
                                       EachRow&& each) {
  if (!db.has_table(table)) return {};
  auto rows = db.select(table, columns);
  if (!rows) return forward(rows.error());
  for (;;) {
    const auto more = rows->next();
    if (!more) return forward(more.error());
    if (!*more) return {};
    if (rows->row() % 4096 == 0)
      if (auto done = tick(table); !done) return done;
    each(*rows);
  }
}

} // namespace jitterscope::import::rocm
