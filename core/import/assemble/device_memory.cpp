#include "core/import/assemble/device_memory.h"

#include <algorithm>
#include <map>

namespace jitterscope::import {

std::unordered_map<std::uint32_t, store::MemoryActivity>
memory_of_devices(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop) {
  const auto& transfers = *data.find("transfers");
  const auto& begin = transfers.get<std::int64_t>("start");
  const auto& length = transfers.get<std::int64_t>("duration");
  const auto& bytes = transfers.get<std::int64_t>("bytes");
  const auto& kind = transfers.get<std::uint8_t>("kind");
  const auto& cause = transfers.get<std::uint8_t>("migration_cause");
  const auto& where = transfers.get<std::uint32_t>("stream");
  std::map<std::uint32_t, std::array<std::size_t, store::kTransferKinds>> transfers_of; // by device and kind
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    ++transfers_of[physical[where[row]]][kind[row]];
  std::map<std::uint32_t, store::MemoryOperations> operations;
  for (const auto& [device, of_kind] : transfers_of) operations[device].reserve(of_kind);
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    operations[physical[where[row]]].add(
        {begin[row], begin[row] + length[row], std::max<std::int64_t>(bytes[row], 0)},
        static_cast<store::TransferKind>(kind[row]), static_cast<store::MigrationCause>(cause[row]),
        bytes[row] != store::kUnknownBytes);
  std::unordered_map<std::uint32_t, store::MemoryActivity> activities;
  for (const auto& [device, of_device] : operations)
    activities.emplace(device, store::MemoryActivity(of_device, stop));
  return activities;
}

} // namespace jitterscope::import
