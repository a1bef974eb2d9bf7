#include "core/reasons/recent_idle.h"

#include <algorithm>
#include <limits>

namespace jitterscope::analysis {

std::vector<double> recent_idle(const Session& session, const Segment& segment) {
  constexpr std::int64_t kMaxRowsBefore = 1'024;
  const Trace& trace = session.traces()[segment.trace];
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  struct Stream {
    std::int64_t end = std::numeric_limits<std::int64_t>::min(); ///< of the launches so far
    std::int64_t launches = kAfterIdle;                          ///< since the last idle time
  };
  std::vector<Stream> known(trace.store.resources().size());
  const auto first = std::max<std::int64_t>(0, segment.first - kMaxRowsBefore);
  if (first == 0)
    for (Stream& stream : known) stream.end = starts.empty() ? 0 : starts.front();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(segment.rows()));
  for (auto row = first; row < segment.last; ++row) {
    const auto at = static_cast<std::size_t>(row);
    Stream& stream = known[streams[at]];
    const bool any_before = stream.end != std::numeric_limits<std::int64_t>::min();
    stream.launches = any_before && starts[at] - stream.end >= kIdle ? 0 : stream.launches + 1;
    stream.end = std::max(stream.end, starts[at] + std::max<std::int64_t>(durations[at], 0));
    if (row >= segment.first)
      values.push_back(static_cast<double>(std::max<std::int64_t>(kAfterIdle - stream.launches, 0)));
  }
  return values;
}

} // namespace jitterscope::analysis
