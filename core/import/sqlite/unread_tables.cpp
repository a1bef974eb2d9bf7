#include "core/import/sqlite/unread_tables.h"

#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

#include "core/import/text/text.h"

namespace jitterscope::import::sqlite {
namespace {

using store::Severity;

constexpr std::size_t kMaxNamed = 12; // a file can have any number of tables

struct Counted {
  const UnreadTable* table;
  std::int64_t rows;
};

std::string list_of(const std::vector<Counted>& counted) {
  std::string list;
  for (std::size_t i = 0; i < std::min(counted.size(), kMaxNamed); ++i) {
    const auto& [table, rows] = counted[i];
    list += fmt::format("{}{} of {}", i > 0 ? ", " : "", rows, clean_text(table->name));
    if (!table->words.empty()) list += fmt::format(" ({})", table->words);
  }
  if (counted.size() > kMaxNamed)
    list += fmt::format(" and those of {} other tables", counted.size() - kMaxNamed);
  return list;
}

} // namespace

Expected<void> report_unread(Database& db, const std::vector<UnreadTable>& tables, RowIssues& issues) {
  std::vector<Counted> counted;
  std::int64_t all = 0;
  for (const auto& table : tables) {
    const auto rows = db.count_rows(table.name);
    if (!rows && rows.error().kind != ErrorKind::BadInput) return forward(rows.error());
    if (!rows) // unneeded tables may be damaged
      issues.count(Severity::Info, "not-imported-damaged", [&] {
        return fmt::format("rows of {} are neither imported nor counted: the table is damaged",
                           clean_text(table.name));
      });
    if (!rows || *rows <= 0) continue;
    counted.push_back({&table, *rows});
    all += *rows;
  }
  std::stable_sort(counted.begin(), counted.end(),
                   [](const Counted& a, const Counted& b) { return a.rows > b.rows; });
  if (all > 0)
    issues.count(
        Severity::Info, "not-imported", [&] { return "rows not imported: " + list_of(counted); }, all);
  return {};
}

} // namespace jitterscope::import::sqlite
