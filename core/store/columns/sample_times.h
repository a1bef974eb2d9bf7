#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/near_search.h"

namespace jitterscope::store {

/// Text that follows the counter's name in the description of a column of counter means. It is written to
/// stores, and readers recognise these columns by it, so it must not change.
inline constexpr std::string_view kMeanOfSamples =
    ": mean of the samples during the execution, else the nearest within one sampling period";

/// The same for columns of sums: of any counter, and of counts of hardware events.
inline constexpr std::string_view
    kSumOfSamples = ": sum of the samples after the start of the row, up to and including its end",
    kHardwareCount = ": hardware events after the start of the row, up to and including its end";

/// The samples that give the value in a window of time: those inside, whose mean is used, or the nearest.
struct WindowSamples {
  std::uint32_t first = 0, last = 0; ///< samples [first, last); none if both are equal
  bool nearest = false;
};

/// The times of the samples of one counter, ascending. Counters that are sampled together have the same
/// times. Can be queried by several threads (near_search.h).
class SampleTimes {
public:
  explicit SampleTimes(std::span<const std::int64_t> times) : times_(times), period_(median_step()) {}

  bool ticks_like(std::span<const std::int64_t> times) const;

  std::int64_t period() const { return period_; } ///< median time between consecutive samples [ns]
  /// The samples inside [start, end], else the one nearest to the middle within one period (the median step).
  WindowSamples within(std::int64_t start, std::int64_t end) const;

private:
  WindowSamples nearest(std::int64_t time) const;
  std::int64_t median_step() const;

  std::span<const std::int64_t> times_;
  std::int64_t period_ = 0;
  NearSearch near_;
};

} // namespace jitterscope::store
