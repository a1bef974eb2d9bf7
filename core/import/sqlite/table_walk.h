#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"
#include "core/import/sqlite/unread_tables.h"

namespace jitterscope::import::sqlite {

/// Iterates over the tables of one database row by row, and reports progress relative to all tables to be
/// read.
class TableWalk {
public:
  TableWalk(Database& database, const Progress& file_progress) : db(database), progress(file_progress) {}

  Database& db;
  const Progress& progress;

  /// Announces tables to be read; those missing from the file are ignored.
  void expect(const std::vector<std::string>& tables) {
    for (const auto& table : tables) rows_expected_ += db.estimated_rows(table);
  }

  /// Number of rows of a table to reserve memory for; 0 when it cannot be estimated from the row numbers.
  std::size_t rows_to_reserve(const std::string& table) {
    constexpr std::int64_t kMinBytesOfRow =
        24; // minimum size of a row in the file [B]; with less, the row numbers have gaps
    const auto rows = db.estimated_rows(table);
    return rows > 0 && rows < db.bytes() / kMinBytesOfRow ? static_cast<std::size_t>(rows) : 0;
  }

  /// Calls `each(rows)` for every row of a table (never when it is absent). Errors: those of Rows::next().
  template <class EachRow>
  Expected<void> for_each(const std::string& table, const std::vector<std::string>& columns, EachRow&& each) {
    if (!db.has_table(table)) return {};
    read_.insert(table);
    auto rows = db.select(table, columns);
    if (!rows) return forward(rows.error());
    for (;;) {
      const auto more = rows->next();
      if (!more) return forward(more.error());
      if (!*more) return {};
      if (rows->row() % kRowsBetweenReports == 0) {
        rows_done_ += kRowsBetweenReports;
        if (!progress.report(rows_done_, rows_expected_, table)) return Job::cancelled_error();
      }
      each(*rows);
    }
  }

  /// Tables of the file that for_each() did not read.
  std::vector<UnreadTable> unread_tables() const {
    std::vector<UnreadTable> tables;
    for (const auto& table : db.tables())
      if (!read_.contains(table) && !table.starts_with("sqlite_")) tables.push_back({table, {}});
    return tables;
  }

private:
  std::set<std::string> read_;
  static constexpr std::int64_t kRowsBetweenReports = 4'096;
  std::int64_t rows_expected_ = 0, rows_done_ = 0;
};

/// The integer of a column, nothing for NULL and other types.
inline std::optional<std::int64_t> integer(const Rows& rows, int column) {
  return rows.is_integer(column) ? std::optional(rows.integer(column)) : std::nullopt;
}

/// `table row 12`.
inline std::string place_of(const Rows& rows, const std::string& table) {
  return table + " row " + std::to_string(rows.row());
}

} // namespace jitterscope::import::sqlite
