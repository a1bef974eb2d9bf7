#include "core/efficiency/efficiency_json.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/efficiency/processes.h"

namespace jitterscope::efficiency {
namespace {

using nlohmann::json;

json number(const Ratio& ratio) {
  return ratio.known() ? json(ratio.value()) : json();
}

json rank_json(std::int32_t rank) {
  return rank >= 0 ? json(rank) : json();
}

/// Rows of a result that are listed, ascending.
class Listed {
public:
  template <class Rows, class Lost>
  Listed(const Rows& rows, std::size_t maximum, const std::vector<std::size_t>& always, Lost&& lost) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (rows.size() > maximum) {
      std::ranges::stable_sort(order, std::greater{}, [&](std::size_t row) { return lost(rows[row].time); });
      order.resize(maximum);
      order.insert(order.end(), always.begin(), always.end());
      std::ranges::sort(order);
      order.erase(std::unique(order.begin(), order.end()), order.end());
    }
    rows_ = std::move(order);
  }
  const std::vector<std::size_t>& rows() const { return rows_; }
  /// Index of a listed row in the list; the row must be in it.
  std::size_t place_of(std::size_t row) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(rows_, row) - rows_.begin());
  }

private:
  std::vector<std::size_t> rows_;
};

struct ListedRows {
  Listed devices, hosts;
};

ListedRows listed_rows(const Result& result, std::size_t maximum) {
  std::vector<std::size_t> devices, hosts; // rows to which places refer
  for (const auto& loss : result.losses) {
    if (!loss.place) continue;
    auto& of = loss.place->device ? devices : hosts;
    of.push_back(loss.place->row);
    if (loss.place->other) of.push_back(*loss.place->other);
  }
  return {
      Listed(result.devices, maximum, devices, [](const DeviceTime& t) { return t.communication + t.idle; }),
      Listed(result.hosts, maximum, hosts, [](const HostTime& t) { return t.mpi + t.offload + t.other; })};
}

json place_json(const Activity& activity, const Result& result, const ListedRows& listed,
                const Place& place) {
  const auto name = [&](std::size_t row) {
    return place.device ? activity.devices()[result.devices[row].row].name
                        : activity.hosts()[result.hosts[row].row].name;
  };
  const auto& rows = place.device ? listed.devices : listed.hosts;
  return {{"on", place.device ? "device" : "host"},
          {"index", rows.place_of(place.row)},
          {"name", name(place.row)},
          {"other", place.other ? json(rows.place_of(*place.other)) : json()},
          {"other_name", place.other ? json(name(*place.other)) : json()},
          {"begin_ns", place.when.begin.count},
          {"end_ns", place.when.end.count},
          {"lost_ns", place.lost},
          {"lost_inside_ns", place.lost_inside}};
}

json losses_json(const Activity& activity, const Result& result, const ListedRows& listed) {
  json list = json::array();
  for (const auto& loss : result.losses) {
    const auto parent = parent_of(loss.factor);
    const bool of_masters = result.mpi_rows == MpiRows::Masters && id_of(loss.factor).starts_with("mpi.");
    list.push_back({{"factor", id_of(loss.factor)},
                    {"lost_in_mpi", of_masters},
                    {"parent", parent ? json(id_of(*parent)) : json()},
                    {"value", number(result.factors[loss.factor])},
                    {"cost_ns", loss.cost_ns},
                    {"place", loss.place ? place_json(activity, result, listed, *loss.place) : json()}});
  }
  return list;
}

json device_json(const analysis::Session& session, const DeviceRow& device, const DeviceTime& time) {
  return {{"name", device.name},
          {"run", session.traces()[device.trace].name},
          {"rank", rank_json(device.rank)},
          {"device", device.number},
          {"trace", device.trace},
          {"resource", device.resource},
          {"useful_ns", time.useful},
          {"communication_ns", time.communication},
          {"hidden_communication_ns", time.hidden},
          {"idle_ns", time.idle}};
}

json host_json(const analysis::Session& session, const HostRow& host, const HostTime& time) {
  return {{"name", host.name},
          {"run", session.traces()[host.trace].name},
          {"rank", rank_json(host.rank)},
          {"trace", host.trace},
          {"resource", host.thread},
          {"useful_ns", time.useful},
          {"mpi_ns", time.mpi},
          {"offload_ns", time.offload},
          {"other_ns", time.other}};
}

/// BasicAnalysis' model of hybrid programs: factors of all host threads, and what is left of each after
/// division by that of MPI: the factors of the other runtimes (OpenMP, GPU), which may exceed 1. The time on
/// an ideal network is the same for both, so that the others' serialisation is their communication. Null
/// unless the factors of MPI are those of master threads.
json hybrid_json(const Result& result) {
  if (result.mpi_rows != MpiRows::Masters) return nullptr;
  std::vector<std::int64_t> useful;
  for (const auto& host : result.hosts) useful.push_back(host.time.useful);
  const auto all = mpi_efficiencies(useful, result.range.length().count);
  json document;
  for (const auto& [key, ratio, factor] : {std::tuple{"parallel", all.parallel, Factor::MpiParallel},
                                           {"load_balance", all.load_balance, Factor::MpiLoadBalance},
                                           {"communication", all.communication, Factor::MpiCommunication}}) {
    const auto& of_mpi = result.factors[factor];
    document[key] = number(ratio);
    document["inner"][key] =
        ratio.known() && of_mpi.known() && of_mpi.part > 0 ? json(ratio.value() / of_mpi.value()) : json();
  }
  return document;
}

/// Processes whose first record is well after the beginning of the range: {late, all, latest_ns after it};
/// null if there are none. Processes with states or MPI calls are recorded from the start of the program.
json late_processes(const Activity& activity, const Result& result) {
  std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> first; // by trace and process
  const auto add = [&](std::size_t trace, std::uint32_t process, std::int64_t begin) {
    auto& of = first.try_emplace({trace, process}, begin).first->second;
    of = std::min(of, begin);
  };
  for (const auto& device : result.devices)
    if (const auto& row = activity.devices()[device.row]; row.sharing != Sharing::Whole)
      if (const auto begin = activity.begin_of_device(device.row); begin != INT64_MAX)
        add(row.trace, row.process, begin);
  for (const auto& host : result.hosts) {
    const auto& row = activity.hosts()[host.row];
    add(row.trace, row.process, row.states || row.mpi ? INT64_MIN : activity.begin_of_host(host.row));
  }
  constexpr std::int64_t kParts = 100; // of the range, which may be missing
  std::int64_t late = 0, latest = 0;
  for (const auto& [process, begin] : first) {
    if (begin <= result.range.begin.count + result.range.length().count / kParts) continue;
    ++late;
    latest = std::max(latest, std::min(begin, result.range.end.count) - result.range.begin.count);
  }
  if (late == 0) return nullptr;
  return {{"late", late}, {"all", first.size()}, {"latest_ns", latest}};
}

/// Sums of devices or hosts, as input of `scaling`. `rows`: key of the number of devices or host threads.
RunSums run_sums(const json& elapsed, const json& of, const char* rows) {
  return {elapsed.get<std::int64_t>(), of.at(rows).get<std::int64_t>(),
          of.at("useful_ns").get<std::int64_t>(), of.value("instructions", std::int64_t{0}),
          of.value("cycles", std::int64_t{0})};
}

json known_scaling(const Scaling& s, const Ratio& parallel) {
  json item = {{"scaling", s.weak ? "weak" : "strong"},
               {"computation", number(s.computation)},
               {"speedup", number(s.speedup)}};
  item["global"] =
      s.computation.known() && parallel.known() ? json(parallel.value() * s.computation.value()) : json();
  return item;
}

void add_counters(json& item, const Scaling& s, const RunSums& run, const RunSums& reference) {
  item["instructions"] = number(s.instructions);
  item["ipc"] = number(s.ipc);
  item["frequency"] = number(s.frequency);
  for (const auto& [suffix, of] : {std::pair{"here", &run}, {"reference", &reference}}) {
    item[std::string("ipc_") + suffix] =
        number({of->cycles > 0 ? of->instructions : 0, of->instructions > 0 ? of->cycles : 0});
    item[std::string("frequency_") + suffix + "_ghz"] = number({of->cycles, of->cycles > 0 ? of->useful : 0});
  }
}

/// Number of processes of the devices in a result; several processes may share a device.
std::size_t processes_of_devices(const Activity& activity, const analysis::Session& session,
                                 const Result& result) {
  std::set<std::pair<std::size_t, std::uint32_t>> devices, processes; ///< trace and resource
  for (const auto& device : result.devices) {
    const auto& row = activity.devices()[device.row];
    const auto& resources = session.traces()[row.trace].store.resources();
    processes.insert({row.trace, resources[row.resource].parent});
    if (const auto physical = resources[row.resource].physical;
        physical < resources.size() && row.sharing != Sharing::Part)
      devices.insert({row.trace, physical});
  }
  for (std::size_t trace = 0; trace < session.traces().size() && !devices.empty(); ++trace)
    for (const auto& resource : session.traces()[trace].store.resources())
      if (resource.kind == store::ResourceKind::Device && devices.contains({trace, resource.physical}))
        processes.insert({trace, resource.parent});
  return processes.size();
}

json kernels_json(const json& sums, const json& reference, json& document) {
  std::map<std::string, std::int64_t> before;
  for (const auto& kernel : reference.at("kernels")) before[kernel.at("name")] = kernel.at("duration_ns");
  std::vector<json> both;
  std::int64_t here = 0, there = 0;
  for (const auto& kernel : sums.at("kernels")) {
    const auto found = before.find(kernel.at("name"));
    const auto duration = kernel.at("duration_ns").get<std::int64_t>();
    if (found == before.end()) continue;
    if (!kernel.at("collective")) here += duration, there += found->second;
    both.push_back({{"name", kernel.at("name")},
                    {"computation", number({found->second, duration})},
                    {"duration_ns", duration},
                    {"reference_ns", found->second}});
  }
  std::ranges::stable_sort(both, std::greater{},
                           [](const json& kernel) { return kernel.at("duration_ns").get<std::int64_t>(); });
  document["kernels_computation"] = number({there, here});
  return both;
}

} // namespace

json to_json(const Factors& factors) {
  json document = {{"device", json::object()}, {"host", json::object()}, {"mpi", json::object()}};
  for (int f = 0; f < kFactors; ++f) {
    const auto id = id_of(static_cast<Factor>(f));
    const auto dot = id.find('.');
    document[std::string(id.substr(0, dot))][std::string(id.substr(dot + 1))] =
        number(factors.values[static_cast<std::size_t>(f)]);
  }
  return document;
}

json to_json(const Activity& activity, const analysis::Session& session, const Result& result,
             std::size_t max_rows) {
  json document = to_json(result.factors);
  document["late_processes"] = late_processes(activity, result);
  document["hybrid"] = hybrid_json(result);
  document["range_ns"] = {{"begin", result.range.begin.count}, {"end", result.range.end.count}};
  document["range_given"] = result.range_given;
  if (result.requested)
    document["range_requested_ns"] = {{"begin", result.requested->begin.count},
                                      {"end", result.requested->end.count}};
  document["recorded_range_ns"] = {{"begin", result.recorded.begin.count},
                                   {"end", result.recorded.end.count}};
  document["hosts_outside"] = {{"active_ns", result.hosts_outside.all},
                               {"active_recorded_ns", result.recorded_hosts.all},
                               {"mpi_ns", result.hosts_outside.mpi},
                               {"mpi_recorded_ns", result.recorded_hosts.mpi}};
  document["elapsed_ns"] = result.range.length().count;
  document["collectives_as"] = to_string(result.collectives);
  document["recorded"] = {{"mpi", result.mpi_recorded},
                          {"offload", result.offload_recorded},
                          {"states", result.states_recorded},
                          {"collectives", result.collectives_recorded},
                          {"memory_operations", std::ranges::any_of(session.traces(), [](const auto& trace) {
                             return trace.store.table("transfers").rows > 0;
                           })}};
  if (result.states_recorded)
    document["recorded"]["hosts_without_states"] = std::ranges::count_if(
        result.hosts, [&](const HostResult& host) { return !activity.hosts()[host.row].states; });
  document["repeated_processes"] = activity.repeated_processes();
  document["import_notes"] = json::array();
  for (const auto& trace : session.traces())
    for (const auto& entry : trace.store.manifest().report)
      if (entry.code == "tasks-without-records" || entry.code == "several-applications" ||
          entry.code == "unsorted-records")
        document["import_notes"].push_back(
            session.traces().size() > 1 ? fmt::format("{}: {}", trace.name, entry.text) : entry.text);
  const auto listed = listed_rows(result, max_rows);
  document["devices"] = json::array();
  for (const auto row : listed.devices.rows()) {
    const auto& device = result.devices[row];
    document["devices"].push_back(device_json(session, activity.devices()[device.row], device.time));
  }
  document["hosts"] = json::array();
  for (const auto row : listed.hosts.rows()) {
    const auto& host = result.hosts[row];
    document["hosts"].push_back(host_json(session, activity.hosts()[host.row], host.time));
  }
  document["rows_left_out"] =
      result.devices.size() + result.hosts.size() - listed.devices.rows().size() - listed.hosts.rows().size();
  document["losses"] = losses_json(activity, result, listed);
  return document;
}

json parts_json(const Result& result) {
  json list = json::array();
  for (const auto& part : result.parts) {
    auto item = to_json(part.factors);
    item["begin_ns"] = part.range.begin.count;
    item["end_ns"] = part.range.end.count;
    list.push_back(std::move(item));
  }
  return list;
}

json ranks_json(const Activity& activity, const Result& result) {
  struct Rows {
    std::vector<DeviceTime> devices;
    std::vector<std::size_t> hosts;
  };
  std::map<std::int32_t, Rows> ranks;
  for (const auto* rows : {&result.devices, &result.parts_of_devices})
    for (const auto& [row, time] : *rows)
      if (const auto& device = activity.devices()[row]; device.sharing != Sharing::Whole)
        ranks[device.rank].devices.push_back(time);
  for (std::size_t h = 0; h < result.hosts.size(); ++h)
    ranks[activity.hosts()[result.hosts[h].row].rank].hosts.push_back(h);
  json list = json::array();
  for (const auto& [rank, rows] : ranks) {
    auto item = to_json(factors_of(activity, result, rows.devices, rows.hosts));
    item["rank"] = rank_json(rank);
    item["devices"] = rows.devices.size();
    item["threads"] = rows.hosts.size();
    list.push_back(std::move(item));
  }
  return list;
}

json device_factors_json(const Activity& activity, const Result& result) {
  json list = json::array();
  for (std::size_t d = 0; d < result.devices.size(); ++d) {
    const auto& device = activity.devices()[result.devices[d].row];
    auto item = to_json(factors_of(activity, result, {result.devices[d].time}, {}));
    item["name"] = device.name;
    item["rank"] = rank_json(device.rank);
    item["number"] = device.number;
    list.push_back(std::move(item));
  }
  return list;
}

json sums_json(const Activity& activity, const analysis::Session& session, const Result& result,
               const UsefulCounters& counters, const std::vector<KernelTime>& kernels) {
  std::int64_t devices = 0, hosts = 0;
  for (const auto& device : result.devices) devices += device.time.useful;
  std::vector<std::size_t> host_rows;
  for (const auto& host : result.hosts) hosts += host.time.useful, host_rows.push_back(host.row);
  json document = {{"elapsed_ns", result.range.length().count},
                   {"range_ns", {{"begin", result.range.begin.count}, {"end", result.range.end.count}}},
                   {"range_given", result.range_given},
                   {"collectives_as", to_string(result.collectives)},
                   {"hosts",
                    {{"threads", result.hosts.size()},
                     {"processes", processes_of(activity, host_rows).masters.size()},
                     {"useful_ns", hosts},
                     {"instructions", counters.instructions},
                     {"cycles", counters.cycles},
                     {"threads_without_counters", counters.threads_without}}},
                   {"devices",
                    {{"devices", result.devices.size()},
                     {"processes", processes_of_devices(activity, session, result)},
                     {"useful_ns", devices}}},
                   {"kernels", json::array()}};
  for (const auto& kernel : kernels)
    document["kernels"].push_back({{"name", session.kernels()[kernel.kernel].name},
                                   {"collective", kernel.collective},
                                   {"launches", kernel.launches},
                                   {"duration_ns", kernel.duration_ns}});
  return document;
}

Expected<json> scaling_json(const Result& result, const json& sums, const json& reference) {
  if (!reference.is_object() || !reference.contains("elapsed_ns"))
    return failure(ErrorKind::BadUse, "the reference does not contain the sums of a run", {}, "reference",
                   "Give the object \"sums\" of an answer for the reference run.");
  if (reference.value("collectives_as", std::string()) != to_string(result.collectives))
    return failure(ErrorKind::BadUse,
                   fmt::format("the reference counts collectives as {}, this run as {}",
                               reference.value("collectives_as", std::string("unknown")),
                               to_string(result.collectives)),
                   {}, {}, "Use the same --collectives-as for both.");
  json document = {{"hosts", json()}, {"devices", json()}, {"kernels", json::array()}};
  const auto& there = reference.at("elapsed_ns");
  if (!result.hosts.empty() && reference.at("hosts").at("threads") > 0) {
    const auto run = run_sums(sums.at("elapsed_ns"), sums.at("hosts"), "threads"),
               other = run_sums(there, reference.at("hosts"), "threads");
    const auto s = scaling(run, other);
    document["hosts"] = known_scaling(s, result.factors[Factor::HostParallel]);
    add_counters(document["hosts"], s, run, other);
  }
  if (!result.devices.empty() && reference.at("devices").at("devices") > 0) {
    const auto run = run_sums(sums.at("elapsed_ns"), sums.at("devices"), "devices"),
               other = run_sums(there, reference.at("devices"), "devices");
    document["devices"] = known_scaling(scaling(run, other), result.factors[Factor::DeviceParallel]);
  }
  document["kernels"] = kernels_json(sums, reference, document);
  return document;
}

} // namespace jitterscope::efficiency
