#include "core/import/formats/rocm/database/sqlite_session.h"

#include <limits>

#include <fmt/core.h>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::rocm {

std::optional<Times> SqliteSession::times(const sqlite::Rows& rows, int start_column, int end_column,
                                          const std::string& table) {
  return checked_times(issues, integer(rows, start_column), integer(rows, end_column),
                       [&] { return place_of(rows, table); });
}

std::uint32_t SqliteSession::intern(std::string_view text) {
  return draft.strings.intern(clean_text(text)).value;
}

Expected<void> SqliteSession::finish(const std::string& what, const std::string& record_again) {
  if (auto done = link_calls(draft, from, issues, progress.job); !done) return done;
  const auto now = draft.sizes();
  if (now.launches == from.launches && now.transfers == from.transfers)
    return failure(ErrorKind::BadInput,
                   fmt::format("neither kernels nor copies were recorded in this file, {}", what), {}, {},
                   record_again);
  if (now.launches == from.launches)
    issues.count(store::Severity::Doubt, "no-kernels",
                 [&] { return fmt::format("{} contains copies but no kernels", what); });
  if (auto done = sqlite::report_unread(db, unread_tables(), issues); !done) return done;
  issues.move_to(draft.report);
  return {};
}

std::string text_or_empty(const sqlite::Rows& rows, int column) {
  return rows.is_text(column) ? clean_text(rows.text(column)) : std::string();
}

double number_or_nan(const sqlite::Rows& rows, int column) {
  if (rows.is_number(column)) return rows.number(column);
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  return rows.is_text(column) ? parse_number(rows.text(column)).value_or(kNothing) : kNothing;
}

std::string column_of(const sqlite::Database& db, const std::string& table,
                      std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (db.has_column(table, name)) return name;
  return *names.begin();
}

} // namespace jitterscope::import::rocm
