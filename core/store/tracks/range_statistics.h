#pragma once

#include "core/store/tracks/track_index.h"

namespace jitterscope::store {

/// Exact sums over the events of a series in a range of time. Lengths as in the track index.
struct RangeStatistics {
  std::uint64_t count = 0;  ///< number of events that begin in the range
  std::uint64_t sum = 0;    ///< Σ length of the events that begin in the range, unclipped [ns]
  UInt128 squares = 0;      ///< Σ length² of the events that begin in the range [ns²]
  std::int64_t minimum = 0; ///< extremes of the lengths of these events [ns]; 0 if none begins in the range
  std::int64_t maximum = 0;
  std::uint64_t busy =
      0; ///< Σ length of all events, clipped to the range [ns]; above the range's length where they overlap

  /// Merges the statistics of another series over the same range.
  void add(const RangeStatistics& other);
  double mean_ns() const;      ///< NaN if there are no events
  double variance_ns2() const; ///< Σ (length − mean)² / count; NaN if there are no events
};

/// Statistics of the events that begin in [begin, end) ns, times of the store, and of those that reach into
/// this range. Cost: two searches, at most two blocks of events, and the extremes of O(log n) groups;
/// overlapping series also read each block with an event that crosses a border of the range. Bit-identical to
/// summing event by event.
RangeStatistics range_statistics(const Series& series, std::int64_t begin, std::int64_t end);

} // namespace jitterscope::store
