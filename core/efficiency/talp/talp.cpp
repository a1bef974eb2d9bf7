#include "core/efficiency/talp/talp.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

#include <fmt/core.h>

namespace jitterscope::efficiency {
namespace {

using nlohmann::json;

/// DLB's hybrid model, version 2, of one region; 0 / 0 is unknown.
struct TalpModel {
  double parallel, mpi_parallel, mpi_communication, mpi_balance, openmp, offload;
  double gpu_parallel, gpu_balance, gpu_communication, gpu_orchestration;
};

TalpModel model_of(const TalpRegion& r) {
  const auto useful = static_cast<double>(r.useful), mpi = static_cast<double>(r.mpi),
             openmp = static_cast<double>(r.openmp), runtime = static_cast<double>(r.gpu_runtime),
             elapsed = static_cast<double>(r.elapsed);
  const double active = useful + mpi + openmp + runtime;
  const double outside_mpi = elapsed - mpi / static_cast<double>(r.cpus);
  const double max_outside_mpi = elapsed - r.min_mpi_of_process.value_or(0);
  const double gpus = static_cast<double>(r.gpus), gpu_useful = static_cast<double>(r.gpu_useful),
               max_useful = static_cast<double>(r.max_gpu_useful),
               max_active = static_cast<double>(r.max_gpu_active);
  return {useful / active,
          outside_mpi / elapsed,
          max_outside_mpi / elapsed,
          outside_mpi / max_outside_mpi,
          (active - openmp) / active,
          (useful + openmp) / (useful + openmp + runtime),
          gpu_useful / (gpus * elapsed),
          gpu_useful / (gpus * max_useful),
          max_useful / max_active,
          max_active / elapsed};
}

json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

std::string iso_time(std::int64_t utc_ns) {
  const auto seconds = static_cast<std::time_t>(utc_ns / 1'000'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return text;
}

/// A node: hosts of the same name in several traces are one. Where the host is unknown, all is empty.
struct Node {
  std::string name;
  std::size_t trace = 0; ///< trace and resource of a host without a name
  std::uint32_t resource = 0;
  bool known = false;
  auto operator<=>(const Node&) const = default;
};

Node node_of(const analysis::Session& session, std::size_t trace, std::uint32_t resource) {
  const auto& resources = session.traces()[trace].store.resources();
  while (resource < resources.size() && resources[resource].kind != store::ResourceKind::Host)
    resource = resources[resource].parent;
  if (resource >= resources.size()) return {};
  const auto& name = resources[resource].name;
  return name.empty() ? Node{"", trace, resource, true} : Node{name, 0, 0, true};
}

/// Minimum over groups (processes or nodes) of the MPI time per CPU.
template <class Key>
double smallest_mean(const std::map<Key, std::pair<std::int64_t, std::int64_t>>& groups) {
  double smallest = 0;
  bool first = true;
  for (const auto& [key, sum] : groups) {
    const double mean = static_cast<double>(sum.first) / static_cast<double>(sum.second);
    smallest = first ? mean : std::min(smallest, mean);
    first = false;
  }
  return smallest;
}

struct NodesAndRanks {
  using Sum = std::pair<std::int64_t, std::int64_t>; ///< MPI time, CPUs
  std::set<std::pair<std::size_t, std::uint32_t>> processes;
  std::set<Node> nodes;
  std::map<std::pair<std::size_t, std::uint32_t>, Sum> mpi_of_process;
  std::map<Node, Sum> mpi_of_node;
};

NodesAndRanks nodes_and_ranks(const Activity& activity, const analysis::Session& session,
                              const Result& result) {
  NodesAndRanks of;
  for (const auto& [row, time] : result.hosts) {
    const auto& host = activity.hosts()[row];
    const std::pair process(host.trace, host.process);
    const auto node = node_of(session, host.trace, host.thread);
    of.nodes.insert(node);
    if (host.rank >= 0 && result.mpi_recorded) of.processes.insert(process);
    for (auto* sum : {&of.mpi_of_process[process], &of.mpi_of_node[node]}) {
      sum->first += time.mpi;
      ++sum->second;
    }
  }
  for (const auto& [row, time] : result.devices) {
    const auto& device = activity.devices()[row];
    of.nodes.insert(node_of(session, device.trace, device.resource));
  }
  if (of.nodes.size() > 1) of.nodes.erase(Node{}); // the number of known nodes
  return of;
}

} // namespace

json talp_factors(const TalpRegion& region) {
  const auto m = model_of(region);
  const auto stated = [&](const char* key, double value, bool determined) {
    if (determined) return number(value);
    const auto found = region.stated.find(key);
    return found == region.stated.end() ? json() : json(found->second);
  };
  const bool processes = region.min_mpi_of_process.has_value(), gpus = region.gpus > 0;
  json document = {{"host",
                    {{"parallel", number(m.parallel)},
                     {"mpi", number(m.mpi_parallel)},
                     {"load_balance", stated("mpiLoadBalance", m.mpi_balance, processes)},
                     {"communication", stated("mpiCommunicationEfficiency", m.mpi_communication, processes)},
                     {"runtime", number(m.openmp)},
                     {"offload", gpus ? number(m.offload) : json()}}},
                   {"device",
                    {{"parallel", gpus ? number(m.gpu_parallel) : json()},
                     {"load_balance", gpus ? number(m.gpu_balance) : json()},
                     {"communication", gpus ? number(m.gpu_communication) : json()},
                     {"orchestration", gpus ? number(m.gpu_orchestration) : json()}}}};
  return document;
}

json talp_sums(const TalpRegion& region, const std::string& collectives_as) {
  return {{"elapsed_ns", region.elapsed},
          {"collectives_as", region.gpus == 0 ? collectives_as : "useful"},
          {"hosts",
           {{"threads", region.cpus},
            {"processes", std::max<std::int64_t>(region.ranks, 1)},
            {"useful_ns", region.useful},
            {"instructions", region.instructions},
            {"cycles", region.cycles}}},
          {"devices", {{"devices", region.gpus}, {"useful_ns", region.gpu_useful}}},
          {"kernels", json::array()}};
}

json compare_with_talp(const json& document, const TalpFile& file, const TalpRegion& region,
                       const std::string& path) {
  json factors = json::array();
  const auto theirs = talp_factors(region);
  for (int f = 0; f < kFactors; ++f) {
    const auto factor = static_cast<Factor>(f);
    const auto parent = parent_of(factor);
    const std::string id(id_of(factor)), object = id.substr(0, id.find('.')),
                                         key = id.substr(object.size() + 1);
    if (!theirs.contains(object)) continue;
    const auto& here = document.at(object).at(key);
    const auto& value = theirs.at(object).at(key);
    factors.push_back(
        {{"factor", id},
         {"parent", parent ? json(id_of(*parent)) : json()},
         {"here", here},
         {"talp", value},
         {"difference",
          here.is_number() && value.is_number() ? json(here.get<double>() - value.get<double>()) : json()}});
  }
  return {
      {"talp",
       {{"file", path}, {"version", file.version}, {"timestamp", file.timestamp}, {"region", region.name}}},
      {"factors", factors}};
}

std::int64_t mpi_calls_in(const Activity& activity, const Result& result) {
  std::int64_t calls = 0;
  for (const auto& [row, time] : result.hosts) {
    const auto& host = activity.hosts()[row];
    for (const auto& series : activity.series(host.trace)) {
      if (series.kind != store::SeriesKind::MpiCalls || series.resource != host.thread) continue;
      const auto shift = activity.shift(host.trace);
      calls += static_cast<std::int64_t>(series.position_of(result.range.end.count - shift) -
                                         series.position_of(result.range.begin.count - shift));
    }
  }
  return calls;
}

json talp_json(const Activity& activity, const analysis::Session& session, const Result& result,
               const UsefulCounters& counters, const TalpFacts& facts) {
  const auto of = nodes_and_ranks(activity, session, result);
  TalpRegion r;
  r.cpus = static_cast<std::int64_t>(result.hosts.size());
  r.gpus = static_cast<std::int64_t>(result.devices.size());
  r.elapsed = result.range.length().count;
  for (const auto& [row, time] : result.hosts) {
    r.useful += time.useful;
    r.mpi += time.mpi;
    r.gpu_runtime += time.offload;
  }
  for (const auto& [row, time] : result.devices) {
    r.gpu_useful += time.useful;
    r.gpu_communication += time.communication;
    r.max_gpu_useful = std::max(r.max_gpu_useful, time.useful);
    r.max_gpu_active = std::max(r.max_gpu_active, time.useful + time.communication);
  }
  r.min_mpi_of_process = smallest_mean(of.mpi_of_process);
  const auto min_mpi_of_node = smallest_mean(of.mpi_of_node);
  const auto m = model_of(r);
  const auto efficiency = [](double value, double none) { return std::isfinite(value) ? value : none; };
  const json resources = {{"numCpus", r.cpus},
                          {"numNodes", of.nodes.size()},
                          {"numMpiRanks", of.processes.size()},
                          {"numGpus", r.gpus}};
  json region = resources;
  const double active = static_cast<double>(r.useful + r.mpi + r.gpu_runtime);
  const double elapsed = static_cast<double>(r.elapsed), max_outside_mpi = elapsed - *r.min_mpi_of_process,
               max_outside_mpi_of_node = elapsed - min_mpi_of_node,
               outside_mpi = elapsed - static_cast<double>(r.mpi) / static_cast<double>(r.cpus);
  region.update({{"avgCpus", active / static_cast<double>(r.elapsed)},
                 {"cycles", counters.cycles},
                 {"instructions", counters.instructions},
                 {"numMeasurements", 1},
                 {"numMpiCalls", facts.mpi_calls},
                 {"elapsedTime", r.elapsed},
                 {"usefulTime", r.useful},
                 {"mpiTime", r.mpi},
                 {"ompLoadImbalanceTime", 0},
                 {"ompSchedulingTime", 0},
                 {"ompSerializationTime", 0},
                 {"gpuRuntimeTime", r.gpu_runtime},
                 {"minMpiNormdProc", *r.min_mpi_of_process},
                 {"minMpiNormdNode", min_mpi_of_node},
                 {"gpuUsefulTime", r.gpu_useful},
                 {"gpuCommunicationTime", r.gpu_communication},
                 {"maxGpuUsefulTime", r.max_gpu_useful},
                 {"maxGpuActiveTime", r.max_gpu_active},
                 {"parallelEfficiency", efficiency(m.parallel, 0)},
                 {"mpiParallelEfficiency", efficiency(m.mpi_parallel, 1)},
                 {"mpiCommunicationEfficiency", efficiency(m.mpi_communication, 1)},
                 {"mpiLoadBalance", efficiency(m.mpi_balance, 1)},
                 {"mpiLoadBalanceIn", efficiency(max_outside_mpi_of_node / max_outside_mpi, 1)},
                 {"mpiLoadBalanceOut", efficiency(outside_mpi / max_outside_mpi_of_node, 1)},
                 {"ompParallelEfficiency", 1},
                 {"ompLoadBalance", 1},
                 {"ompSchedulingEfficiency", 1},
                 {"ompSerializationEfficiency", 1},
                 {"deviceOffloadEfficiency", efficiency(m.offload, 1)},
                 {"gpuParallelEfficiency", efficiency(m.gpu_parallel, 0)},
                 {"gpuLoadBalance", efficiency(m.gpu_balance, 0)},
                 {"gpuCommunicationEfficiency", efficiency(m.gpu_communication, 0)},
                 {"gpuOrchestrationEfficiency", efficiency(m.gpu_orchestration, 0)}});
  json document = {{"dlbVersion", "3.6.0"},
                   {"generator", "Jitterscope " + facts.version},
                   {"resources", resources},
                   {"Application", {{facts.region, region}}}};
  if (facts.begin_utc_ns >= 0) document["timestamp"] = iso_time(facts.begin_utc_ns);
  return document;
}

} // namespace jitterscope::efficiency
