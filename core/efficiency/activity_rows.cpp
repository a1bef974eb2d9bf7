#include "core/efficiency/activity_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/core.h>

#include "core/store/format/analysis_rows.h"

namespace jitterscope::efficiency {
namespace {

using store::ResourceKind;
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
  for (std::size_t k = 0; k < names.size(); ++k)
    table->push_back(store::is_collective(store.string({names[k]}))
                         ? bits({u::kKernels, u::kBusy, u::kMovesAll})
                         : bits({u::kUseful, u::kKernels, u::kBusy}));
  return table;
}

Bits string_bits(const store::Store& store, bool (*requested)(std::string_view), std::uint8_t unions) {
  auto table = std::make_shared<std::vector<std::uint8_t>>(store.strings());
  for (std::uint32_t s = 0; s < table->size(); ++s)
    if (requested(store.string({s}))) (*table)[s] = unions;
  return table;
}

/// By resource: 1 for each thread whose calls launched a kernel or a memory operation.
std::vector<std::uint8_t> launching_threads(const store::Store& store, Stop& stop) {
  std::vector<std::uint8_t> found(store.resources().size());
  const auto threads = store.column<std::uint32_t>("calls", "thread");
  for (const char* table : {"launches", "transfers"}) {
    const auto calls = store.column<std::uint32_t>(table, "call");
    for (std::size_t row = 0; row < calls.size() && !stop.at(row); ++row)
      if (const auto call = calls[row]; call < threads.size())
        if (const auto thread = threads[call]; thread < found.size()) found[thread] = 1;
  }
  return found;
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

std::vector<DeviceEvents> devices_of(const analysis::Session& session, std::size_t trace,
                                     const store::TrackIndex& index) {
  namespace u = device_unions;
  const auto& store = session.traces()[trace].store;
  const auto& resources = store.resources();
  const SeriesOf series(index, resources.size());
  const auto kernels = kernel_bits(store);
  std::map<std::uint32_t, DeviceEvents> found; // by the first resource of the same hardware
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    const auto* launches = series.find(SeriesKind::DeviceLaunches, r);
    const auto* copies = series.find(SeriesKind::Copies, r);
    if (resources[r].kind != ResourceKind::Device || (!launches && !copies)) continue;
    auto& device = found[resources[r].physical < resources.size() ? resources[r].physical : r];
    if (launches) device.events.push_back({launches, kernels, 0});
    if (copies) device.events.push_back({copies, nullptr, bits({u::kBusy, u::kMovesAll, u::kMoves})});
    device.row.collectives = device.row.collectives || series.find(SeriesKind::Collectives, r);
  }
  std::vector<DeviceEvents> rows;
  for (auto& [resource, device] : found) {
    const auto process = resources[resource].parent;
    device.row.trace = trace;
    device.row.resource = resource;
    device.row.number = resources[resource].number;
    device.row.name = fmt::format("GPU {}", device.row.number);
    if (is_process(store, process)) {
      device.row.rank = resources[process].rank;
      device.row.name = fmt::format("{} · {}", process_label(session, trace, process), device.row.name);
    }
    rows.push_back(std::move(device));
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
  bool any_states = false;
  for (std::uint32_t r = 0; r < resources.size(); ++r)
    any_states = any_states || series.find(SeriesKind::States, r);
  const auto launching =
      any_states ? std::vector<std::uint8_t>(resources.size()) : launching_threads(store, stop);
  const auto running = string_bits(store, is_running_state, bits({u::kRunning, u::kMpi, u::kOffload}));
  const auto offload = string_bits(store, is_offload_call, bits({u::kOffload}));
  const bool any_offload = std::ranges::any_of(*offload, [](std::uint8_t of) { return of != 0; });
  std::vector<HostEvents> rows;
  std::map<std::uint32_t, int> threads_of;
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    const auto* states = series.find(SeriesKind::States, r);
    const auto* mpi = series.find(SeriesKind::MpiCalls, r);
    const auto* calls = series.find(SeriesKind::Calls, r);
    if (resources[r].kind != ResourceKind::Thread || (any_states ? !states : !mpi && !launching[r])) continue;
    HostEvents host;
    host.row = {
        trace, r, resources[r].parent, -1, {}, states != nullptr, mpi != nullptr, calls && any_offload};
    if (states) host.events.push_back({states, running, 0});
    if (mpi) host.events.push_back({mpi, nullptr, bits({u::kMpi, u::kOffload})});
    if (calls) host.events.push_back({calls, offload, 0});
    ++threads_of[host.row.process];
    rows.push_back(std::move(host));
  }
  for (auto& [row, events] : rows) {
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
