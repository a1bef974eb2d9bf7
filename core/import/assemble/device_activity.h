#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/intervals.h"
#include "core/store/columns/memory_activity.h"

namespace jitterscope::import {

/// Everything that ran on one piece of hardware, prepared for queries of time windows.
struct DeviceActivity {
  Load kernels;
  store::MemoryActivity memory;
};

/// By physical device. Requires tables sorted by start. The result is incomplete after a stop: do not use it.
std::unordered_map<std::uint32_t, DeviceActivity>
device_activities(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop);

} // namespace jitterscope::import
