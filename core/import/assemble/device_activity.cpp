#include "core/import/assemble/device_activity.h"

#include <algorithm>
#include <map>

#include "core/base/spill_vector.h"

namespace jitterscope::import {
namespace {

struct DeviceSpans {
  SpillVector<Span> kernels;
  store::MemoryOperations memory;
};

std::map<std::uint32_t, DeviceSpans> spans_by_device(const store::TraceData& data,
                                                     const std::vector<std::uint32_t>& physical, Stop& stop) {
  std::map<std::uint32_t, DeviceSpans> devices;
  const auto& launches = *data.find("launches");
  const auto& start = launches.get<std::int64_t>("start");
  const auto& duration = launches.get<std::int64_t>("duration");
  const auto& stream = launches.get<std::uint32_t>("stream");
  std::vector<std::size_t> launches_on(physical.size()); // by stream
  for (std::size_t row = 0; row < stream.size() && !stop.at(row); ++row) ++launches_on[stream[row]];
  std::map<std::uint32_t, std::size_t> launches_of; // by device
  for (std::size_t place = 0; place < physical.size(); ++place)
    if (launches_on[place] > 0) launches_of[physical[place]] += launches_on[place];
  for (const auto& [device, count] : launches_of) devices[device].kernels.reserve(count);
  std::vector<SpillVector<Span>*> kernels(physical.size()); // by stream
  for (std::size_t place = 0; place < physical.size(); ++place)
    if (launches_on[place] > 0) kernels[place] = &devices[physical[place]].kernels;
  if (stop.requested()) return devices;
  for (std::size_t row = 0; row < start.size() && !stop.at(row); ++row)
    kernels[stream[row]]->push_back({start[row], start[row] + duration[row], 0});

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
  for (const auto& [device, of_kind] : transfers_of) devices[device].memory.reserve(of_kind);
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    devices[physical[where[row]]].memory.add(
        {begin[row], begin[row] + length[row], std::max<std::int64_t>(bytes[row], 0)},
        static_cast<store::TransferKind>(kind[row]), static_cast<store::MigrationCause>(cause[row]),
        bytes[row] != store::kUnknownBytes);
  return devices;
}

} // namespace

std::unordered_map<std::uint32_t, DeviceActivity>
device_activities(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop) {
  std::unordered_map<std::uint32_t, DeviceActivity> activities;
  for (const auto& [device, spans] : spans_by_device(data, physical, stop))
    activities.emplace(device,
                       DeviceActivity{Load(spans.kernels, stop), store::MemoryActivity(spans.memory, stop)});
  return activities;
}

} // namespace jitterscope::import
