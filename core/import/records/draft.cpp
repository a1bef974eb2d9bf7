#include "core/import/records/draft.h"

#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"

namespace jitterscope::import {

std::size_t Draft::ConfigurationHash::operator()(const Configuration& c) const {
  std::uint64_t hash = 0;
  for (const auto value : {c.kernel, c.grid_x, c.grid_y, c.grid_z, c.block_x, c.block_y, c.block_z,
                           c.static_shared_memory, c.dynamic_shared_memory, c.registers, c.variant}) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

std::uint32_t Draft::add_resource(store::ResourceKind kind, std::uint32_t parent, std::int64_t number,
                                  std::string name) {
  store::Resource resource;
  resource.kind = kind;
  resource.parent = parent;
  resource.number = number;
  resource.name = std::move(name);
  const auto row = static_cast<std::uint32_t>(resources.size());
  if (kind == store::ResourceKind::Device) resource.physical = row;
  resources.push_back(std::move(resource));
  return row;
}

std::uint32_t Draft::kernel(const Kernel& kernel) {
  const auto [place, added] = kernel_rows_.try_emplace(kernel, static_cast<std::uint32_t>(kernels.size()));
  if (added) kernels.push_back(kernel);
  return place->second;
}

std::uint32_t Draft::configuration(const Configuration& configuration) {
  const auto [place, added] =
      configuration_rows_.try_emplace(configuration, static_cast<std::uint32_t>(configurations.size()));
  if (added) configurations.push_back(configuration);
  return place->second;
}

std::uint32_t Draft::host_of(const std::vector<std::string>& uuids) {
  std::uint32_t host = kNone;
  for (const auto& uuid : uuids)
    if (const auto found = host_of_uuid_.find(uuid); found != host_of_uuid_.end()) host = found->second;
  if (host == kNone) host = add_resource(store::ResourceKind::Host, kNone, 0, {});
  for (const auto& uuid : uuids) host_of_uuid_.try_emplace(uuid, host);
  return host;
}

std::uint32_t Draft::device_with(const std::string& uuid) const {
  if (uuid.empty()) return kNone;
  for (const auto& device : devices)
    if (device.uuid == uuid) return device.resource;
  return kNone;
}

std::uint32_t Draft::add_counter(std::string_view name, std::string_view unit, std::uint32_t resource,
                                 bool holds) {
  counters.push_back({strings.intern(name).value, strings.intern(unit).value, resource, holds, 0});
  return static_cast<std::uint32_t>(counters.size() - 1);
}

std::uint32_t Draft::add_table_stream(const std::string& name, const std::string& device_name) {
  using enum store::ResourceKind;
  const auto host = add_resource(Host, kNone, 0, {});
  const auto process = add_resource(Process, host, tables_++, name);
  const auto device = add_resource(Device, process, 0, device_name);
  store::DeviceInfo info;
  info.resource = device;
  info.name = device_name;
  devices.push_back(std::move(info));
  return add_resource(Stream, device, 0, {});
}

std::uint32_t Draft::add_untimed_launch(std::uint32_t configuration, std::uint32_t stream,
                                        std::int64_t duration) {
  const auto row = launches.start.size();
  launches.start.push_back(static_cast<std::int64_t>(row));
  launches.duration.push_back(duration);
  launches.configuration.push_back(configuration);
  launches.stream.push_back(stream);
  launches.call.push_back(kNone);
  launches.correlation.push_back(0);
  launches.flags.push_back(0);
  return static_cast<std::uint32_t>(row);
}

namespace {

template <class T>
void append(SpillVector<T>& column, std::span<const T> values) {
  column.insert(column.end(), values.begin(), values.end());
}

} // namespace

void Draft::add_untimed_launches(std::span<const std::uint32_t> of_configurations, std::uint32_t stream,
                                 std::span<const std::int64_t> durations) {
  const auto first = launches.start.size(), rows = first + durations.size();
  touch_launches(rows);
  launches.start.append_ascending(static_cast<std::int64_t>(first), durations.size());
  append(launches.duration, durations);
  launches.configuration.append(of_configurations);
  launches.stream.resize(rows, stream);
  launches.call.resize(rows, kNone);
  launches.correlation.resize(rows, 0);
  launches.flags.resize(rows, 0);
}

void Draft::add_launches(std::span<const std::int64_t> starts, std::span<const std::int64_t> durations,
                         std::span<const std::uint32_t> of_configurations,
                         std::span<const std::uint32_t> streams) {
  const auto rows = launches.start.size() + starts.size();
  touch_launches(rows);
  launches.start.append(starts);
  append(launches.duration, durations);
  launches.configuration.append(of_configurations);
  launches.stream.append(streams);
  launches.call.resize(rows, kNone);
  launches.correlation.resize(rows, 0);
  launches.flags.resize(rows, 0);
}

namespace {

// Calls `use` for every column of a table.
template <class Rows, class Use>
void each_column(Rows& rows, Use&& use) {
  std::apply([&](auto&... columns) { (use(columns), ...); }, rows.columns());
}

template <class Rows>
void reserve(Rows& rows, std::size_t count) {
  each_column(rows, [&](auto& column) { column.reserve(count); });
}

template <class Rows>
void cut(Rows& rows, std::size_t count) {
  each_column(rows, [&](auto& column) { column.resize(count); });
}

template <class T>
void touch(std::size_t rows, SpillVector<T>& column) {
  if (rows <= column.capacity() && rows > column.size())
    SpillMemory::touch(column.data() + column.size(), (rows - column.size()) * sizeof(T));
}
template <class T>
void touch(std::size_t rows, DraftColumn<T>& column) {
  if (column.is_in_memory()) touch(rows, column.values());
}

} // namespace

void Draft::reserve_launches(std::size_t count) {
  reserve(launches, count);
}

void Draft::reserve_calls(std::size_t count) {
  reserve(calls, count);
}

void Draft::reserve_ranges(std::size_t count) {
  reserve(ranges, count);
}

void Draft::touch_launches(std::size_t rows) {
  each_column(launches, [&](auto& column) { touch(rows, column); });
}

void Draft::touch_calls(std::size_t rows) {
  each_column(calls, [&](auto& column) { touch(rows, column); });
}

DraftSizes Draft::sizes() const {
  return {launches.start.size(), transfers.start.size(), calls.start.size(),
          ranges.start.size(),   samples.time.size(),    messages.start.size()};
}

DraftMark Draft::mark() const {
  return {sizes(),
          resources.size(),
          devices.size(),
          kernels.size(),
          configurations.size(),
          counters.size(),
          attributes.all().size(),
          machine.gpus.size(),
          machine.networks.size(),
          machine.bandwidths.size(),
          logs.size()};
}

void Draft::shrink(const DraftSizes& rows) {
  cut(launches, rows.launches);
  cut(transfers, rows.transfers);
  cut(calls, rows.calls);
  cut(ranges, rows.ranges);
  cut(samples, rows.samples);
  cut(messages, rows.messages);
  attributes.shrink(rows.launches);
}

void Draft::rewind(const DraftMark& mark) {
  shrink(mark.rows);
  attributes.keep_columns(mark.attributes);
  resources.resize(mark.resources);
  devices.resize(mark.devices);
  kernels.resize(mark.kernels);
  configurations.resize(mark.configurations);
  counters.resize(mark.counters);
  machine.gpus.resize(mark.gpus);
  machine.networks.resize(mark.networks);
  machine.bandwidths.resize(mark.bandwidths);
  logs.resize(mark.logs);
  const auto beyond = [](std::size_t size) {
    return [size](const auto& entry) { return entry.second >= size; };
  };
  std::erase_if(kernel_rows_, beyond(mark.kernels));
  std::erase_if(configuration_rows_, beyond(mark.configurations));
  std::erase_if(host_of_uuid_, beyond(mark.resources));
}

} // namespace jitterscope::import
