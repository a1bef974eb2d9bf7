#include "core/import/records/places.h"

namespace jitterscope::import {

using store::ResourceKind;

std::uint32_t Places::child(Children& children, ResourceKind kind, std::uint32_t parent, std::int64_t number,
                            const std::string& name) {
  const auto [place, added] = children.try_emplace({parent, number}, 0);
  if (added) place->second = draft_.add_resource(kind, parent, number, name);
  return place->second;
}

void Places::describe(std::int64_t device_number, Gpu gpu) {
  for (const auto& [place, row] : devices_)
    if (place.second == device_number && !gpu.name.empty()) draft_.resources[row].name = gpu.name;
  if (const auto first = first_device(device_number); first != kNone)
    for (auto& info : draft_.devices)
      if (info.resource == first) info = {first, gpu.name, gpu.uuid, gpu.compute_units, gpu.properties};
  gpus_[device_number] = std::move(gpu);
}

std::uint32_t Places::host() {
  if (host_ == kNone) host_ = draft_.host_of(host_ids_);
  return host_;
}

std::uint32_t Places::process(std::int64_t pid, const std::string& name) {
  const auto [place, added] = processes_.try_emplace(pid, 0);
  if (added) place->second = draft_.add_resource(ResourceKind::Process, host(), pid < 0 ? 0 : pid, name);
  return place->second;
}

std::uint32_t Places::thread(std::uint32_t process, std::int64_t tid, const std::string& name) {
  return child(threads_, ResourceKind::Thread, process, tid, name);
}

std::uint32_t Places::device(std::uint32_t process, std::int64_t number, const std::string& name) {
  const auto known = devices_.find({process, number});
  if (known != devices_.end()) return known->second;
  const auto row = child(devices_, ResourceKind::Device, process, number, name);
  const auto known_gpu = gpus_.find(number);
  const Gpu& gpu = known_gpu == gpus_.end() ? any_ : known_gpu->second;
  if (!gpu.name.empty()) draft_.resources[row].name = gpu.name;
  const auto [first, added] = first_devices_.try_emplace(number, row);
  if (!added) {
    draft_.resources[row].physical = draft_.resources[first->second].physical;
    return row;
  }
  auto seen = draft_.device_with(gpu.uuid);
  if (seen == kNone) seen = device_on_host(gpu);
  if (seen != kNone) {
    draft_.resources[row].physical = seen;
    return row;
  }
  store::DeviceInfo info{row, draft_.resources[row].name, gpu.uuid, gpu.compute_units, gpu.properties};
  draft_.devices.push_back(std::move(info));
  return row;
}

// AMD's drivers number the nodes of a host independently of which of them a process may use.
std::uint32_t Places::device_on_host(const Gpu& gpu) const {
  const auto node = gpu.properties.find("node_id");
  if (node == gpu.properties.end() || !gpu.uuid.empty()) return kNone;
  for (const auto& device : draft_.devices) {
    const auto process = draft_.resources[device.resource].parent;
    const auto same = device.properties.find("node_id");
    if (device.uuid.empty() && draft_.resources[process].parent == host_ && same != device.properties.end() &&
        same->second == node->second)
      return device.resource;
  }
  return kNone;
}

std::uint32_t Places::stream(std::uint32_t device, std::int64_t number, const std::string& name) {
  return child(streams_, ResourceKind::Stream, device, number, name);
}

std::uint32_t Places::first_device(std::int64_t number) const {
  const auto found = first_devices_.find(number);
  return found == first_devices_.end() ? kNone : found->second;
}

std::int64_t Places::min_device(std::int64_t otherwise) const {
  return first_devices_.empty() ? otherwise : first_devices_.begin()->first;
}

} // namespace jitterscope::import
