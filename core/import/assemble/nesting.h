#pragma once

#include <cstdint>
#include <span>

#include "core/base/spill_vector.h"
#include "core/base/stop.h"

namespace jitterscope::import {

// Ranges and moments are sorted by start or time. All functions are O(n) where few ranges begin together.

/// For every range: how many push/pop ranges of its thread are open when it begins, not counting itself; the
/// longer of two that begin together is the outer one. At most 255.
SpillVector<std::uint8_t> nesting_depth(std::span<const std::int64_t> start,
                                        std::span<const std::int64_t> duration,
                                        std::span<const std::uint32_t> thread,
                                        std::span<const std::uint8_t> kind, Stop& stop);

/// For every moment (a time on a thread): the row of the range (no mark, no state) of its thread that was
/// opened last among those open then (start ≤ time < end), kNone when there is none.
SpillVector<std::uint32_t> innermost_range(std::span<const std::int64_t> start,
                                           std::span<const std::int64_t> duration,
                                           std::span<const std::uint32_t> thread,
                                           std::span<const std::uint8_t> kind,
                                           std::span<const std::int64_t> time,
                                           std::span<const std::uint32_t> thread_of_time, Stop& stop);

} // namespace jitterscope::import
