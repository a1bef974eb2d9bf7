#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/import/intervals.h"
#include "core/store/trace_data.h"

namespace jitterscope::import {

/// Everything that ran on one piece of hardware, ready for questions about windows of time.
struct DeviceActivity {
  Load kernels;
  std::array<Coverage, store::kTransferKinds> by_kind;
  Coverage migrations;
  Meeting migrations_met, page_faults_met, transfers_met;
  Flow copies;                                ///< bytes of copies that are no migrations and no memsets
  Meeting unsized_copies, unsized_migrations; ///< those of which no bytes are known
  WholeUnion transfers;                       ///< all memory operations
};

/// The device (its representative) of every resource: itself for devices, its parent's for streams, kNone for
/// others.
std::vector<std::uint32_t> physical_devices(const std::vector<store::Resource>& resources);

/// By physical device. Tables are sorted by start. Not to be used when a stop is wanted afterwards.
std::unordered_map<std::uint32_t, DeviceActivity>
device_activities(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop);

} // namespace jitterscope::import
