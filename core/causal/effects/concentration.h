#pragma once

#include <cstdint>

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Number of used launches that hold half of Σ |d − median of the configuration|, counted from the largest
/// deviation: with a heavy tail every share mainly describes few launches. Computed from sums by classes of
/// |d − median| that are at most 1.6 % wide: exact to the launches of one class. 0 if nothing varies.
/// Collective; needs durations and groups.
Expected<std::int64_t> launches_with_half_of_the_variability(const Frame& frame, Communicator& communicator);

} // namespace jitterscope::causal
