// Tables read from their pages equal those read by SQLite, row by row, for plain, unusual and damaged
// files.

#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/import/sqlite/database.h"
#include "tests/support/real_data.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::import::sqlite {
namespace {

// Every value of a table as text, or the error that ended reading.
std::string content(const std::string& path, const std::string& table, bool statements_only,
                    int threads = 3) {
  const Job job;
  auto database = Database::open(path, job);
  if (!database) return "open: " + database.error().message;
  if (statements_only) (*database)->use_statements_only();
  (*database)->use_threads(threads);
  const auto columns = (*database)->columns(table);
  auto rows = (*database)->select(table, columns);
  if (!rows) return "select: " + rows.error().message;
  std::string out;
  for (;;) {
    const auto more = rows->next();
    if (!more) return out + "error: " + more.error().message + " " + more.error().place;
    if (!*more) return out;
    for (int c = 0; c < static_cast<int>(columns.size()); ++c) {
      out += columns[static_cast<std::size_t>(c)] + '=';
      if (rows->is_integer(c))
        out += std::to_string(rows->integer(c));
      else if (rows->is_number(c))
        out += std::to_string(rows->number(c));
      else if (rows->is_text(c))
        out += '"' + std::string(rows->text(c)) + '"';
      else
        out += rows->is_null(c) ? "null" : "blob";
      out += ' ';
    }
    out += '\n';
  }
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << (message ? message : "");
  sqlite3_free(message);
  sqlite3_close(database);
}

std::string many_rows(const std::string& into, int rows, const std::string& values) {
  return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(rows) +
         ") INSERT INTO " + into + " SELECT " + values + " FROM n;";
}

void expect_same(const std::string& path, const std::string& table) {
  const auto by_scan = content(path, table, false), by_statement = content(path, table, true);
  EXPECT_EQ(by_scan == by_statement, true) << path << " " << table << "\n"
                                           << by_scan.substr(0, 600) << "\n--- instead of ---\n"
                                           << by_statement.substr(0, 600);
  EXPECT_FALSE(by_statement.empty());
}

TEST(LeafScan, GivesWhatSqliteGivesForEveryKindOfValue) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.sqlite");
  execute(
      path,
      "CREATE TABLE t(a INTEGER, b TEXT, c REAL, d BLOB, e, f INTEGER NOT NULL);" +
          many_rows(
              "t", 70'000,
              "CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN -i WHEN 4 THEN i * 300 "
              "WHEN 5 THEN i * 70000 WHEN 6 THEN i * 40000000 WHEN 7 THEN i * 900000000000 ELSE "
              "-9223372036854775807 END, 'text ' || i, i, x'0102', CASE i % 3 WHEN 0 THEN 'x' WHEN 1 "
              "THEN i / 3.0 ELSE i END, i"));
  expect_same(path, "t");
}

TEST(LeafScan, LongTextsOnOverflowPagesAreThere) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.sqlite");
  execute(path, "PRAGMA page_size=512; CREATE TABLE t(a INTEGER, long TEXT, b INTEGER);" +
                    many_rows("t", 300, "i, replace(hex(zeroblob(i * 20)), '00', 'ab'), -i"));
  expect_same(path, "t");
}

TEST(LeafScan, OddTablesAreLeftToSqlite) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.sqlite");
  execute(path, "CREATE TABLE keyed(id INTEGER PRIMARY KEY, v INTEGER);" +
                    many_rows("keyed", 500, "i * 2, i") +
                    "CREATE TABLE without(a INTEGER, b INTEGER, PRIMARY KEY(b, a)) WITHOUT ROWID;" +
                    many_rows("without", 500, "i, 500 - i") +
                    "CREATE TABLE computed(a INTEGER, b INTEGER AS (a * 2), c INTEGER);" +
                    "INSERT INTO computed(a, c) VALUES(1, 2), (3, 4);" + "CREATE TABLE grown(a INTEGER);" +
                    many_rows("grown", 200, "i") +
                    "ALTER TABLE grown ADD COLUMN late INTEGER DEFAULT 42; INSERT INTO grown VALUES(7, 8);" +
                    "CREATE TABLE gaps(a INTEGER);" + many_rows("gaps", 5'000, "i") +
                    "DELETE FROM gaps WHERE a % 7 <> 0; CREATE TABLE empty(a INTEGER);");
  for (const char* table : {"keyed", "without", "computed", "grown", "gaps"}) expect_same(path, table);
  EXPECT_EQ(content(path, "empty", false), "");
}

TEST(LeafScan, AnotherTextEncodingIsLeftToSqlite) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.sqlite");
  execute(path, "PRAGMA encoding='UTF-16'; CREATE TABLE t(a TEXT);" + many_rows("t", 100, "'ä' || i"));
  expect_same(path, "t");
}

// A flipped byte may change values or damage the tree. The scan must then give the same values as SQLite, or
// an error where SQLite gives one, and never crash.
TEST(LeafScan, SurvivesDamage) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("a.sqlite");
  execute(path, "PRAGMA page_size=1024; CREATE TABLE t(a INTEGER, b TEXT);" +
                    many_rows("t", 4'000, "i * i, 'row ' || i"));
  std::ifstream in(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  std::mt19937 random(7);
  for (int attempt = 0; attempt < 400; ++attempt) {
    auto damaged = good;
    for (int flips = 0; flips < 1 + attempt % 8; ++flips)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (attempt % 5 == 0) damaged.resize(random() % damaged.size());
    const auto broken = folder.file("b.sqlite");
    std::ofstream(broken, std::ios::binary) << damaged;
    const auto by_scan = content(broken, "t", false);
    const auto by_statement = content(broken, "t", true);
    const bool failed = by_statement.find("error: ") != std::string::npos;
    EXPECT_EQ(by_scan.find("error: ") != std::string::npos, failed) << attempt;
    EXPECT_TRUE(failed || by_scan == by_statement) << attempt;
  }
}

TEST(LeafScan, GivesWhatSqliteGivesOnRealFiles) {
  REQUIRE_REAL_DATA(folder, "nsys");
  const Job job;
  for (const char* name :
       {"h100-2gpu/h100_2gpu_1s.sqlite", "gtls-cupy/report1.sqlite",
        "gpu-metrics/vector_add_profile_v3.schema372.sqlite", "rtx3090-20runs/report12.sqlite",
        "perlmutter/saxpy-mpi-cuda_nsys_perlmutter0.sqlite", "oldest-schema/report1.a.sqlite"}) {
    const auto path = folder + "/" + name;
    const auto database = Database::open(path, job);
    ASSERT_TRUE(database) << path;
    for (const auto& table : (*database)->tables()) {
      if (table.starts_with("META_DATA")) continue; // may contain a user's environment variables
      EXPECT_EQ(content(path, table, false) == content(path, table, true), true) << path << " " << table;
    }
  }
}

} // namespace
} // namespace jitterscope::import::sqlite
