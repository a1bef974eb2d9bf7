#pragma once

#include "core/efficiency/efficiency_result.h"

namespace jitterscope::efficiency {

/// Fills Result::losses from its times and factors: what each factor costs, on which row and when. The moment
/// is the part of the range, divided into kWindows, in which that row loses most, with its neighbours that
/// lose at least half as much. Collective; the same on every rank.
Expected<void> find_losses(const Activity& activity, Result& result, Communicator& communicator);
inline constexpr int kWindows = 64;

} // namespace jitterscope::efficiency
