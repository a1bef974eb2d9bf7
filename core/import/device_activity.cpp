#include "core/import/device_activity.h"

#include <algorithm>
#include <map>

namespace jitterscope::import {
namespace {

using store::MigrationCause;
using store::TransferKind;

struct DeviceSpans {
  std::vector<Span> kernels, transfers;
  std::array<std::vector<Span>, store::kTransferKinds> by_kind;
  std::vector<Span> migrations, page_faults, copies, unsized_copies, unsized_migrations;
};

void add_transfer(DeviceSpans& device, const Span& span, TransferKind kind, MigrationCause cause,
                  bool sized) {
  device.transfers.push_back(span);
  device.by_kind[static_cast<std::size_t>(kind)].push_back(span);
  if (is_migration(kind)) {
    device.migrations.push_back(span);
    if (!sized) device.unsized_migrations.push_back(span);
    if (cause == MigrationCause::PageFault) device.page_faults.push_back(span);
  } else if (kind != TransferKind::Memset) {
    device.copies.push_back(span);
    if (!sized) device.unsized_copies.push_back(span);
  }
}

// Vectors that grow by doubling are written twice, and both copies are in memory for a while.
void reserve_transfers(DeviceSpans& device, const std::array<std::size_t, store::kTransferKinds>& of_kind) {
  std::size_t migrations = 0, sets = 0, all = 0;
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    device.by_kind[kind].reserve(of_kind[kind]);
    all += of_kind[kind];
    if (is_migration(static_cast<TransferKind>(kind))) migrations += of_kind[kind];
    if (static_cast<TransferKind>(kind) == TransferKind::Memset) sets += of_kind[kind];
  }
  device.transfers.reserve(all);
  device.migrations.reserve(migrations);
  device.copies.reserve(all - migrations - sets);
}

DeviceActivity activity_of(const DeviceSpans& spans, Stop& stop) {
  DeviceActivity activity;
  activity.kernels = Load(spans.kernels, stop);
  activity.migrations = Coverage(spans.migrations, stop);
  activity.migrations_met = Meeting(spans.migrations, stop);
  activity.page_faults_met = Meeting(spans.page_faults, stop);
  activity.transfers_met = Meeting(spans.transfers, stop);
  activity.copies = Flow(spans.copies, stop);
  activity.unsized_copies = Meeting(spans.unsized_copies, stop);
  activity.unsized_migrations = Meeting(spans.unsized_migrations, stop);
  activity.transfers = WholeUnion(spans.transfers, stop);
  for (std::size_t kind = 0; kind < spans.by_kind.size(); ++kind)
    activity.by_kind[kind] = Coverage(spans.by_kind[kind], stop);
  return activity;
}

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
  std::vector<std::vector<Span>*> kernels(physical.size()); // by stream
  for (std::size_t place = 0; place < physical.size(); ++place)
    if (launches_on[place] > 0) kernels[place] = &devices[physical[place]].kernels;
  if (stop.wanted()) return devices;
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
  for (const auto& [device, of_kind] : transfers_of) reserve_transfers(devices[device], of_kind);
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    add_transfer(devices[physical[where[row]]],
                 {begin[row], begin[row] + length[row], std::max<std::int64_t>(bytes[row], 0)},
                 static_cast<TransferKind>(kind[row]), static_cast<MigrationCause>(cause[row]),
                 bytes[row] != store::kUnknownBytes);
  return devices;
}

} // namespace

std::vector<std::uint32_t> physical_devices(const std::vector<store::Resource>& resources) {
  std::vector<std::uint32_t> physical(resources.size(), kNone);
  for (std::size_t row = 0; row < resources.size(); ++row) {
    const auto& resource = resources[row];
    if (resource.kind == store::ResourceKind::Device)
      physical[row] = resource.physical == kNone ? static_cast<std::uint32_t>(row) : resource.physical;
    else if (resource.kind == store::ResourceKind::Stream && resource.parent != kNone)
      physical[row] = physical[resource.parent];
  }
  return physical;
}

std::unordered_map<std::uint32_t, DeviceActivity>
device_activities(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop) {
  std::unordered_map<std::uint32_t, DeviceActivity> activities;
  for (const auto& [device, spans] : spans_by_device(data, physical, stop))
    activities.emplace(device, activity_of(spans, stop));
  return activities;
}

} // namespace jitterscope::import
