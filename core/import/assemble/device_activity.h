#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/base/stop.h"
#include "core/store/columns/memory_activity.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// For every launch: how many other launches of its device run during its execution, as a time-weighted mean;
/// NaN for launches that last 0 ns. Requires launches sorted by start. `physical`: device of each resource;
/// launches on resources without a device (kNone) share one. The result is unspecified after a stop.
SpillVector<float> concurrency_of(const store::TraceData& data, const std::vector<std::uint32_t>& physical,
                                  Stop& stop);

/// Memory operations by physical device, prepared for queries of time windows. Requires tables sorted by
/// start. The result is incomplete after a stop: do not use it.
std::unordered_map<std::uint32_t, store::MemoryActivity>
memory_of_devices(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop);

} // namespace jitterscope::import
