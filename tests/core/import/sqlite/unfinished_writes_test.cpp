// Databases with a write-ahead log or a journal left by the program that wrote them.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>

#include <fmt/core.h>
#include <sqlite3.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/small_trace.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {
namespace {

namespace fs = std::filesystem;

// A kernel of 100 ns that begins at `start`.
std::string kernel_at(int start) {
  return fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                     "({},{},0,1,7,9,281476268556288,0,1,1,32,8,1,1,128,1,1,0,0,NULL);",
                     start, start + 100);
}

class UnfinishedWrites : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directory(folder_.path("temporary"));
    if (const char* set = std::getenv("TMPDIR")) tmpdir_ = set;
    ::setenv("TMPDIR", folder_.path("temporary").c_str(), 1);
  }
  void TearDown() override {
    if (tmpdir_)
      ::setenv("TMPDIR", tmpdir_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }

  // The files that a killed program leaves: the database and its log or journal, copied while the connection
  // is still open.
  std::string left_behind(const std::string& sql) {
    const auto written = folder_.path("written.sqlite");
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open(written.c_str(), &opened), SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection(opened, sqlite3_close);
    EXPECT_EQ(sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(opened);
    const auto kept = folder_.path("kept");
    fs::create_directory(kept);
    for (const auto* suffix : {"", "-wal", "-journal"})
      if (fs::exists(written + suffix)) fs::copy_file(written + suffix, kept + "/run.sqlite" + suffix);
    return kept + "/run.sqlite";
  }

  std::string with_log() {
    return left_behind("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;" + kSmallTrace +
                       "PRAGMA wal_checkpoint;" + kernel_at(8000) + kernel_at(9000));
  }

  SpillVector<std::int64_t> starts(const store::TraceData& data) { return launch_starts(data); }

  // No file remains next to the database or in the folder for temporary files.
  void expect_nothing_left(const std::string& path, std::size_t files) {
    EXPECT_EQ(
        static_cast<std::size_t>(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {})),
        files);
    EXPECT_TRUE(fs::is_empty(folder_.path("temporary")));
  }

  TemporaryFolder folder_;
  std::optional<std::string> tmpdir_;
};

TEST_F(UnfinishedWrites, TheLogIsReadAndReported) {
  const auto path = with_log();
  const auto bytes = read_bytes(path), log = read_bytes(path + "-wal");
  const auto data = import_good({path});
  EXPECT_EQ(starts(data), (Integers{1000, 3000, 6000, 8000, 9000}));
  EXPECT_EQ(reported(data, "wal-read"), 1);
  EXPECT_EQ(reported(data, "wal-ignored") + reported(data, "still-written"), 0);
  EXPECT_EQ(data.manifest.sources.at(0).path, path);
  EXPECT_TRUE(read_bytes(path) == bytes);
  EXPECT_TRUE(read_bytes(path + "-wal") == log);
  expect_nothing_left(path, 2);
}

TEST_F(UnfinishedWrites, AFolderReadsTheLogAsPartOfItsDatabase) {
  const auto path = with_log();
  write_bytes(path + "-shm", std::string(32'768, '\0'));
  const auto data = import_good({fs::path(path).parent_path().string()});
  EXPECT_EQ(starts(data).size(), 5u);
  EXPECT_EQ(reported(data, "left-out"), 0);
}

TEST_F(UnfinishedWrites, OfALogThatIsCutOffTheWholeTransactionsAreRead) {
  const auto path = with_log();
  const auto log = read_bytes(path + "-wal");
  write_bytes(path + "-wal", log.substr(0, 32 + 24 + 4096 + 100)); // one page, and the start of a second
  const auto data = import_good({path});
  EXPECT_EQ(starts(data), (Integers{1000, 3000, 6000, 8000}));
  EXPECT_EQ(reported(data, "wal-read"), 1);
}

TEST_F(UnfinishedWrites, ADamagedLogIsReportedAndTheFileReadWithoutIt) {
  const auto path = with_log();
  auto log = read_bytes(path + "-wal");
  log[40] = static_cast<char>(log[40] ^ 0x55); // the first frame's salt
  write_bytes(path + "-wal", log);
  const auto data = import_good({path});
  EXPECT_EQ(starts(data).size(), 3u);
  expect_reported(data, {{"wal-ignored", 1}, {"wal-read", 0}});
  expect_nothing_left(path, 2);
}

TEST_F(UnfinishedWrites, WithoutRoomForACopyTheFileIsReadWithoutIt) {
  const auto path = with_log();
  ::setenv("TMPDIR", folder_.path("nowhere").c_str(), 1);
  const auto data = import_good({path});
  EXPECT_EQ(starts(data).size(), 3u);
  EXPECT_EQ(reported(data, "wal-ignored"), 1);
}

TEST_F(UnfinishedWrites, AChangeThatWasNotFinishedIsRolledBack) {
  // With a cache of one page the change reaches the file before it is committed.
  const auto path = left_behind(
      kSmallTrace + "PRAGMA cache_size=1; BEGIN; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start=start+1;"
                    "CREATE TABLE filler (x); INSERT INTO filler WITH RECURSIVE n(i) AS "
                    "(SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000) SELECT randomblob(200) FROM n;");
  ASSERT_TRUE(fs::exists(path + "-journal"));
  const auto data = import_good({path});
  EXPECT_EQ(starts(data), (Integers{1000, 3000, 6000}));
  EXPECT_EQ(reported(data, "journal-undone"), 1);
  expect_nothing_left(path, 2);
  // Without the journal, the start times are those of the unfinished change.
  fs::remove(path + "-journal");
  EXPECT_EQ(starts(import_good({path})), (Integers{1001, 3001, 6001}));
}

TEST_F(UnfinishedWrites, AJournalOfAFinishedChangeMeansNothing) {
  const auto path = left_behind("PRAGMA journal_mode=PERSIST;" + kSmallTrace);
  ASSERT_TRUE(fs::exists(path + "-journal"));
  const auto data = import_good({path});
  EXPECT_EQ(starts(data).size(), 3u);
  for (const auto* code : {"journal-undone", "wal-ignored", "wal-read"})
    EXPECT_EQ(reported(data, code), 0) << code;
}

TEST_F(UnfinishedWrites, AnyDamageOfLogOrJournalGivesATraceOrAnError) {
  const auto path = with_log();
  const auto whole = read_bytes(path + "-wal");
  std::mt19937 random(11);
  for (int turn = 0; turn < 60; ++turn) {
    auto log = whole;
    for (int change = 0; change < 1 + turn % 5; ++change)
      log[random() % log.size()] = static_cast<char>(random());
    if (turn % 7 == 0) log.resize(random() % log.size());
    fs::remove(path + "-wal");
    fs::remove(path + "-journal");
    write_bytes(path + (turn % 2 ? "-wal" : "-journal"),
                turn % 2 ? log : "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + log);
    expect_trace_or_error(path);
    fs::remove(path + ".jts");
  }
  EXPECT_TRUE(fs::is_empty(folder_.path("temporary")));
}

} // namespace
} // namespace jitterscope::import
