#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/store/columns/memory_activity.h"

namespace jitterscope::import {

/// Memory operations by physical device, prepared for queries of time windows. Requires tables sorted by
/// start. The result is incomplete after a stop: do not use it.
std::unordered_map<std::uint32_t, store::MemoryActivity>
memory_of_devices(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop);

} // namespace jitterscope::import
