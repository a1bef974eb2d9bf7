#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace jitterscope {

/// Finds partition points in sorted sequences when each answer is close to the previous one, as for windows
/// that move along a trace: O(log distance) instead of O(log n), with accesses that stay in the cache.
/// Remembers the last answer as a hint: searches may run on several threads at the same time.
class NearSearch {
public:
  NearSearch() = default;
  NearSearch(const NearSearch& other) : last_(other.hint()) {}
  NearSearch& operator=(const NearSearch& other) {
    last_.store(other.hint(), std::memory_order_relaxed);
    return *this;
  }

  /// Number of leading elements for which `before(index)` holds; it must hold for no element after them.
  template <class Before>
  std::size_t operator()(std::size_t size, Before before) const {
    std::size_t low = 0, high = size; // the answer is in [low, high]
    const std::size_t last = hint();
    if (last < size && before(last)) {
      low = last + 1;
      for (std::size_t step = 1; low < high; step *= 2) {
        const auto probe = std::min(low + step, size) - 1;
        if (!before(probe)) {
          high = probe;
          break;
        }
        low = probe + 1;
      }
    } else {
      high = std::min(last, size);
      for (std::size_t step = 1; low < high; step *= 2) {
        const auto probe = high > step ? high - step : 0;
        if (before(probe)) {
          low = probe + 1;
          break;
        }
        high = probe;
      }
    }
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (before(middle))
        low = middle + 1;
      else
        high = middle;
    }
    last_.store(low, std::memory_order_relaxed);
    return low;
  }

private:
  std::size_t hint() const { return last_.load(std::memory_order_relaxed); }
  mutable std::atomic<std::size_t> last_ = 0;
};

} // namespace jitterscope
