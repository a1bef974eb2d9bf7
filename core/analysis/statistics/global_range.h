#pragma once

#include <span>

#include "core/base/communicator.h"

namespace jitterscope::analysis {

/// Sets minimum and maximum over all ranks, on every rank; low > high if no rank has any values.
Expected<void> global_range(Communicator& communicator, std::span<double> lows, std::span<double> highs);

} // namespace jitterscope::analysis
