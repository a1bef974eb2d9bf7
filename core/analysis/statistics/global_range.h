#pragma once

#include <span>

#include "core/base/communicator.h"

namespace jitterscope::analysis {

/// Smallest and largest value over all ranks, on every rank; low > high when no rank has any.
Expected<void> global_range(Communicator& communicator, std::span<double> lows, std::span<double> highs);

} // namespace jitterscope::analysis
