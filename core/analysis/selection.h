#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/filter.h"

namespace jitterscope::analysis {

/// Which launches a question is about: a filter text and, where given, a set of time intervals (the kept
/// bins, a brushed range). A launch is selected when the filter holds and it starts inside one of the
/// intervals.
struct Selection {
  Filter filter;
  std::vector<Interval> intervals; ///< sorted, disjoint; empty means all time

  bool everything() const { return filter.everything() && intervals.empty(); }
  /// 1 for each selected row of the segment, else 0.
  std::vector<std::uint8_t> select(const Session& session, const LaunchColumns& columns,
                                   const Segment& segment) const;

  /// Reads {"where": text, "intervals": [[begin, end], …]}; both optional. Errors: BadUse.
  static Expected<Selection> from_json(const nlohmann::json& options, const LaunchColumns& columns);
};

} // namespace jitterscope::analysis
