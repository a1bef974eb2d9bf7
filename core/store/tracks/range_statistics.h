#pragma once

#include "core/store/tracks/track_index.h"

namespace jitterscope::store {

/// Exact sums of a series in a range of time. Lengths as in the track index.
struct RangeStatistics {
  std::uint64_t count = 0;  ///< events that begin in the range
  std::uint64_t sum = 0;    ///< Σ length of these, uncut [ns]
  UInt128 squares = 0;      ///< Σ length² of these [ns²]
  std::int64_t minimum = 0; ///< of their lengths [ns]; 0 without events
  std::int64_t maximum = 0;
  std::uint64_t busy =
      0; ///< Σ length of all events, cut to the range [ns]; more than the range where they overlap

  /// Joins what another series says of the same range.
  void add(const RangeStatistics& other);
  double mean_ns() const;      ///< NaN without events
  double variance_ns2() const; ///< Σ (length − mean)² / count; NaN without events
};

/// Of the events that begin in [begin, end) ns, times of the store, and of what reaches into it
/// (models.md 6.2 B): two searches, at most two blocks of events, and the extremes of O(log n) groups;
/// overlapping series also look at each block from which an event reaches over a border of the range.
/// Bit-equal to adding up every event.
RangeStatistics range_statistics(const Series& series, std::int64_t begin, std::int64_t end);

} // namespace jitterscope::store
