#include "tests/generator/sqlite_writer.h"

#include <cstdio>

#include <sqlite3.h>

namespace jitterscope::generator {

SqliteWriter::SqliteWriter(std::string path) : path_(std::move(path)) {
  std::remove(path_.c_str());
  // One thread writes, without locks.
  check(sqlite3_open_v2(path_.c_str(), &database_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr));
  // The file is new: it need not survive a crash, and no journal is needed for a rollback.
  run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA "
      "page_size=4096; "
      "PRAGMA cache_size=-65536; BEGIN");
}

SqliteWriter::~SqliteWriter() {
  sqlite3_close(database_);
}

void SqliteWriter::check(int code) {
  const bool good = code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW;
  if (!good && problem_.empty()) problem_ = database_ ? sqlite3_errmsg(database_) : sqlite3_errstr(code);
}

void SqliteWriter::run(const std::string& sql) {
  if (problem_.empty()) check(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr));
}

Expected<void> SqliteWriter::finish() {
  run("COMMIT");
  if (!problem_.empty()) return failure(ErrorKind::Io, "the trace cannot be written: " + problem_, path_);
  return {};
}

Insert::Insert(SqliteWriter& writer, std::string_view table, int columns)
    : writer_(writer), statement_(nullptr, sqlite3_finalize) {
  std::string sql = "INSERT INTO " + std::string(table) + " VALUES (?";
  for (int column = 1; column < columns; ++column) sql += ",?";
  sql += ")";
  sqlite3_stmt* statement = nullptr;
  if (writer_.problem_.empty())
    writer_.check(sqlite3_prepare_v2(writer_.database_, sql.c_str(), -1, &statement, nullptr));
  statement_.reset(statement);
}

Insert& Insert::integer(long long value) {
  if (statement_) sqlite3_bind_int64(statement_.get(), next_, value);
  ++next_;
  return *this;
}

Insert& Insert::text(std::string_view value) {
  if (statement_)
    sqlite3_bind_text(statement_.get(), next_, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
  ++next_;
  return *this;
}

Insert& Insert::null() {
  if (statement_) sqlite3_bind_null(statement_.get(), next_);
  ++next_;
  return *this;
}

void Insert::row() {
  next_ = 1;
  if (!statement_ || !writer_.problem_.empty()) return;
  writer_.check(sqlite3_step(statement_.get()));
  sqlite3_reset(statement_.get());
}

} // namespace jitterscope::generator
