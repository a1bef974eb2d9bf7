#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/import/stop.h"

namespace jitterscope::import {

/// For every range (sorted by start): how many push/pop ranges of its thread are open when it begins, not
/// counting itself; the longer of two that begin together is the outer one. At most 255. O(n log n).
std::vector<std::uint8_t> nesting_depth(std::span<const std::int64_t> start,
                                        std::span<const std::int64_t> duration,
                                        std::span<const std::uint32_t> thread,
                                        std::span<const std::uint8_t> kind, Stop& stop);

/// A moment on a thread.
struct Moment {
  std::int64_t time = 0;
  std::uint32_t thread = 0;
};

/// For every moment: the row of the range (no mark, no state) of its thread that was opened last among those open
/// then (start ≤ time < end), kNone when there is none. Ranges are sorted by start. O((n + m) log (n + m)).
std::vector<std::uint32_t> innermost_range(std::span<const std::int64_t> start,
                                           std::span<const std::int64_t> duration,
                                           std::span<const std::uint32_t> thread,
                                           std::span<const std::uint8_t> kind,
                                           std::span<const Moment> moments, Stop& stop);

} // namespace jitterscope::import
