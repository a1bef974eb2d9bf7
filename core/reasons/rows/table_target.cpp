#include "core/reasons/rows/table_target.h"

#include <algorithm>
#include <vector>

#include "core/causal/groups/column_roles.h"

namespace jitterscope::analysis {
namespace {

/// Default target of a table, the same as if it were read without a session.
std::string target_of_table(const LaunchColumns& columns) {
  std::vector<std::string> numbers, varying;
  for (const auto& column : columns.list()) {
    if (!column.recorded || column.kind != ColumnKind::Number) continue;
    numbers.emplace_back(header_of(column.name));
    if (!column.constant) varying.push_back(numbers.back());
  }
  const auto header = causal::guess_target(numbers, varying);
  for (const auto& column : columns.list())
    if (column.recorded && header_of(column.name) == header) return column.name;
  return header;
}

} // namespace

std::string_view header_of(std::string_view column) {
  constexpr std::string_view kReserved = "recorded_";
  return column.starts_with(kReserved) ? column.substr(kReserved.size()) : column;
}

bool rows_are(const Session& session, store::AnalysisRows kind) {
  return std::all_of(session.traces().begin(), session.traces().end(),
                     [&](const Trace& trace) { return store::analysis_rows(trace.store) == kind; });
}

std::string default_target(const Session& session, const LaunchColumns& columns) {
  const bool of_tables = session.launch_order() && of_plain_tables(session);
  if (!session.has_durations() && (of_tables || of_no_launches(session))) return target_of_table(columns);
  if (of_no_launches(session)) return "duration";
  return default_column(columns, {"kernel_variability", "duration"});
}

} // namespace jitterscope::analysis
