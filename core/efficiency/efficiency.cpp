#include "core/efficiency/efficiency.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/efficiency/places.h"
#include "core/efficiency/processes.h"

namespace jitterscope::efficiency {
namespace {

constexpr std::array<std::string_view, kFactors> kIds = {
    "device.parallel", "device.load_balance", "device.communication", "device.orchestration", "host.parallel",
    "host.mpi",        "host.load_balance",   "host.communication",   "host.offload",         "host.runtime",
    "mpi.parallel",    "mpi.load_balance",    "mpi.communication",    "mpi.serialisation",    "mpi.transfer"};

/// The chosen rows of a question.
struct Chosen {
  std::vector<std::uint8_t> devices, hosts;
  bool any() const { return std::ranges::count(devices, 1) + std::ranges::count(hosts, 1) > 0; }
};

template <class T>
bool accepts(const std::vector<T>& requested, const T& value) {
  return requested.empty() || std::ranges::find(requested, value) != requested.end();
}

Chosen choose(const Activity& activity, const analysis::Session& session, const Options& options) {
  Chosen chosen;
  for (const auto& row : activity.devices())
    chosen.devices.push_back(accepts(options.ranks, row.rank) && accepts(options.devices, row.number) &&
                             accepts(options.traces, session.traces()[row.trace].name));
  for (const auto& row : activity.hosts())
    chosen.hosts.push_back(accepts(options.ranks, row.rank) &&
                           accepts(options.traces, session.traces()[row.trace].name));
  return chosen;
}

template <class T>
std::vector<T> only(const std::vector<T>& all, const std::vector<std::uint8_t>& chosen) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) some.push_back(all[i]);
  return some;
}

std::vector<std::size_t> rows_of(const std::vector<std::uint8_t>& chosen) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < chosen.size(); ++row)
    if (chosen[row]) rows.push_back(row);
  return rows;
}

/// What some host threads record, and their processes.
struct Recorded {
  bool mpi = false, offload = false, states = false;
  MpiRows mpi_rows = MpiRows::None;
  Processes processes;
};

Recorded recorded_of(const Activity& activity, const std::vector<std::size_t>& hosts) {
  Recorded r;
  for (const auto row : hosts) {
    const auto& host = activity.hosts()[row];
    r.mpi = r.mpi || host.mpi;
    r.offload = r.offload || host.offload;
    r.states = r.states || host.states;
  }
  r.processes = processes_of(activity, hosts);
  if (r.mpi)
    r.mpi_rows = r.states && !r.processes.any_with_threads() ? MpiRows::Threads : MpiRows::Masters;
  else if (r.states)
    r.mpi_rows = MpiRows::Threads;
  return r;
}

bool any_collectives(const Activity& activity, const Chosen& chosen) {
  for (std::size_t d = 0; d < chosen.devices.size(); ++d)
    if (chosen.devices[d] && activity.devices()[d].collectives) return true;
  return false;
}

// Factors of quantities that are not recorded are unknown, not 1: the cost of offloading without calls of a
// GPU's runtime, that of MPI without MPI calls, and the computation time of a host without any calls or
// states.
Factors factors_of(const std::vector<DeviceTime>& devices, const std::vector<HostTime>& hosts,
                   const Recorded& recorded, std::int64_t elapsed, std::optional<std::int64_t> ideal) {
  Factors f;
  const auto device = device_efficiencies(devices, elapsed);
  f[Factor::DeviceParallel] = device.parallel;
  f[Factor::DeviceLoadBalance] = device.load_balance;
  f[Factor::DeviceCommunication] = device.communication;
  f[Factor::DeviceOrchestration] = device.orchestration;
  if (hosts.empty()) return f;
  const auto host = host_efficiencies(hosts, elapsed, recorded.processes.of);
  f[Factor::HostParallel] = host.parallel;
  if (recorded.mpi) {
    f[Factor::HostMpi] = host.mpi;
    f[Factor::HostLoadBalance] = host.load_balance;
    f[Factor::HostCommunication] = host.communication;
  }
  if (recorded.offload) f[Factor::HostOffload] = host.offload;
  if (recorded.states) f[Factor::HostRuntime] = host.runtime;
  if (recorded.mpi_rows == MpiRows::None) return f;
  std::vector<std::int64_t> useful;
  if (recorded.mpi_rows == MpiRows::Masters)
    for (const auto master : recorded.processes.masters) useful.push_back(elapsed - hosts[master].mpi);
  else
    for (const auto& one : hosts) useful.push_back(one.useful);
  const auto mpi = mpi_efficiencies(useful, elapsed, ideal);
  f[Factor::MpiParallel] = mpi.parallel;
  f[Factor::MpiLoadBalance] = mpi.load_balance;
  f[Factor::MpiCommunication] = mpi.communication;
  f[Factor::MpiSerialisation] = mpi.serialisation;
  f[Factor::MpiTransfer] = mpi.transfer;
  return f;
}

Expected<void> check(const Options& options, const Interval& range, const Chosen& chosen) {
  if (!chosen.any())
    return failure(ErrorKind::BadUse, "the chosen devices and host threads have no activity", {}, {},
                   "Choose others, or open a trace with kernels, memory operations, states or MPI calls.");
  const auto longest = store::kFarthestTime;
  const auto bad = [&](const Interval& i) {
    return i.empty() || i.begin.count < -longest || i.end.count > longest;
  };
  if (bad(range) || std::ranges::any_of(options.parts, bad))
    return failure(ErrorKind::BadUse, "a range is empty or outside the supported times (±2^61 ns)", {},
                   "range", "Choose a range inside the trace.");
  const auto cells =
      static_cast<std::int64_t>((options.parts.size() + 1) * (chosen.devices.size() + chosen.hosts.size()));
  if (cells > kMaxCells)
    return failure(
        ErrorKind::BadUse,
        fmt::format("{} ranges are too many for this number of devices and threads", options.parts.size()),
        {}, {}, "Choose fewer ranges, ranks or devices.");
  return {};
}

} // namespace

std::string_view id_of(Factor factor) {
  return kIds[static_cast<std::size_t>(factor)];
}

std::optional<Factor> parent_of(Factor factor) {
  switch (factor) {
  case Factor::DeviceParallel:
  case Factor::HostParallel:
  case Factor::MpiParallel:
    return {};
  case Factor::DeviceLoadBalance:
  case Factor::DeviceCommunication:
  case Factor::DeviceOrchestration:
    return Factor::DeviceParallel;
  case Factor::HostMpi:
  case Factor::HostOffload:
  case Factor::HostRuntime:
    return Factor::HostParallel;
  case Factor::HostLoadBalance:
  case Factor::HostCommunication:
    return Factor::HostMpi;
  case Factor::MpiLoadBalance:
  case Factor::MpiCommunication:
    return Factor::MpiParallel;
  default:
    return Factor::MpiCommunication;
  }
}

Factors factors_of(const Activity& activity, const Result& of, const std::vector<std::size_t>& devices,
                   const std::vector<std::size_t>& hosts) {
  std::vector<DeviceTime> device_times;
  std::vector<HostTime> host_times;
  std::vector<std::size_t> host_rows;
  for (const auto d : devices) device_times.push_back(of.devices[d].time);
  for (const auto h : hosts) host_times.push_back(of.hosts[h].time), host_rows.push_back(of.hosts[h].row);
  auto recorded = recorded_of(activity, host_rows);
  if (of.mpi_recorded) recorded.mpi_rows = recorded.mpi ? of.mpi_rows : MpiRows::None;
  return factors_of(device_times, host_times, recorded, of.range.length().count, {});
}

Expected<Result> efficiencies(const Activity& activity, const analysis::Session& session,
                              const Options& options, Communicator& communicator, const Job& job) {
  const auto chosen = choose(activity, session, options);
  const auto range = options.range.value_or(
      activity.extent(chosen.devices, std::ranges::count(chosen.devices, 1) > 0
                                          ? std::vector<std::uint8_t>(chosen.hosts.size())
                                          : chosen.hosts));
  if (auto good = check(options, range, chosen); !good) return forward(good.error());
  std::vector<Interval> ranges{range};
  ranges.insert(ranges.end(), options.parts.begin(), options.parts.end());
  auto times = activity.times(ranges, options.collectives, communicator, job);
  if (!times) return forward(times.error());
  Result result;
  result.range = range;
  result.range_given = options.range.has_value();
  result.collectives = options.collectives;
  for (std::size_t d = 0; d < chosen.devices.size(); ++d)
    if (chosen.devices[d]) result.devices.push_back({d, times->devices[0][d]});
  for (std::size_t h = 0; h < chosen.hosts.size(); ++h)
    if (chosen.hosts[h]) result.hosts.push_back({h, times->hosts[0][h]});
  const auto recorded = recorded_of(activity, rows_of(chosen.hosts));
  result.mpi_recorded = recorded.mpi, result.offload_recorded = recorded.offload;
  result.states_recorded = recorded.states, result.mpi_rows = recorded.mpi_rows;
  result.collectives_recorded = any_collectives(activity, chosen);
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    Result::Part part{
        ranges[r], {}, only(times->devices[r], chosen.devices), only(times->hosts[r], chosen.hosts)};
    part.factors = factors_of(part.devices, part.hosts, recorded, ranges[r].length().count,
                              r == 0 ? options.ideal : std::nullopt);
    if (r == 0)
      result.factors = part.factors;
    else
      result.parts.push_back(std::move(part));
  }
  if (auto found = find_losses(activity, result, communicator); !found) return forward(found.error());
  return result;
}

} // namespace jitterscope::efficiency
