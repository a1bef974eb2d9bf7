#include "core/efficiency/activity_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/core.h>

#include "core/store/format/analysis_rows.h"
#include "core/store/trace/collective_kernels.h"

namespace jitterscope::efficiency {
namespace {

using store::ResourceKind;
namespace recorded_kind = store::recorded_kind;
using store::Series;
using store::SeriesKind;

using Bits = std::shared_ptr<const std::vector<std::uint8_t>>;

constexpr std::uint8_t bits(std::initializer_list<int> unions) {
  unsigned sum = 0;
  for (const int u : unions) sum |= 1u << u;
  return static_cast<std::uint8_t>(sum);
}

/// The series of one store by kind and resource.
class SeriesOf {
public:
  SeriesOf(const store::TrackIndex& index, std::size_t resources) : resources_(resources) {
    for (auto& of : by_kind_) of.resize(resources);
    for (const auto& series : index.series())
      if (series.resource < resources_)
        by_kind_[static_cast<std::size_t>(series.kind)][series.resource] = &series;
  }
  const Series* find(SeriesKind kind, std::size_t resource) const {
    return by_kind_[static_cast<std::size_t>(kind)][resource];
  }

private:
  std::size_t resources_;
  std::array<std::vector<const Series*>, store::kSeriesKinds> by_kind_;
};

/// Label of a process: its rank, else its number; with its trace if the session has several.
std::string process_label(const analysis::Session& session, std::size_t trace, std::uint32_t process) {
  const auto& of = session.traces()[trace];
  const auto& r = of.store.resources()[process];
  const auto label = r.rank >= 0 ? fmt::format("rank {}", r.rank) : fmt::format("process {}", r.number);
  return session.traces().size() > 1 ? fmt::format("{} · {}", of.name, label) : label;
}

Bits kernel_bits(const store::Store& store) {
  namespace u = device_unions;
  auto table = std::make_shared<std::vector<std::uint8_t>>();
  const auto names = store.column<std::uint32_t>("kernels", "name");
  const store::CollectiveKernels is_collective(store.manifest().collective_kernels);
  for (std::size_t k = 0; k < names.size(); ++k)
    table->push_back(is_collective(store.string({names[k]})) ? bits({u::kKernels, u::kBusy, u::kMovesAll})
                                                             : bits({u::kUseful, u::kKernels, u::kBusy}));
  return table;
}

Bits string_bits(const store::Store& store, bool (*requested)(std::string_view), std::uint8_t unions) {
  auto table = std::make_shared<std::vector<std::uint8_t>>(store.strings());
  for (std::uint32_t s = 0; s < table->size(); ++s)
    if (requested(store.string({s}))) (*table)[s] = unions;
  return table;
}

/// Adds kLaunching to each thread whose calls launched a kernel or a memory operation.
void add_launching(const store::Store& store, std::vector<std::uint32_t>& kinds, Stop& stop) {
  const auto threads = store.column<std::uint32_t>("calls", "thread");
  for (const char* table : {"launches", "transfers"}) {
    const auto calls = store.column<std::uint32_t>(table, "call");
    for (std::size_t row = 0; row < calls.size() && !stop.at(row); ++row)
      if (const auto call = calls[row]; call < threads.size())
        if (const auto thread = threads[call]; thread < kinds.size())
          kinds[thread] |= recorded_kind::kLaunching;
  }
}

/// Whether states of a thread are recorded, by row of the resources: of their process.
std::vector<bool> processes_with_states(const store::Store& store, const std::vector<std::uint32_t>& kinds) {
  const auto& resources = store.resources();
  std::vector<bool> with(resources.size());
  for (std::size_t r = 0; r < resources.size(); ++r)
    if (kinds[r] & recorded_kind::of(SeriesKind::States) && resources[r].parent < with.size())
      with[resources[r].parent] = true;
  return with;
}

bool is_process(const store::Store& store, std::uint32_t resource) {
  return resource < store.resources().size() && store.resources()[resource].kind == ResourceKind::Process;
}

} // namespace

bool is_offload_call(std::string_view name) {
  if (name.starts_with("__hip") || name.starts_with("hsa_")) return true;
  for (const std::string_view prefix : {"cuda", "cu", "hip", "cl"}) {
    if (!name.starts_with(prefix) || name.size() <= prefix.size()) continue;
    if (std::isupper(static_cast<unsigned char>(name[prefix.size()]))) return true;
  }
  return false;
}

bool is_running_state(std::string_view name) {
  return store::is_running_state(name);
}

std::uint32_t hardware_of(const std::vector<store::Resource>& resources, std::uint32_t device) {
  return device < resources.size() && resources[device].physical < resources.size()
             ? resources[device].physical
             : device;
}

std::vector<std::uint32_t> recorded_kinds(const store::Store& store, const store::TrackIndex& index) {
  const auto& resources = store.resources();
  std::vector<std::uint32_t> kinds;
  for (const auto& resource : resources) kinds.push_back(resource.recorded);
  for (const auto& series : index.series())
    if (series.resource < kinds.size() && series.events() > 0)
      kinds[series.resource] |= recorded_kind::of(series.kind);
  const auto owners = store.column<std::uint32_t>("counters", "device");
  for (std::size_t c = 0; c < std::min(owners.size(), index.counters().size()); ++c)
    if (owners[c] < kinds.size() && !index.counters()[c].times.empty())
      kinds[owners[c]] |= recorded_kind::kCounters;
  return kinds;
}

std::vector<std::uint32_t> all_recorded_kinds(const store::Store& store, const store::TrackIndex& index,
                                              Stop& stop) {
  auto kinds = recorded_kinds(store, index);
  bool any_runtime = false;
  for (std::uint32_t s = 0; s < store.strings() && !any_runtime; ++s)
    any_runtime = is_offload_call(store.string({s}));
  for (auto& of : kinds)
    if (any_runtime && of & recorded_kind::of(SeriesKind::Calls)) of |= recorded_kind::kGpuRuntime;
  const auto with_states = processes_with_states(store, kinds);
  const auto& resources = store.resources();
  const bool all_with_states = std::ranges::all_of(resources, [&](const store::Resource& resource) {
    return resource.kind != ResourceKind::Thread || resource.parent >= with_states.size() ||
           with_states[resource.parent];
  });
  if (!all_with_states) add_launching(store, kinds, stop);
  return kinds;
}

std::vector<DeviceEvents> devices_of(const analysis::Session& session, std::size_t trace,
                                     const store::TrackIndex& index) {
  namespace u = device_unions;
  const auto& store = session.traces()[trace].store;
  const auto& resources = store.resources();
  const SeriesOf series(index, resources.size());
  const auto kernels = kernel_bits(store);
  const auto kinds = recorded_kinds(store, index);
  constexpr auto kWorks =
      recorded_kind::of(SeriesKind::DeviceLaunches) | recorded_kind::of(SeriesKind::Copies);
  // By the first resource of the same hardware, and by process: the whole device and its parts.
  std::map<std::uint32_t, std::map<std::uint32_t, DeviceEvents>> found;
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    const auto* launches = series.find(SeriesKind::DeviceLaunches, r);
    const auto* copies = series.find(SeriesKind::Copies, r);
    if (resources[r].kind != ResourceKind::Device || !(kinds[r] & kWorks)) continue;
    auto& parts = found[hardware_of(resources, r)];
    const auto [place, added] = parts.try_emplace(resources[r].parent);
    auto& device = place->second;
    if (added) device.row.resource = r;
    if (launches) device.events.push_back({launches, kernels, 0});
    if (copies) device.events.push_back({copies, nullptr, bits({u::kBusy, u::kMovesAll, u::kMoves})});
    device.row.collectives = device.row.collectives || kinds[r] & recorded_kind::of(SeriesKind::Collectives);
  }
  std::vector<DeviceEvents> rows;
  for (auto& [resource, parts] : found) {
    DeviceEvents whole;
    whole.row.resource = resource;
    for (auto& [process, part] : parts) {
      whole.events.insert(whole.events.end(), part.events.begin(), part.events.end());
      whole.row.collectives = whole.row.collectives || part.row.collectives;
    }
    const auto number = resources[resource].number;
    const auto processes = parts.size();
    const auto add = [&](DeviceEvents&& device, Sharing sharing) {
      const auto process = resources[device.row.resource].parent;
      device.row.trace = trace;
      device.row.process = process;
      device.row.sharing = sharing;
      device.row.number = number;
      device.row.name = fmt::format("GPU {}", device.row.number);
      if (is_process(store, process)) {
        device.row.rank = resources[process].rank;
        const auto others = sharing == Sharing::Whole ? processes - 1 : 0;
        device.row.name = fmt::format("{}{} · {}", process_label(session, trace, process),
                                      others > 0 ? fmt::format(" and {} more", others) : "", device.row.name);
      }
      rows.push_back(std::move(device));
    };
    const bool shared = processes > 1;
    add(std::move(whole), shared ? Sharing::Whole : Sharing::None);
    for (auto& [process, part] : parts)
      if (shared) add(std::move(part), Sharing::Part);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const DeviceEvents& a, const DeviceEvents& b) {
    return std::pair(a.row.rank, a.row.number) < std::pair(b.row.rank, b.row.number);
  });
  return rows;
}

std::vector<HostEvents> hosts_of(const analysis::Session& session, std::size_t trace,
                                 const store::TrackIndex& index, Stop& stop) {
  namespace u = host_unions;
  const auto& store = session.traces()[trace].store;
  const auto& resources = store.resources();
  const SeriesOf series(index, resources.size());
  const auto kinds = all_recorded_kinds(store, index, stop);
  constexpr auto kStates = recorded_kind::of(SeriesKind::States),
                 kMpi = recorded_kind::of(SeriesKind::MpiCalls);
  const auto with_states = processes_with_states(store, kinds);
  const auto analysed = [&](std::uint32_t thread) {
    const auto process = resources[thread].parent;
    const bool states = process < with_states.size() && with_states[process];
    return (kinds[thread] & (states ? kStates : kMpi | recorded_kind::kLaunching)) != 0;
  };
  const auto running = string_bits(store, is_running_state, bits({u::kKnown}));
  const auto offload = string_bits(store, is_offload_call, bits({u::kCalls, u::kKnown}));
  std::vector<HostEvents> rows;
  std::map<std::uint32_t, int> threads_of;
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    const auto* states = series.find(SeriesKind::States, r);
    const auto* mpi = series.find(SeriesKind::MpiCalls, r);
    const auto* calls = series.find(SeriesKind::Calls, r);
    if (resources[r].kind != ResourceKind::Thread || !analysed(r)) continue;
    HostEvents host;
    const auto has = [&](std::uint32_t bits) { return (kinds[r] & bits) != 0; };
    host.row = {
        trace, r, resources[r].parent, -1, {}, has(kStates), has(kMpi), has(recorded_kind::kGpuRuntime)};
    host.states = states;
    if (states) host.events.push_back({states, running, 0});
    if (mpi) host.events.push_back({mpi, nullptr, bits({u::kMpi, u::kCalls, u::kKnown})});
    if (calls) host.events.push_back({calls, offload, 0});
    ++threads_of[host.row.process];
    rows.push_back(std::move(host));
  }
  for (auto& host : rows) {
    auto& row = host.row;
    row.name = fmt::format("thread {}", resources[row.thread].number);
    if (!is_process(store, row.process)) continue;
    row.rank = resources[row.process].rank;
    const auto process = process_label(session, trace, row.process);
    row.name = threads_of[row.process] > 1 ? fmt::format("{} · {}", process, row.name) : process;
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const HostEvents& a, const HostEvents& b) {
    return std::tuple(a.row.rank, a.row.process) < std::tuple(b.row.rank, b.row.process);
  });
  return rows;
}

} // namespace jitterscope::efficiency
