#include "core/import/sqlite/unfinished_writes.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

#include "core/import/text/text.h"

namespace jitterscope::import::sqlite {
namespace {

namespace fs = std::filesystem;
using store::Severity;

// First bytes: https://sqlite.org/fileformat2.html, "The Rollback Journal" and "The Write-Ahead Log". A
// journal whose header was cleared belongs to a finished change.
constexpr std::string_view kJournalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
constexpr std::string_view kLogMagic = "\x37\x7f\x06"; // followed by 0x82 or 0x83

struct LogFile {
  std::string_view suffix;
  bool log;   // else a journal
  bool known; // has SQLite's magic bytes
};

std::optional<LogFile> find_log_file(const std::string& path) {
  for (const bool log : {true, false}) {
    const std::string_view suffix = log ? "-wal" : "-journal";
    std::error_code problem;
    const auto size = fs::file_size(path + std::string(suffix), problem);
    if (problem || size == 0) continue;
    auto stream = open_file(path + std::string(suffix));
    if (!stream) return LogFile{suffix, log, false};
    char first[8] = {};
    const auto got = read_fully(**stream, first);
    const std::string_view head(first, got.value_or(0));
    const bool known = head.starts_with(log ? kLogMagic : kJournalMagic);
    if (!log && !known && head.find_first_not_of('\0') == std::string_view::npos) continue; // finished
    return LogFile{suffix, log, known};
  }
  return {};
}

// Shows whether a file was written to.
struct Stamp {
  std::uintmax_t size;
  fs::file_time_type time;
  bool operator==(const Stamp&) const = default;
};

std::pair<Stamp, Stamp> stamps(const std::string& path, const std::string& log_file) {
  std::error_code ignored;
  const auto of = [&](const std::string& file) {
    return Stamp{fs::file_size(file, ignored), fs::last_write_time(file, ignored)};
  };
  return {of(path), of(log_file)};
}

Expected<LocalFile> copied(const std::string& path, const Job& job) {
  auto stream = open_file(path);
  if (!stream) return forward(stream.error());
  return temporary_copy(**stream, path, job);
}

// Files that SQLite creates next to the copy; removed with this object in all cases.
class Companions {
public:
  explicit Companions(std::string path) : path_(std::move(path)) {}
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;
  ~Companions() {
    std::error_code ignored;
    for (const auto* suffix : {"-wal", "-shm", "-journal"}) fs::remove(path_ + suffix, ignored);
  }

private:
  std::string path_;
};

// Lets SQLite process the log or journal of the copy. Number of log pages applied, or an error text where it
// fails.
tl::expected<int, std::string> finished(const std::string& copy) {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(copy.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  const auto words = [&] { return tl::unexpected(clean_text(sqlite3_errmsg(opened))); };
  if (code != SQLITE_OK) return words();
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}})
    sqlite3_db_config(opened, option, value, nullptr);
  // Reading the schema rolls back an unfinished change; FULL keeps the log, so that it can be counted.
  int pages = 0;
  const auto count = [](void* into, int columns, char** texts, char**) {
    if (columns > 1 && texts[1]) *static_cast<int*>(into) = std::max(0, std::atoi(texts[1]));
    return 0;
  };
  if (sqlite3_exec(opened, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) != SQLITE_OK ||
      sqlite3_exec(opened, "PRAGMA wal_checkpoint(FULL)", count, &pages, nullptr) != SQLITE_OK ||
      sqlite3_exec(opened, "PRAGMA journal_mode=DELETE", nullptr, nullptr, nullptr) != SQLITE_OK)
    return words();
  return pages;
}

} // namespace

Expected<LocalFile> with_unfinished_writes(const std::string& path, store::ImportReport& report,
                                           const Job& job) {
  const auto log_file = find_log_file(path);
  if (!log_file) return LocalFile(path);
  const auto name = fs::path(path).filename().string() + std::string(log_file->suffix);
  const auto ignored = [&](const std::string& why) {
    report.add(
        Severity::Doubt, "wal-ignored",
        fmt::format("{} is next to the file, but its content was not read: {}. Close the program "
                    "that writes it (or run sqlite3 FILE 'pragma wal_checkpoint(truncate)') and import "
                    "again",
                    name, why),
        1);
    return LocalFile(path);
  };
  if (!log_file->known) return ignored("it does not begin with the header that SQLite writes");

  const auto log_path = path + std::string(log_file->suffix);
  const auto before = stamps(path, log_path);
  auto copy = copied(path, job);
  auto log = copy ? copied(log_path, job) : tl::unexpected(copy.error());
  if (!log) {
    if (log.error().kind == ErrorKind::Cancelled) return forward(log.error());
    return ignored(log.error().message);
  }
  const bool changed = stamps(path, log_path) != before;
  const Companions companions(copy->path());
  std::error_code problem;
  fs::rename(log->path(), copy->path() + std::string(log_file->suffix), problem);
  if (problem) return ignored(problem.message());
  const auto pages = finished(copy->path());
  if (!pages) return ignored(pages.error());

  if (log_file->log && *pages == 0) return ignored("none of its pages is complete");
  if (log_file->log)
    report.add(
        Severity::Repair, "wal-read",
        fmt::format("{} contained {} page{} that {} not yet written into the file: these are read, too", name,
                    *pages, *pages == 1 ? "" : "s", *pages == 1 ? "was" : "were"),
        1);
  else
    report.add(Severity::Repair, "journal-undone",
               fmt::format("{} is next to the file: an unfinished change was rolled back", name), 1);
  if (changed)
    report.add(Severity::Doubt, "still-written",
               fmt::format("the file or {} changed while it was read; import again when the program that "
                           "writes it has ended",
                           name),
               1);
  return std::move(*copy);
}

} // namespace jitterscope::import::sqlite
