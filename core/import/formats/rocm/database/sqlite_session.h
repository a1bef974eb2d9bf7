#pragma once

#include <optional>
#include <string>
#include <unordered_map>

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

  /// Last step of all formats: links calls, fails without GPU activity, reports issues.
  Expected<void> finish(const std::string& what, const std::string& record_again);
};

using sqlite::integer;
using sqlite::place_of;

/// The cleaned text of a column, empty for NULL and other types.
std::string text_or_empty(const sqlite::Rows& rows, int column);

/// The number in a column, also if stored as text; NaN for everything else.
double number_or_nan(const sqlite::Rows& rows, int column);

/// The first of these columns that the table has, else the first.
std::string column_of(const sqlite::Database& db, const std::string& table,
                      std::initializer_list<const char*> names);

/// Rows of a table by their id: strings, kernels …
template <class Value>
using ById = std::unordered_map<std::int64_t, Value>;

} // namespace jitterscope::import::rocm
