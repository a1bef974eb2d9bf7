#include "core/analysis/filter/selection.h"

#include <algorithm>
#include <utility>

namespace jitterscope::analysis {

std::vector<std::uint8_t> Selection::select(const Session& session, const LaunchColumns& columns,
                                            const Segment& segment) const {
  if (!may_meet(session, segment)) return std::vector<std::uint8_t>(static_cast<std::size_t>(segment.rows()));
  auto mask = filter.select(columns, segment);
  const Trace& trace = session.traces()[segment.trace];
  if (!streams.empty()) {
    const std::vector<std::uint32_t> none;
    const auto& requested = segment.trace < streams.size() ? streams[segment.trace] : none;
    const auto of = trace.store.column<std::uint32_t>("launches", "stream");
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i] && !std::binary_search(requested.begin(), requested.end(),
                                         of[static_cast<std::size_t>(segment.first) + i]))
        mask[i] = 0;
  }
  if (intervals.empty()) return mask;
  const auto starts = trace.starts();
  std::size_t at = 0; // starts are sorted, so one pass over the intervals suffices
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const Nanoseconds start{starts[static_cast<std::size_t>(segment.first) + i] + trace.shift_ns};
    while (at < intervals.size() && intervals[at].end <= start) ++at;
    if (at == intervals.size() || start < intervals[at].begin) mask[i] = 0;
  }
  return mask;
}

bool Selection::may_meet(const Session& session, const Segment& segment) const {
  if (intervals.empty() || segment.rows() == 0) return true;
  const Trace& trace = session.traces()[segment.trace];
  const auto starts = trace.starts();
  const Nanoseconds first{starts[static_cast<std::size_t>(segment.first)] + trace.shift_ns};
  const Nanoseconds last{starts[static_cast<std::size_t>(segment.last) - 1] + trace.shift_ns};
  return std::any_of(intervals.begin(), intervals.end(), [&](const Interval& interval) {
    return interval.begin <= last && first < interval.end;
  });
}

Expected<Selection> Selection::make(const std::string& where, const LaunchColumns& columns,
                                    std::vector<Interval> intervals,
                                    std::vector<std::vector<std::uint32_t>> streams) {
  auto filter = Filter::parse(where, columns);
  if (!filter) return forward(filter.error());
  Selection selection{std::move(*filter), std::move(intervals), std::move(streams)};
  for (auto& of : selection.streams) std::sort(of.begin(), of.end());
  std::sort(selection.intervals.begin(), selection.intervals.end());
  std::vector<Interval> joined;
  for (const auto& interval : selection.intervals) {
    if (!joined.empty() && interval.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, interval.end);
    else
      joined.push_back(interval);
  }
  selection.intervals = std::move(joined);
  return selection;
}

} // namespace jitterscope::analysis
