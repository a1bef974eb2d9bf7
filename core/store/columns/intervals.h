#pragma once

#include <cstdint>
#include <span>

#include "core/base/near_search.h"
#include "core/base/spill_vector.h"
#include "core/base/stop.h"

namespace jitterscope::store {

/// A half-open interval of time in ns, optionally carrying bytes.
struct Span {
  std::int64_t begin = 0, end = 0;
  std::int64_t bytes = 0;
};

// The classes below are built from intervals sorted by start. Do not query one whose build was stopped.

/// The union of intervals: how much of any window it covers. Queries take O(log n), less for windows near the
/// last one queried. Like all classes here, it can be queried by several threads at the same time.
class Coverage {
public:
  Coverage() = default;
  Coverage(std::span<const Span> sorted, Stop& stop);
  bool empty() const { return begin_.empty(); }
  /// Covered ns of [begin, end).
  std::int64_t within(std::int64_t begin, std::int64_t end) const;

private:
  std::int64_t before(std::int64_t time) const;
  // disjoint pieces; covered_: ns covered by the earlier pieces
  SpillVector<std::int64_t> begin_, end_, covered_;
  NearSearch near_;
};

/// Sorted times with a lookup table over equal parts of their span: searches take O(1) for evenly spread
/// times, and at most O(log n). Intended for windows in any order; for windows that move along a trace,
/// NearSearch is as fast.
class SpreadTimes {
public:
  SpreadTimes() = default;
  /// Sorts the times.
  SpreadTimes(SpillVector<std::int64_t> times, Stop& stop);
  std::size_t size() const { return times_.size(); }
  std::int64_t operator[](std::size_t i) const { return times_[i]; }
  /// Number of times at or before `time`.
  std::size_t count_until(std::int64_t time) const;

private:
  std::size_t part_of(std::int64_t time) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(first_)) >>
                                    shift_);
  }
  void choose_parts(std::int64_t last);
  void sort(Stop& stop);

  SpillVector<std::int64_t> times_;
  SpillVector<std::uint64_t> starts_; ///< by part: index of its first time; last element: number of times
  std::int64_t first_ = 0;
  int shift_ = 0;
};

/// The number of open intervals, integrated over time. Exact; queries take O(log n).
class Load {
public:
  Load() = default;
  Load(std::span<const Span> sorted, Stop& stop);
  /// ∫ (open intervals) dt over [begin, end), in ns.
  std::int64_t within(std::int64_t begin, std::int64_t end) const;

private:
  std::uint64_t before(std::int64_t time) const;
  SpreadTimes begins_, ends_;
  SpillVector<std::uint64_t> begin_sums_, end_sums_; // modulo 2^64: differences are exact
};

/// Number of intervals that overlap a window, and the sum of their bytes. An empty interval counts as 1 ns
/// long, so that a window around it finds it.
class Overlaps {
public:
  struct Sum {
    std::int64_t count = 0, bytes = 0;
  };
  Overlaps() = default;
  Overlaps(std::span<const Span> sorted, Stop& stop);
  Sum with(std::int64_t begin, std::int64_t end) const;

private:
  SpillVector<std::int64_t> begins_, ends_;
  SpillVector<std::uint64_t> begin_bytes_, end_bytes_;
  NearSearch near_begin_, near_end_;
};

/// Bytes transferred at a constant rate during each interval, summed over all intervals.
class Flow {
public:
  Flow() = default;
  Flow(std::span<const Span> sorted, Stop& stop);
  double within(std::int64_t begin, std::int64_t end) const;

private:
  double before(std::int64_t time) const;
  SpillVector<std::int64_t> time_;
  SpillVector<double> bytes_, rate_; // bytes up to time_[i]; rate from time_[i] to time_[i + 1]
  NearSearch near_;
};

/// The union of the intervals that overlap a window, each in its full length.
class FullLengthUnion {
public:
  FullLengthUnion() = default;
  FullLengthUnion(std::span<const Span> sorted, Stop& stop);
  /// Length in ns of the union; it may reach beyond the window on both sides.
  std::int64_t length(std::int64_t begin, std::int64_t end) const;
  /// Length in ns of the part of [begin, end) that the intervals cover.
  std::int64_t covered(std::int64_t begin, std::int64_t end) const { return coverage_.within(begin, end); }

private:
  Coverage coverage_;
  SpillVector<std::int64_t> begins_, latest_end_; // latest_end_: maximum end of the intervals so far
  NearSearch near_begin_, near_end_;
};

} // namespace jitterscope::store
