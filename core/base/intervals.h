#pragma once

#include <cstdint>
#include <span>

#include "core/base/near_search.h"
#include "core/base/spill_vector.h"
#include "core/base/stop.h"

namespace jitterscope {

/// A half-open interval of time in ns, optionally carrying bytes.
struct Span {
  std::int64_t begin = 0, end = 0;
  std::int64_t bytes = 0;
};

// Everything below is built from intervals sorted by begin. A build that was stopped is not to be asked.

/// The union of intervals: how much of any window it covers. Answers in O(log n), faster for windows near the
/// last one asked for (as all classes here): not to be shared between threads.
class Coverage {
public:
  Coverage() = default;
  Coverage(std::span<const Span> sorted, Stop& stop);
  bool empty() const { return begin_.empty(); }
  /// Covered ns of [begin, end).
  std::int64_t within(std::int64_t begin, std::int64_t end) const;

private:
  std::int64_t before(std::int64_t time) const;
  SpillVector<std::int64_t> begin_, end_, covered_; // disjoint pieces; covered_ by all pieces before
  NearSearch near_;
};

/// The number of intervals that are open, integrated over time. O(log n) answers, exact.
class Load {
public:
  Load() = default;
  Load(std::span<const Span> sorted, Stop& stop);
  /// ∫ (open intervals) dt over [begin, end), in ns.
  std::int64_t within(std::int64_t begin, std::int64_t end) const;

private:
  std::uint64_t before(std::int64_t time) const;
  SpillVector<std::int64_t> begins_, ends_;
  SpillVector<std::uint64_t> begin_sums_, end_sums_; // modulo 2^64: differences are exact
  NearSearch near_begin_, near_end_;
};

/// How many intervals meet a window, and the sum of their bytes. An empty interval counts as one nanosecond
/// long, so that it is found where it lies.
class Meeting {
public:
  struct Sum {
    std::int64_t count = 0, bytes = 0;
  };
  Meeting() = default;
  Meeting(std::span<const Span> sorted, Stop& stop);
  Sum with(std::int64_t begin, std::int64_t end) const;

private:
  SpillVector<std::int64_t> begins_, ends_;
  SpillVector<std::uint64_t> begin_bytes_, end_bytes_;
  NearSearch near_begin_, near_end_;
};

/// Bytes that flow at a constant rate during each interval, summed over all intervals.
class Flow {
public:
  Flow() = default;
  Flow(std::span<const Span> sorted, Stop& stop);
  double within(std::int64_t begin, std::int64_t end) const;

private:
  double before(std::int64_t time) const;
  SpillVector<std::int64_t> time_;
  SpillVector<double> bytes_, rate_; // at time_[i], and from there to time_[i + 1]
  NearSearch near_;
};

/// The union of those whole intervals that meet a window.
class WholeUnion {
public:
  WholeUnion() = default;
  WholeUnion(std::span<const Span> sorted, Stop& stop);
  /// Length in ns of the union; it may reach beyond the window on both sides.
  std::int64_t meeting(std::int64_t begin, std::int64_t end) const;
  /// Part of [begin, end) that any interval covers.
  std::int64_t covered(std::int64_t begin, std::int64_t end) const { return coverage_.within(begin, end); }

private:
  Coverage coverage_;
  SpillVector<std::int64_t> begins_, latest_end_; // latest_end_: of all intervals up to here
  NearSearch near_begin_, near_end_;
};

} // namespace jitterscope
