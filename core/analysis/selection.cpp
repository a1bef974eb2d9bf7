#include "core/analysis/selection.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace jitterscope::analysis {

std::vector<std::uint8_t> Selection::select(const Session& session, const LaunchColumns& columns,
                                            const Segment& segment) const {
  auto mask = filter.select(columns, segment);
  if (intervals.empty()) return mask;
  const Trace& trace = session.traces()[segment.trace];
  const auto starts = trace.starts();
  std::size_t at = 0; // starts are sorted, so one walk over the intervals is enough
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const Nanoseconds start{starts[static_cast<std::size_t>(segment.first) + i] + trace.shift_ns};
    while (at < intervals.size() && intervals[at].end <= start) ++at;
    if (at == intervals.size() || start < intervals[at].begin) mask[i] = 0;
  }
  return mask;
}

Expected<Selection> Selection::from_json(const nlohmann::json& options, const LaunchColumns& columns) {
  Selection selection;
  try {
    auto filter = Filter::parse(options.value("where", std::string()), columns);
    if (!filter) return forward(filter.error());
    selection.filter = std::move(*filter);
    if (options.contains("intervals"))
      for (const auto& item : options.at("intervals"))
        selection.intervals.push_back({{item.at(0).get<std::int64_t>()}, {item.at(1).get<std::int64_t>()}});
  } catch (const nlohmann::json::exception& problem) {
    return failure(ErrorKind::BadUse, std::string("the selection is not valid: ") + problem.what());
  }
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
