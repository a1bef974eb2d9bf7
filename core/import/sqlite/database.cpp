#include "core/import/sqlite/database.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/core.h>
#include <sqlite3.h>

#include "core/import/text/text.h"

namespace jitterscope::import::sqlite {
namespace {

constexpr int kInstructionsBetweenChecks = 20'000; // SQLite's instructions; well under a millisecond
// Maximum number of SQLite's instructions between two rows of a view: some seconds, and more for each byte of
// the file, which it may sort.
constexpr std::int64_t kInstructions = 50'000'000, kInstructionsOfByte = 64;
constexpr std::int64_t kRowsBetweenPolls = 4'096; // between checks for cancellation in a scan
// Rows of a scan that are compared with those of SQLite: the first ones, and one in this number of the
// others.
constexpr std::int64_t kRowsChecked = 32, kRowsBetweenChecks = 16'384;

constexpr auto kExportAgain =
    "Copy the file again, or export it again (Nsight Systems: nsys export --type sqlite REPORT.nsys-rep).";

// A path as a URI, with special characters escaped. "immutable" promises that nobody changes
// the file, so SQLite takes no locks and creates no -wal or -shm file next to it.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      uri += c;
  return uri + "?mode=ro&immutable=1";
}

tl::unexpected<Error> problem(sqlite3* database, int code, const std::string& path, const std::string& place,
                              bool cancelled = true) {
  const std::string words = clean_text(database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  switch (code & 0xFF) {
  case SQLITE_INTERRUPT:
    if (!cancelled)
      return failure(ErrorKind::BadInput, "reading a view of the SQLite file takes too long", path, place,
                     "Store its result in a table: CREATE TABLE … AS SELECT * FROM …");
    return Job::cancelled_error();
  case SQLITE_NOMEM:
    return failure(ErrorKind::Io, "not enough memory to read the SQLite file", path, place);
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
    return failure(ErrorKind::BadInput, fmt::format("the SQLite file cannot be read: {}", words), path, place,
                   "Check that the file is complete and readable.");
  default:
    return failure(ErrorKind::BadInput, fmt::format("the SQLite file is damaged or incomplete: {}", words),
                   path, place, kExportAgain);
  }
}

std::vector<std::string>
tables_of(const std::map<std::string, std::set<std::string, std::less<>>, std::less<>>& columns) {
  std::vector<std::string> tables;
  for (const auto& [table, unused] : columns) tables.push_back(table);
  return tables;
}

} // namespace

std::string identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

Rows::Rows(sqlite3* database, sqlite3_stmt* statement, const std::string& path, std::string table,
           std::int64_t max_rows)
    : database_(database), statement_(statement, sqlite3_finalize), path_(path), table_(std::move(table)),
      max_rows_(max_rows), values_(static_cast<std::size_t>(sqlite3_column_count(statement))) {}

// `found`: the scan's next step, if it was already taken.
Expected<bool> Rows::careful_next(std::optional<LeafScan::Step> found) {
  plain_rows_ = 0;
  const auto more = scan_ ? scan(found) : step();
  if (!more || !*more) return more;
  ++row_;
  // A damaged tree may be cyclic; a row takes at least two bytes of the file.
  if (row_ > max_rows_)
    return failure(ErrorKind::BadInput,
                   "the SQLite file is damaged: a table has more rows than the file can contain", path_,
                   fmt::format("table {}", table_), kExportAgain);
  if (scan_) count_plain_rows();
  return true;
}

// Sets the number of rows that may come from the scan before the next check: of cancellation, of a row
// through SQLite, or of the number of rows.
void Rows::count_plain_rows() {
  if (row_ < kRowsChecked) return;
  const auto to_poll = (kRowsBetweenPolls - row_ % kRowsBetweenPolls) % kRowsBetweenPolls;
  plain_rows_ = std::clamp<std::int64_t>(max_rows_ - row_, 0, to_poll);
}

// Reads one row from the statement.
Expected<bool> Rows::step() {
  from_scan_ = false;
  if (polls_) *polls_ = 0;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_DONE) return false;
  if (code != SQLITE_ROW)
    return problem(database_, code, path_, fmt::format("table {}, row {}", table_, row_ + 1),
                   !job_ || job_->cancelled());
  // Only once per column and row: every sqlite3_column function checks the statement again.
  for (std::size_t column = 0; column < values_.size(); ++column)
    values_[column] = sqlite3_column_value(statement_.get(), static_cast<int>(column));
  return true;
}

// Reads one row from the scan; rows that are not plain are left to SQLite.
Expected<bool> Rows::scan(std::optional<LeafScan::Step> taken) {
  static_assert(kRowsBetweenChecks % kRowsBetweenPolls == 0);
  if (row_ % kRowsBetweenPolls == 0 && job_->cancelled()) return Job::cancelled_error();
  const auto found = taken ? *taken : scan_->next();
  if (found == LeafScan::Step::End) return false;
  from_scan_ = true;
  const bool checked = row_ < kRowsChecked || row_ % kRowsBetweenChecks == 0;
  if (found == LeafScan::Step::Row && !checked) return true;
  if (found != LeafScan::Step::Unsure) {
    if (auto single = single_row(); !single || !*single) {
      if (!single) return single;
    } else if (found == LeafScan::Step::Far) {
      return true; // the row comes from the statement
    } else if (matches_statement()) {
      from_scan_ = true;
      return true;
    }
  }
  if (auto done = go_on_with_statement(); !done) return forward(done.error());
  return step();
}

// Reads the row of the scan through SQLite.
Expected<bool> Rows::single_row() {
  if (!statement_)
    if (auto done = prepare(" WHERE rowid = ?1"); !done) return forward(done.error());
  sqlite3_reset(statement_.get());
  sqlite3_bind_int64(statement_.get(), 1, scan_->row_id());
  return step();
}

bool Rows::matches_statement() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto ours = scan_->cell(static_cast<int>(i));
    auto* theirs = values_[i];
    switch (sqlite3_value_type(theirs)) {
    case SQLITE_NULL:
      if (ours.kind != Cell::Kind::Null) return false;
      break;
    case SQLITE_INTEGER:
      if (ours.kind != Cell::Kind::Integer || ours.integer != sqlite3_value_int64(theirs)) return false;
      break;
    case SQLITE_FLOAT:
      if (ours.kind != Cell::Kind::Real ||
          std::bit_cast<double>(ours.integer) != sqlite3_value_double(theirs))
        return false;
      break;
    case SQLITE_TEXT:
      if (ours.kind != Cell::Kind::Text ||
          ours.bytes != std::string_view(reinterpret_cast<const char*>(sqlite3_value_text(theirs)),
                                         static_cast<std::size_t>(sqlite3_value_bytes(theirs))))
        return false;
      break;
    default:
      if (ours.kind != Cell::Kind::Blob) return false;
    }
  }
  return true;
}

Expected<void> Rows::go_on_with_statement() {
  scan_.reset();
  statement_.reset();
  if (auto done = prepare(" NOT INDEXED"); !done) return done;
  for (std::int64_t row = 0; row < row_; ++row) // skips the rows that were already returned
    if (const auto more = step(); !more || !*more) return more ? Expected<void>() : forward(more.error());
  return {};
}

Expected<void> Rows::prepare(const std::string& condition) {
  const auto sql = select_ + condition;
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return problem(database_, code, path_, fmt::format("table {}", table_));
  statement_.reset(statement);
  return {};
}

Cell::Kind Rows::kind_of_statement(int column) const {
  switch (sqlite3_value_type(value(column))) {
  case SQLITE_INTEGER:
    return Cell::Kind::Integer;
  case SQLITE_FLOAT:
    return Cell::Kind::Real;
  case SQLITE_TEXT:
    return Cell::Kind::Text;
  case SQLITE_NULL:
    return Cell::Kind::Null;
  default:
    return Cell::Kind::Blob;
  }
}
std::int64_t Rows::integer_of_statement(int column) const {
  return sqlite3_value_int64(value(column));
}
std::optional<std::int64_t> Rows::whole_number(int column) const {
  constexpr double kExact = 9'007'199'254'740'992.0; // 2^53
  if (kind(column) == Cell::Kind::Real) {
    const auto real =
        from_scan_ ? std::bit_cast<double>(scan_->integer(column)) : sqlite3_value_double(value(column));
    const bool whole = real >= -kExact && real <= kExact && real == std::floor(real);
    return whole ? std::optional(static_cast<std::int64_t>(real)) : std::nullopt;
  }
  const auto digits = text(column);
  std::int64_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = result.ec == std::errc() && result.ptr == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}
double Rows::number(int column) const {
  if (kind(column) == Cell::Kind::Text) return static_cast<double>(whole_number(column).value_or(0));
  if (!from_scan_) return sqlite3_value_double(value(column));
  const auto bits = scan_->integer(column);
  return kind(column) == Cell::Kind::Integer ? static_cast<double>(bits) : std::bit_cast<double>(bits);
}
std::string_view Rows::text(int column) const {
  if (from_scan_) return scan_->bytes(column);
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value(column)));
  const auto length = sqlite3_value_bytes(value(column));
  return bytes && length > 0 ? std::string_view(bytes, static_cast<std::size_t>(length)) : std::string_view();
}
std::string_view Rows::blob(int column) const {
  if (from_scan_) return scan_->bytes(column);
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value(column)));
  const auto length = sqlite3_value_bytes(value(column));
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
  sqlite3_progress_handler(database_, kInstructionsBetweenChecks, &Database::stop_requested, &watch_);
  const int checked = sqlite3_exec(database_, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
  if (checked != SQLITE_OK) return problem(database_, checked, path_, "schema");
  return {};
}

Expected<void> Database::read_schema() {
  // Virtual tables have no root page: they are treated as absent.
  auto tables =
      prepare("SELECT name, rootpage FROM sqlite_master WHERE type='table' AND rootpage>0", "sqlite_master");
  if (!tables) return forward(tables.error());
  auto listed = tables->for_each([&] {
    if (!tables->is_text(0)) return;
    columns_[std::string(tables->text(0))];
    if (tables->is_integer(1))
      roots_[std::string(tables->text(0))] =
          static_cast<std::uint32_t>(std::clamp<std::int64_t>(tables->integer(1), 0, 0xFFFFFFFF));
  });
  if (!listed) return listed;
  for (const auto& table : tables_of(columns_))
    if (auto done = read_columns(table); !done) return done;
  return read_views();
}

Expected<void> Database::read_columns(const std::string& table) {
  auto rows = prepare(fmt::format("PRAGMA table_info({})", identifier(table)), table);
  if (!rows) return forward(rows.error());
  return rows->for_each([&] {
    if (rows->is_text(1)) columns_[table].emplace(rows->text(1));
  });
}

// Views that cannot be prepared are treated as absent.
Expected<void> Database::read_views() {
  for (const auto& [table, columns] : columns_)
    if (table.starts_with("rocpd_") || table.starts_with("compute_")) return {};
  std::vector<std::string> views;
  auto rows = prepare("SELECT name FROM sqlite_master WHERE type='view'", "sqlite_master");
  if (!rows) return forward(rows.error());
  auto listed = rows->for_each([&] {
    if (rows->is_text(0) && !has_table(rows->text(0))) views.emplace_back(rows->text(0));
  });
  if (!listed) return listed;
  if (views.empty()) return {};
  sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
  watch_.max_polls = (kInstructions + kInstructionsOfByte * bytes_) / kInstructionsBetweenChecks;
  for (const auto& view : views)
    if (!read_columns(view) || !prepare(fmt::format("SELECT * FROM {}", identifier(view)), view))
      columns_.erase(view);
  return {};
}

int Database::stop_requested(void* watch) {
  auto& state = *static_cast<Watch*>(watch);
  return state.job->cancelled() || (state.max_polls > 0 && ++state.polls > state.max_polls) ? 1 : 0;
}

Expected<Rows> Database::prepare(const std::string& sql, const std::string& table) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return problem(database_, code, path_, fmt::format("table {}", table));
  Rows rows(database_, statement, path_, table, std::max<std::int64_t>(bytes_ / 2, 1024));
  rows.job_ = &job_;
  rows.polls_ = &watch_.polls;
  return rows;
}

bool Database::has_table(std::string_view table) const {
  return columns_.find(table) != columns_.end();
}

bool Database::has_column(std::string_view table, std::string_view column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() && found->second.contains(column);
}

std::vector<std::string> Database::tables() const {
  return tables_of(columns_);
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
  return !more || *more; // a damaged table has rows: reading it will report the damage
}

Expected<Rows> Database::select(const std::string& table, const std::vector<std::string>& columns) {
  std::string list;
  for (const auto& column : columns) {
    if (!list.empty()) list += ", ";
    list += has_column(table, column) ? identifier(column) : std::string("NULL");
  }
  const auto select = fmt::format("SELECT {} FROM {}", list, identifier(table));
  auto rows = prepare(select + (roots_.contains(table) ? " NOT INDEXED" : ""), table);
  if (!rows) return rows;
  rows->select_ = select;
  rows->scan_ = plain_scan(table, columns);
  if (rows->scan_) rows->statement_.reset();
  return rows;
}

// Null for a table whose records are not simply its columns in order.
std::unique_ptr<LeafScan> Database::plain_scan(const std::string& table,
                                               const std::vector<std::string>& columns) {
  const auto root = roots_.find(table);
  if (root == roots_.end() || statements_only_) return nullptr;
  auto described = prepare(fmt::format("PRAGMA table_xinfo({})", identifier(table)), table);
  if (!described) return nullptr;
  std::map<std::string, int, std::less<>> places;
  for (int place = 0;; ++place) {
    const auto more = described->next();
    if (!more) return nullptr;
    if (!*more) break;
    // cid, name, type, notnull, default, pk, hidden: generated columns are not stored, an integer key is
    // the row number itself, and numbers of REAL columns may be stored as integers.
    const bool plain = described->is_text(1) && described->is_text(2) && described->is_integer(5) &&
                       described->integer(5) == 0 && described->is_integer(6) && described->integer(6) == 0;
    auto type = plain ? std::string(described->text(2)) : std::string();
    for (auto& letter : type) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const auto mentions = [&](const char* word) { return type.find(word) != std::string::npos; };
    const bool integers = mentions("INT");
    const bool real = !integers && (mentions("REAL") || mentions("FLOA") || mentions("DOUB"));
    if (!described->is_integer(6) || described->integer(6) != 0) return nullptr;
    if (plain && !real && described->is_text(1)) places[std::string(described->text(1))] = place;
  }
  std::vector<int> requested;
  for (const auto& column : columns) {
    const auto place = places.find(column);
    if (place == places.end() && has_column(table, column)) return nullptr;
    requested.push_back(place == places.end() ? -1 : place->second);
  }
  std::set<int> distinct;
  for (const auto place : requested)
    if (place >= 0 && !distinct.insert(place).second)
      return nullptr; // the same column twice: rare, left to SQLite
  auto file = PageFile::open(path_);
  return file ? std::make_unique<LeafScan>(std::move(file), root->second, std::move(requested), threads_)
              : nullptr;
}

Expected<std::int64_t> Database::count_rows(const std::string& table) {
  if (roots_.find(table) == roots_.end()) return 0;
  // The condition makes SQLite iterate over rows, so that it can be interrupted.
  auto rows = prepare(fmt::format("SELECT count(*) FROM {} WHERE +1", identifier(table)), table);
  if (!rows) return forward(rows.error());
  const auto more = rows->next();
  if (!more) return forward(more.error());
  return *more && rows->is_integer(0) ? rows->integer(0) : 0;
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
