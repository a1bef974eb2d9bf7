#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/filter/filter.h"

namespace jitterscope::analysis {

/// The launches that a query is about: a filter text and, optionally, a set of time intervals (the kept bins,
/// a brushed range) and of streams. A launch is selected if it passes the filter, starts inside one of the
/// intervals, and runs on one of the streams.
struct Selection {
  Filter filter;
  std::vector<Interval> intervals; ///< sorted, disjoint; empty means all time

  std::vector<std::vector<std::uint32_t>> streams; ///< per trace: resources, sorted; empty: all streams

  bool everything() const { return filter.everything() && intervals.empty() && streams.empty(); }
  /// False if no launch of the segment can be selected, judged by time alone.
  bool may_meet(const Session& session, const Segment& segment) const;
  /// 1 for each selected row of the segment, else 0.
  std::vector<std::uint8_t> select(const Session& session, const LaunchColumns& columns,
                                   const Segment& segment) const;

  /// The launches that pass a filter text, in intervals and on streams given in any order. Errors: BadUse.
  static Expected<Selection> make(const std::string& where, const LaunchColumns& columns,
                                  std::vector<Interval> intervals = {},
                                  std::vector<std::vector<std::uint32_t>> streams = {});
};

} // namespace jitterscope::analysis
