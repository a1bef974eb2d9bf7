#include "core/analysis/session/trace_span.h"

#include <algorithm>

#include "core/store/tracks/event_rows.h"

namespace jitterscope::analysis {

std::optional<Interval> span_of(const store::Store& store) {
  std::optional<Interval> span;
  for (const char* name : {"launches", "transfers", "calls", "ranges", "messages"}) {
    const auto& table = store.table(name);
    if (table.rows == 0) continue;
    if (!span) span = table.extent;
    span->begin = std::min(span->begin, table.extent.begin);
    span->end = std::max(span->end, table.extent.end);
  }
  const auto in_limits = [](std::int64_t time) { // any in a damaged store
    return std::clamp(time, -store::kFarthestTime, store::kFarthestTime);
  };
  for (const auto& source : store.manifest().sources)
    if (span && source.end_ns)
      span->end.count =
          std::max(span->end.count, in_limits(in_limits(*source.end_ns) + in_limits(source.shift_ns)));
  return span;
}

} // namespace jitterscope::analysis
