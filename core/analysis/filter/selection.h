#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/filter/filter.h"

namespace jitterscope::analysis {

/// Which launches a question is about: a filter text and, where given, a set of time intervals (the kept
/// bins, a brushed range) and of streams. A launch is selected when the filter holds, it starts inside one of
/// the intervals, and its stream is one of them.
struct Selection {
  Filter filter;
  std::vector<Interval> intervals; ///< sorted, disjoint; empty means all time

  std::vector<std::vector<std::uint32_t>> streams; ///< per trace: resources, sorted; empty means all streams

  bool everything() const { return filter.everything() && intervals.empty() && streams.empty(); }
  /// False when no launch of the segment can be selected, because of its time alone.
  bool may_meet(const Session& session, const Segment& segment) const;
  /// 1 for each selected row of the segment, else 0.
  std::vector<std::uint8_t> select(const Session& session, const LaunchColumns& columns,
                                   const Segment& segment) const;

  /// Reads {"where": text, "intervals": [[begin, end], …], "streams": [[resource, …] per trace]}; all
  /// optional. Errors: BadUse.
  static Expected<Selection> from_json(const nlohmann::json& options, const LaunchColumns& columns);
};

} // namespace jitterscope::analysis
