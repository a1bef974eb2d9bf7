#pragma once

#include <cstdint>

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// How many of the used launches hold half of Σ|d − median of the configuration|, counted from the one that
/// deviates most: a heavy tail makes every share speak of few launches. From sums by classes of |d − median|
/// that differ by 1.6 %: exact to the launches of one class. 0 where nothing varies. Collective; needs
/// durations and groups.
Expected<std::int64_t> launches_with_half_of_the_variability(const Frame& frame, Communicator& communicator);

} // namespace jitterscope::causal
