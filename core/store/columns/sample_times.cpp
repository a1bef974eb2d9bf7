#include "core/store/columns/sample_times.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/spill_vector.h"

namespace jitterscope::store {

bool SampleTimes::ticks_like(std::span<const std::int64_t> times) const {
  return times.size() == times_.size() &&
         (times.data() == times_.data() || std::equal(times.begin(), times.end(), times_.begin()));
}

WindowSamples SampleTimes::within(std::int64_t start, std::int64_t end) const {
  const auto first = near_(times_.size(), [&](std::size_t i) { return times_[i] < start; });
  const auto last = first < times_.size() && times_[first] <= end
                        ? near_(times_.size(), [&](std::size_t i) { return times_[i] <= end; })
                        : first;
  if (last > first) return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), false};
  return nearest(start + (end - start) / 2);
}

WindowSamples SampleTimes::nearest(std::int64_t time) const {
  const auto after = near_(times_.size(), [&](std::size_t i) { return times_[i] < time; });
  std::int64_t distance = period_ + 1;
  WindowSamples found;
  for (const auto candidate : {after, after - 1}) {
    if (candidate >= times_.size()) continue; // at the start, after − 1 wraps around
    const auto away = std::abs(times_[candidate] - time);
    if (away < distance) {
      distance = away;
      found = {static_cast<std::uint32_t>(candidate), static_cast<std::uint32_t>(candidate + 1), true};
    }
  }
  return found;
}

std::int64_t SampleTimes::median_step() const {
  if (times_.size() < 2) return 0;
  SpillVector<std::int64_t> steps;
  steps.reserve(times_.size() - 1);
  for (std::size_t i = 1; i < times_.size(); ++i) steps.push_back(times_[i] - times_[i - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

} // namespace jitterscope::store
