#include "core/import/sqlite/database.h"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <sqlite3.h>

#include "core/import/text.h"

namespace jitterscope::import::sqlite {
namespace {

constexpr int kInstructionsBetweenChecks = 20'000; // well under a millisecond

int stop_wanted(void* job) {
  return static_cast<const Job*>(job)->cancelled() ? 1 : 0;
}

// A path as a URI: everything that has a meaning there is escaped. "immutable" promises that nobody changes
// the file, so SQLite takes no locks and creates no -wal or -shm file beside it.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      uri += c;
  return uri + "?mode=ro&immutable=1";
}

tl::unexpected<Error> problem(sqlite3* database, int code, const std::string& path,
                              const std::string& place) {
  const std::string words = clean_text(database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  switch (code & 0xFF) {
  case SQLITE_INTERRUPT:
    return Job::cancelled_error();
  case SQLITE_NOMEM:
    return failure(ErrorKind::Io, "not enough memory to read the SQLite file", path, place);
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
    return failure(ErrorKind::BadInput, fmt::format("the SQLite file cannot be read: {}", words), path, place,
                   "Check that the file is complete and that you may read it.");
  default:
    return failure(ErrorKind::BadInput, fmt::format("the SQLite file is damaged or incomplete: {}", words),
                   path, place, "Export the report again: nsys export --type sqlite REPORT.nsys-rep");
  }
}

} // namespace

std::string identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

Rows::Rows(sqlite3* database, sqlite3_stmt* statement, const std::string& path, std::string table,
           std::int64_t most_rows)
    : database_(database), statement_(statement, sqlite3_finalize), path_(path), table_(std::move(table)),
      most_rows_(most_rows) {}

Expected<bool> Rows::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_DONE) return false;
  if (code != SQLITE_ROW)
    return problem(database_, code, path_, fmt::format("table {}, row {}", table_, row_ + 1));
  ++row_;
  // A damaged tree can lead to the same page again and again; a row takes at least two bytes of the file.
  if (row_ > most_rows_)
    return failure(ErrorKind::BadInput,
                   "the SQLite file is damaged: a table has more rows than the file can hold", path_,
                   fmt::format("table {}", table_),
                   "Export the report again: nsys export --type sqlite REPORT.nsys-rep");
  return true;
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
bool Rows::is_integer(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}
bool Rows::is_text(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_TEXT;
}
bool Rows::is_number(int column) const {
  return is_integer(column) || sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT;
}
double Rows::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
std::string_view Rows::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto length = sqlite3_column_bytes(statement_.get(), column);
  return bytes && length > 0 ? std::string_view(bytes, static_cast<std::size_t>(length)) : std::string_view();
}

Expected<std::unique_ptr<Database>> Database::open(const std::string& path, const Job& job) {
  std::unique_ptr<Database> database(new Database(path, job));
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  database->bytes_ = ignored ? 0 : static_cast<std::int64_t>(size);
  if (auto done = database->connect(); !done) return forward(done.error());
  if (auto done = database->read_schema(); !done) return forward(done.error());
  return database;
}

Database::~Database() {
  sqlite3_close(database_);
}

Expected<void> Database::connect() {
  const int code = sqlite3_open_v2(immutable_uri(path_).c_str(), &database_,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) return problem(database_, code, path_, {});
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}})
    sqlite3_db_config(database_, option, value, nullptr);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_progress_handler(database_, kInstructionsBetweenChecks, stop_wanted, const_cast<Job*>(&job_));
  const int checked = sqlite3_exec(database_, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
  if (checked != SQLITE_OK) return problem(database_, checked, path_, "schema");
  return {};
}

Expected<void> Database::read_schema() {
  // Views and virtual tables have no root page: they are treated as absent.
  auto tables = prepare("SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0", "sqlite_master");
  if (!tables) return forward(tables.error());
  for (;;) {
    const auto more = tables->next();
    if (!more) return forward(more.error());
    if (!*more) break;
    if (tables->is_text(0)) columns_[std::string(tables->text(0))];
  }
  for (auto& [table, columns] : columns_) {
    auto rows = prepare(fmt::format("PRAGMA table_info({})", identifier(table)), table);
    if (!rows) return forward(rows.error());
    for (;;) {
      const auto more = rows->next();
      if (!more) return forward(more.error());
      if (!*more) break;
      if (rows->is_text(1)) columns.emplace(rows->text(1));
    }
  }
  return {};
}

Expected<Rows> Database::prepare(const std::string& sql, const std::string& table) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return problem(database_, code, path_, fmt::format("table {}", table));
  return Rows(database_, statement, path_, table, std::max<std::int64_t>(bytes_ / 2, 1024));
}

bool Database::has_table(std::string_view table) const {
  return columns_.find(table) != columns_.end();
}

bool Database::has_column(std::string_view table, std::string_view column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() && found->second.contains(column);
}

std::vector<std::string> Database::tables() const {
  std::vector<std::string> names;
  for (const auto& [table, columns] : columns_) names.push_back(table);
  return names;
}

std::vector<std::string> Database::columns(std::string_view table) const {
  const auto found = columns_.find(table);
  if (found == columns_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

bool Database::has_rows(std::string_view table) {
  if (!has_table(table)) return false;
  auto rows = prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", identifier(table)), std::string(table));
  if (!rows) return false;
  const auto more = rows->next();
  return !more || *more; // a damaged table has something: reading it will say what is wrong
}

Expected<Rows> Database::select(const std::string& table, const std::vector<std::string>& columns) {
  std::string list;
  for (const auto& column : columns) {
    if (!list.empty()) list += ", ";
    list += has_column(table, column) ? identifier(column) : std::string("NULL");
  }
  return prepare(fmt::format("SELECT {} FROM {} NOT INDEXED", list, identifier(table)), table);
}

std::int64_t Database::estimated_rows(std::string_view table) {
  if (!has_table(table)) return 0;
  auto rows = prepare(fmt::format("SELECT max(rowid) FROM {}", identifier(table)), std::string(table));
  if (!rows) return 0;
  const auto more = rows->next();
  if (!more || !*more || !rows->is_integer(0)) return 0;
  return std::clamp<std::int64_t>(rows->integer(0), 0, bytes_ / 8);
}

} // namespace jitterscope::import::sqlite
