#pragma once

#include <cstdint>
#include <vector>

#include "core/import/stop.h"
#include "core/store/trace_data.h"

namespace jitterscope::import {

/// Appends one column mean_<metric> per counter name to "launches" (see context.h); names beyond
/// kMostCounterColumns are reported.
void add_counter_means(store::TraceData& data, const std::vector<std::uint32_t>& physical,
                       store::ImportReport& report, Stop& stop);

} // namespace jitterscope::import
