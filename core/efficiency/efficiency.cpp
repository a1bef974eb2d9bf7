#include "core/efficiency/efficiency.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "core/base/time.h"
#include "core/efficiency/activity_rows.h"
#include "core/efficiency/chosen_numbers.h"
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

/// Trace, and row of its resources.
using Hardware = std::pair<std::size_t, std::uint32_t>;
Hardware hardware_of_row(const analysis::Session& session, const DeviceRow& row) {
  return {row.trace, hardware_of(session.traces()[row.trace].store.resources(), row.resource)};
}

/// Parts of the chosen shared devices.
std::vector<DeviceResult> parts_of(const Activity& activity, const analysis::Session& session,
                                   const Chosen& chosen, const std::vector<DeviceTime>& times) {
  std::set<Hardware> whole;
  const auto& rows = activity.devices();
  for (std::size_t d = 0; d < rows.size(); ++d)
    if (chosen.devices[d] && rows[d].sharing == Sharing::Whole)
      whole.insert(hardware_of_row(session, rows[d]));
  std::vector<DeviceResult> parts;
  for (std::size_t d = 0; d < rows.size(); ++d)
    if (rows[d].sharing == Sharing::Part && whole.contains(hardware_of_row(session, rows[d])))
      parts.push_back({d, times[d]});
  return parts;
}

Chosen choose(const Activity& activity, const analysis::Session& session, const Options& options) {
  Chosen chosen;
  // Of a shared device the part of each chosen rank, but the whole device if all of its ranks are chosen.
  std::set<Hardware> divided;
  for (const auto& row : activity.devices())
    if (row.sharing == Sharing::Part && !accepts(options.ranks, row.rank))
      divided.insert(hardware_of_row(session, row));
  for (const auto& row : activity.devices()) {
    const bool part = row.sharing == Sharing::Part, whole = row.sharing == Sharing::Whole;
    const bool fits =
        !part && !whole ? accepts(options.ranks, row.rank)
        : part          ? divided.contains(hardware_of_row(session, row)) && accepts(options.ranks, row.rank)
                        : !divided.contains(hardware_of_row(session, row));
    chosen.devices.push_back(fits && accepts(options.devices, row.number) &&
                             accepts(options.traces, session.traces()[row.trace].name));
  }
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

Expected<void> check(const Options& options, const Interval& range, const Interval& recorded,
                     const Chosen& chosen) {
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
  if (common_part(range, recorded).empty())
    return failure(ErrorKind::BadUse, "nothing is recorded in the range " + exact_range(range), {}, "range",
                   "The trace records " + exact_range(recorded) + ".");
  const auto cells =
      static_cast<std::int64_t>((options.parts.size() + 2) * (chosen.devices.size() + chosen.hosts.size()));
  if (cells > kMaxCells)
    return failure(
        ErrorKind::BadUse,
        fmt::format("{} ranges are too many for this number of devices and threads", options.parts.size()),
        {}, {}, "Choose fewer ranges, ranks or devices.");
  const auto elapsed = common_part(range, recorded).length().count;
  if (options.ideal && (*options.ideal <= 0 || *options.ideal > elapsed))
    return failure(ErrorKind::BadUse,
                   fmt::format("the time on an ideal network, {}, is not between 0 and the elapsed time, {}",
                               exact_time(*options.ideal), exact_time(elapsed)),
                   {}, "ideal-time", "State the elapsed time that Dimemas computes for the same range.");
  return {};
}

HostActivity activity_of(const Activity& activity, const Chosen& chosen, const std::vector<HostTime>& times) {
  HostActivity sum;
  for (std::size_t h = 0; h < chosen.hosts.size(); ++h) {
    if (!chosen.hosts[h]) continue;
    const auto& time = times[h];
    sum.mpi += time.mpi;
    sum.all += time.mpi + time.offload + (activity.hosts()[h].states ? time.useful : 0);
  }
  return sum;
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

Factors factors_of(const Activity& activity, const Result& of, const std::vector<DeviceTime>& device_times,
                   const std::vector<std::size_t>& hosts) {
  std::vector<HostTime> host_times;
  std::vector<std::size_t> host_rows;
  for (const auto h : hosts) host_times.push_back(of.hosts[h].time), host_rows.push_back(of.hosts[h].row);
  auto recorded = recorded_of(activity, host_rows);
  if (of.mpi_recorded) recorded.mpi_rows = recorded.mpi ? of.mpi_rows : MpiRows::None;
  return factors_of(device_times, host_times, recorded, of.range.length().count, {});
}

Interval common_part(const Interval& range, const Interval& of) {
  return {{std::clamp(range.begin.count, of.begin.count, of.end.count)},
          {std::clamp(range.end.count, of.begin.count, of.end.count)}};
}

Interval recorded_time(const Activity& activity, const analysis::Session& session) {
  auto time = activity.extent(std::vector<std::uint8_t>(activity.devices().size(), 1),
                              std::vector<std::uint8_t>(activity.hosts().size(), 1));
  const auto& all = session.span();
  if (time.empty()) time = all;
  if (time.empty()) return time;
  if (!all.empty()) time = {std::min(all.begin, time.begin), std::max(all.end, time.end)};
  for (const auto& host : activity.hosts())
    if (host.mpi || host.states)
      time.begin.count = std::min(time.begin.count, session.traces()[host.trace].shift_ns);
  return time;
}

Expected<Result> efficiencies(const Activity& activity, const analysis::Session& session,
                              const Options& options, Communicator& communicator, const Job& job) {
  std::vector<const store::Store*> stores;
  for (const auto& trace : session.traces())
    if (accepts(options.traces, trace.name)) stores.push_back(&trace.store);
  if (auto present = require_present(stores, options.ranks, options.devices); !present)
    return forward(present.error());
  const auto chosen = choose(activity, session, options);
  Options all_rows; // of the chosen traces: the range does not depend on the chosen ranks and devices
  all_rows.traces = options.traces;
  const auto rows = choose(activity, session, all_rows);
  const auto all = activity.extent(rows.devices, rows.hosts);
  const auto range =
      options.range.value_or(std::ranges::count(rows.devices, 1) > 0
                                 ? activity.extent(rows.devices, std::vector<std::uint8_t>(rows.hosts.size()))
                                 : all);
  const auto recorded_range = options.recorded.value_or(recorded_time(activity, session));
  if (auto good = check(options, range, recorded_range, chosen); !good) return forward(good.error());
  Result result;
  result.range = common_part(range, recorded_range);
  result.range_given = options.range.has_value();
  if (result.range != range) result.requested = range;
  result.recorded = all;
  result.collectives = options.collectives;
  std::vector<Interval> ranges{result.range, all};
  for (const auto& part : options.parts) ranges.push_back(common_part(part, recorded_range));
  auto times = activity.times(ranges, options.collectives, communicator, job);
  if (!times) return forward(times.error());
  for (std::size_t d = 0; d < chosen.devices.size(); ++d)
    if (chosen.devices[d]) result.devices.push_back({d, times->devices[0][d]});
  result.parts_of_devices = parts_of(activity, session, chosen, times->devices[0]);
  for (std::size_t h = 0; h < chosen.hosts.size(); ++h)
    if (chosen.hosts[h]) result.hosts.push_back({h, times->hosts[0][h]});
  auto recorded = recorded_of(activity, rows_of(chosen.hosts));
  if (const auto of_all = recorded_of(activity, rows_of(rows.hosts)); of_all.mpi) // one model for all subsets
    recorded.mpi_rows = recorded.mpi ? of_all.mpi_rows : MpiRows::None;
  result.mpi_recorded = recorded.mpi, result.offload_recorded = recorded.offload;
  result.states_recorded = recorded.states, result.mpi_rows = recorded.mpi_rows;
  result.collectives_recorded = any_collectives(activity, chosen);
  const auto inside = activity_of(activity, chosen, times->hosts[0]);
  result.recorded_hosts = activity_of(activity, chosen, times->hosts[1]);
  result.hosts_outside = {result.recorded_hosts.all - inside.all, result.recorded_hosts.mpi - inside.mpi};
  result.factors = factors_of(only(times->devices[0], chosen.devices), only(times->hosts[0], chosen.hosts),
                              recorded, result.range.length().count, options.ideal);
  for (std::size_t p = 0; p < options.parts.size(); ++p) {
    Result::Part part{options.parts[p],
                      ranges[p + 2].length().count,
                      {},
                      only(times->devices[p + 2], chosen.devices),
                      only(times->hosts[p + 2], chosen.hosts)};
    part.factors = factors_of(part.devices, part.hosts, recorded, part.elapsed, {});
    result.parts.push_back(std::move(part));
  }
  if (auto found = find_losses(activity, result, communicator); !found) return forward(found.error());
  return result;
}

} // namespace jitterscope::efficiency
