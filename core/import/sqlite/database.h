#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/sqlite/leaf_scan.h"

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

namespace jitterscope::import::sqlite {

/// The rows of one table, with the columns in the requested order.
class Rows {
public:
  /// Moves to the next row; false after the last. Errors: BadInput for a damaged file, Cancelled.
  Expected<bool> next() {
    if (plain_rows_ == 0) return careful_next();
    const auto found = scan_->next();
    if (found != LeafScan::Step::Row) return careful_next(found);
    --plain_rows_;
    ++row_;
    from_scan_ = true;
    return true;
  }

  /// Calls `each()` for all remaining rows. Errors: those of next().
  template <class Each>
  Expected<void> for_each(Each&& each) {
    for (;;) {
      const auto more = next();
      if (!more) return forward(more.error());
      if (!*more) return {};
      each();
    }
  }

  bool is_null(int column) const { return kind(column) == Cell::Kind::Null; }
  /// True also for integers that a program wrote as REAL or TEXT when it copied the table (pandas does so
  /// where one is missing).
  bool is_integer(int column) const {
    const auto known = kind(column);
    if (known == Cell::Kind::Integer) return true;
    return (known == Cell::Kind::Real || known == Cell::Kind::Text) && whole_number(column).has_value();
  }
  bool is_text(int column) const { return kind(column) == Cell::Kind::Text; }
  /// An integer or a floating point number.
  bool is_number(int column) const { return kind(column) == Cell::Kind::Real || is_integer(column); }
  /// Call it only if is_integer(column).
  std::int64_t integer(int column) const {
    return kind(column) == Cell::Kind::Integer
               ? from_scan_ ? scan_->integer(column) : integer_of_statement(column)
               : whole_number(column).value_or(0);
  }
  double number(int column) const;         ///< call it only if is_number(column)
  std::string_view text(int column) const; ///< call it only if is_text(column); valid until next()
  bool is_blob(int column) const { return kind(column) == Cell::Kind::Blob; }
  std::string_view blob(int column) const;  ///< call it only if is_blob(column); valid until next()
  std::int64_t row() const { return row_; } ///< number of the current row, 1 for the first

private:
  friend class Database;
  Expected<bool> careful_next(std::optional<LeafScan::Step> found = {});
  Expected<bool> step();
  Expected<bool> scan(std::optional<LeafScan::Step> found);
  void count_plain_rows();
  Expected<bool> single_row();
  bool matches_statement();
  Expected<void> go_on_with_statement();
  Expected<void> prepare(const std::string& condition);
  sqlite3_value* value(int column) const { return values_[static_cast<std::size_t>(column)]; }
  Cell::Kind kind(int column) const { return from_scan_ ? scan_->kind(column) : kind_of_statement(column); }
  Cell::Kind kind_of_statement(int column) const;
  std::int64_t integer_of_statement(int column) const;
  std::optional<std::int64_t> whole_number(int column) const; // integer that a Real or Text value represents
  Rows(sqlite3* database, sqlite3_stmt* statement, const std::string& path, std::string table,
       std::int64_t max_rows);

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
  std::string path_, table_;
  std::int64_t max_rows_, row_ = 0;
  std::int64_t plain_rows_ = 0;        // rows of the scan until the next check
  std::vector<sqlite3_value*> values_; // values of the current row
  std::unique_ptr<LeafScan> scan_;     // where the table's pages are read directly, without SQLite
  bool from_scan_ = false;             // the current row is the scan's
  std::string select_;                 // "SELECT … FROM …" without a condition
  const Job* job_ = nullptr;
  std::int64_t* polls_ = nullptr; // Database::Watch::polls
};

/// An SQLite file opened so that it cannot be changed and nothing is written next to it. Virtual tables and
/// triggers of the file are never run. A view replaces a missing table of its name (an export with rows left
/// out), but not in files of tools that define their own views (rocpd, rocprof-compute). Not copyable; a Rows
/// must not outlive it.
class Database {
public:
  /// Errors: BadInput when the file is not an SQLite database or its schema is damaged.
  static Expected<std::unique_ptr<Database>> open(const std::string& path, const Job& job);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool has_table(std::string_view table) const;
  bool has_column(std::string_view table, std::string_view column) const;
  /// Names of all tables, or of the columns of one, sorted.
  std::vector<std::string> tables() const;
  std::vector<std::string> columns(std::string_view table) const;
  bool has_rows(std::string_view table);

  /// The number of rows of a table (0 for a view), by iterating over them. Errors: those of Rows::next().
  Expected<std::int64_t> count_rows(const std::string& table);

  /// All rows of a table in the order of its row numbers. Missing columns read as NULL. Plain tables are read
  /// from their pages directly; their first rows, one in 16,384 of the others, and everything that is not
  /// plain are also read through SQLite, which reads all remaining rows after a difference.
  Expected<Rows> select(const std::string& table, const std::vector<std::string>& columns);

  /// The maximum row number: an estimate of the number of rows, without reading them; limited to what
  /// the file could hold.
  std::int64_t estimated_rows(std::string_view table);

  std::int64_t bytes() const { return bytes_; }

  /// Sets the number of threads that may read pages of a table.
  void use_threads(int threads) { threads_ = threads; }

  /// Reads every row through SQLite itself from now on, as the reference for scans.
  void use_statements_only() { statements_only_ = true; }

private:
  Database(std::string path, const Job& job) : path_(std::move(path)), job_(job), watch_{.job = &job} {}
  Expected<void> connect();
  Expected<void> read_schema();
  Expected<void> read_views();
  Expected<void> read_columns(const std::string& table);
  Expected<Rows> prepare(const std::string& sql, const std::string& table);
  std::unique_ptr<LeafScan> plain_scan(const std::string& table, const std::vector<std::string>& columns);

  std::string path_;
  const Job& job_;
  /// When to interrupt statements: after cancellation, and for views that run on without returning a row.
  struct Watch {
    const Job* job;
    std::int64_t polls = 0;     ///< checks since the last row that a statement returned
    std::int64_t max_polls = 0; ///< maximum of `polls`, set if the file has views; 0: no limit
  };
  Watch watch_;
  static int stop_requested(void* watch);
  sqlite3* database_ = nullptr;
  std::int64_t bytes_ = 0;
  int threads_ = 1;
  bool statements_only_ = false;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> columns_;
  std::map<std::string, std::uint32_t, std::less<>> roots_; // root page of each table's tree
};

/// `"name"` with quotes inside doubled.
std::string identifier(std::string_view name);

} // namespace jitterscope::import::sqlite
