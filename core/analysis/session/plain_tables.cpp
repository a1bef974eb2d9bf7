#include "core/analysis/session/plain_tables.h"

#include <algorithm>
#include <string_view>

namespace jitterscope::analysis {

bool of_plain_tables(const Session& session) {
  return std::all_of(session.traces().begin(), session.traces().end(), [](const Trace& trace) {
    const auto& sources = trace.store.manifest().sources;
    return std::all_of(sources.begin(), sources.end(),
                       [](const auto& source) { return source.format == "table"; });
  });
}

// The importer and the session remove different endings of "data.csv.gz".
bool is_named_after_file(const Session& session, std::uint32_t kernel) {
  const std::string_view name = session.kernels()[kernel].name, file = session.traces().front().name;
  const auto& [shorter, longer] = std::minmax(name, file, [](auto a, auto b) { return a.size() < b.size(); });
  return session.launch_order() && longer.starts_with(shorter) &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '.');
}

bool of_no_launches(const Session& session) {
  return session.kernels().size() == 1 && is_named_after_file(session, 0) &&
         (session.configurations().size() == 1 || !session.has_durations());
}

} // namespace jitterscope::analysis
