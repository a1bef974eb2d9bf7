#include "core/analysis/session/trace_span.h"

#include <algorithm>

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
  return span;
}

} // namespace jitterscope::analysis
