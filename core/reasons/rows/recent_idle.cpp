#include "core/reasons/rows/recent_idle.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::analysis {

std::vector<double> recent_idle(const Session& session, const Segment& segment,
                                const std::function<std::vector<double>(const Segment&)>& gaps_of) {
  constexpr std::int64_t kMaxRowsBefore = 1'024;
  const Trace& trace = session.traces()[segment.trace];
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  const Segment known_rows{segment.trace, std::max<std::int64_t>(0, segment.first - kMaxRowsBefore),
                           segment.last};
  const auto gaps = gaps_of(known_rows);
  const auto starts = trace.starts();
  struct Stream {
    std::int64_t idle = -1 - kMaxRowsBefore; ///< row of the latest launch after an idle time
    std::int64_t launches = 0;               ///< launches since then
  };
  std::vector<Stream> known(trace.store.resources().size());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(segment.rows()));
  for (auto row = known_rows.first; row < known_rows.last; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const double recorded = gaps[static_cast<std::size_t>(row - known_rows.first)];
    const double gap = std::isnan(recorded) ? static_cast<double>(starts[at] - starts.front()) : recorded;
    Stream& stream = known[streams[at]];
    stream = gap >= kIdle ? Stream{row, 0} : Stream{stream.idle, stream.launches + 1};
    if (row < segment.first) continue;
    const bool recent = row - stream.idle <= kMaxRowsBefore && stream.launches < kAfterIdle;
    values.push_back(recent ? static_cast<double>(kAfterIdle - stream.launches) : 0.0);
  }
  return values;
}

} // namespace jitterscope::analysis
