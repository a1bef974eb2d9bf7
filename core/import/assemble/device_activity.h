#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/intervals.h"
#include "core/store/columns/memory_activity.h"

namespace jitterscope::import {

/// Everything that ran on one piece of hardware, ready for questions about windows of time.
struct DeviceActivity {
  Load kernels;
  store::MemoryActivity memory;
};

/// By physical device. Tables are sorted by start. Not to be used when a stop is wanted afterwards.
std::unordered_map<std::uint32_t, DeviceActivity>
device_activities(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop);

} // namespace jitterscope::import
