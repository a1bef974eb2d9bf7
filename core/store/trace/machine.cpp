#include "core/store/trace/machine.h"

#include <array>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

namespace jitterscope::store {
namespace {

using nlohmann::json;

constexpr std::array kQuantities{"latency", "bandwidth", "message-rate"};
constexpr std::array kDistances{Distance::unknown, Distance::intra_socket, Distance::inter_socket,
                                Distance::inter_node};
constexpr std::array kMemories{BufferMemory::unknown, BufferMemory::host, BufferMemory::device};

json quantity(double value) {
  return std::isfinite(value) ? json(value) : json();
}

double quantity_from(const json& value) {
  return value.is_number() ? value.get<double>() : kUnknownQuantity;
}

template <class All>
auto named(const All& all, const std::string& name) {
  for (const auto value : all)
    if (name == to_string(value)) return value;
  return all.front();
}

json to_json(const MemoryLevel& level) {
  return {{"name", level.name},
          {"latency_cycles", quantity(level.latency)},
          {"bandwidth_bytes_per_second", quantity(level.bandwidth)},
          {"transaction_bytes", quantity(level.transaction)},
          {"size_bytes", quantity(level.size)}};
}

MemoryLevel level_from(const json& j) {
  return {j.at("name").get<std::string>(), quantity_from(j.at("latency_cycles")),
          quantity_from(j.at("bandwidth_bytes_per_second")), quantity_from(j.at("transaction_bytes")),
          quantity_from(j.at("size_bytes"))};
}

GpuSpecification gpu_from(const json& j) {
  GpuSpecification gpu;
  gpu.name = j.at("name").get<std::string>();
  gpu.vendor = j.at("vendor").get<std::string>();
  gpu.source = j.at("source").get<std::string>();
  gpu.clock_hz = quantity_from(j.at("clock_hz"));
  gpu.multiprocessors = j.at("multiprocessors").get<std::int64_t>();
  gpu.warp_size = j.at("warp_size").get<std::int64_t>();
  gpu.lanes = j.at("lanes").get<std::int64_t>();
  gpu.max_warps = j.at("max_warps").get<std::int64_t>();
  gpu.max_blocks = j.at("max_blocks").get<std::int64_t>();
  gpu.max_threads_per_block = j.at("max_threads_per_block").get<std::int64_t>();
  gpu.registers = j.at("registers").get<std::int64_t>();
  gpu.shared_memory = j.at("shared_memory_bytes").get<std::int64_t>();
  for (const auto& level : j.at("levels")) gpu.levels.push_back(level_from(level));
  gpu.assumed = j.at("assumed").get<std::vector<std::string>>();
  return gpu;
}

json to_json(const NetworkMeasurement& m) {
  json points = json::array();
  for (const auto& p : m.points) points.push_back({p.bytes, p.value});
  return {{"name", m.name},
          {"tool", m.tool},
          {"quantity", kQuantities[static_cast<std::size_t>(m.quantity)]},
          {"distance", to_string(m.distance)},
          {"memory", to_string(m.memory)},
          {"point_to_point", m.point_to_point},
          {"pairs", m.pairs},
          {"points", std::move(points)}};
}

NetworkMeasurement network_from(const json& j) {
  NetworkMeasurement m;
  m.name = j.at("name").get<std::string>();
  m.tool = j.at("tool").get<std::string>();
  for (std::size_t q = 0; q < kQuantities.size(); ++q)
    if (j.at("quantity").get<std::string>() == kQuantities[q]) m.quantity = static_cast<NetworkQuantity>(q);
  m.distance = named(kDistances, j.at("distance").get<std::string>());
  m.memory = named(kMemories, j.at("memory").get<std::string>());
  m.point_to_point = j.at("point_to_point").get<bool>();
  m.pairs = j.at("pairs").get<double>();
  for (const auto& p : j.at("points")) m.points.push_back({p.at(0).get<double>(), p.at(1).get<double>()});
  return m;
}

json to_json(const BandwidthMeasurement& b) {
  return {{"name", b.name},
          {"device", b.device},
          {"bandwidth_bytes_per_second", b.bytes_per_second},
          {"array_bytes", b.array_bytes}};
}

BandwidthMeasurement bandwidth_from(const json& j) {
  return {j.at("name").get<std::string>(), j.at("device").get<std::string>(),
          j.at("bandwidth_bytes_per_second").get<double>(), j.at("array_bytes").get<double>()};
}

} // namespace

json to_json(const GpuSpecification& gpu) {
  json levels = json::array();
  for (const auto& level : gpu.levels) levels.push_back(to_json(level));
  return {{"name", gpu.name},
          {"vendor", gpu.vendor},
          {"source", gpu.source},
          {"clock_hz", quantity(gpu.clock_hz)},
          {"multiprocessors", gpu.multiprocessors},
          {"warp_size", gpu.warp_size},
          {"lanes", gpu.lanes},
          {"max_warps", gpu.max_warps},
          {"max_blocks", gpu.max_blocks},
          {"max_threads_per_block", gpu.max_threads_per_block},
          {"registers", gpu.registers},
          {"shared_memory_bytes", gpu.shared_memory},
          {"levels", std::move(levels)},
          {"assumed", gpu.assumed}};
}

json to_json(const Machine& machine) {
  json gpus = json::array(), networks = json::array(), bandwidths = json::array();
  for (const auto& gpu : machine.gpus) gpus.push_back(to_json(gpu));
  for (const auto& m : machine.networks) networks.push_back(to_json(m));
  for (const auto& b : machine.bandwidths) bandwidths.push_back(to_json(b));
  return {
      {"gpus", std::move(gpus)}, {"networks", std::move(networks)}, {"bandwidths", std::move(bandwidths)}};
}

Machine machine_from_json(const json& j) {
  Machine machine;
  for (const auto& gpu : j.at("gpus")) machine.gpus.push_back(gpu_from(gpu));
  for (const auto& m : j.at("networks")) machine.networks.push_back(network_from(m));
  for (const auto& b : j.at("bandwidths")) machine.bandwidths.push_back(bandwidth_from(b));
  return machine;
}

} // namespace jitterscope::store
