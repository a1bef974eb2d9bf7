#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace jitterscope::generator {

/// Writes rows into a new SQLite database inside one transaction. The first problem is stored, later calls
/// have no effect; finish() returns it.
class SqliteWriter {
public:
  explicit SqliteWriter(std::string path);
  ~SqliteWriter();
  SqliteWriter(const SqliteWriter&) = delete;
  SqliteWriter& operator=(const SqliteWriter&) = delete;

  void run(const std::string& sql);
  /// Commits all rows. Errors: Io.
  Expected<void> finish();

private:
  friend class Insert;
  void check(int code);

  std::string path_;
  sqlite3* database_ = nullptr;
  std::string problem_;
};

/// One "INSERT INTO table VALUES (?, ?, …)", its columns bound in order.
class Insert {
public:
  Insert(SqliteWriter& writer, std::string_view table, int columns);
  Insert& integer(long long value);
  Insert& text(std::string_view value); ///< copied by SQLite
  Insert& null();
  void row(); ///< inserts the bound values; the next row begins at the first column

private:
  SqliteWriter& writer_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
  int next_ = 1;
};

} // namespace jitterscope::generator
