#pragma once

#include "core/efficiency/efficiency_result.h"

namespace jitterscope::efficiency {

/// Computes Result::losses from its times and factors: the cost of each factor, and on which row and when it
/// is lost. The range is divided into kWindows windows; the interval of a loss is the window in which that
/// row loses the most, with adjacent windows that lose at least half as much. Collective; the same on every
/// rank.
Expected<void> find_losses(const Activity& activity, Result& result, Communicator& communicator);
inline constexpr int kWindows = 64;

} // namespace jitterscope::efficiency
