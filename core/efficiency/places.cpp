#include "core/efficiency/places.h"

#include <algorithm>
#include <functional>

#include "core/efficiency/processes.h"

namespace jitterscope::efficiency {
namespace {

/// Loss of a factor on a row, compared with another one, from the times of both in the same range.
template <class Time>
using LostOn = std::function<std::int64_t(const Time& row, const Time& other)>;

template <class Time>
struct Suspect {
  Factor factor{};
  double cost_ns = 0;
  std::size_t row = 0, other = 0; ///< indices in the result's devices or hosts
  bool compares = false;          ///< whether the loss is relative to `other`
  LostOn<Time> lost;
};

template <class Row, class Value>
std::size_t highest(const std::vector<Row>& rows, Value&& value) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (value(rows[i].time) > value(rows[found].time)) found = i;
  return found;
}

template <class Row, class Value>
double mean(const std::vector<Row>& rows, Value&& value) {
  Int128 sum = 0;
  for (const auto& row : rows) sum += value(row.time);
  return static_cast<double>(sum) / static_cast<double>(rows.size());
}

std::vector<Suspect<DeviceTime>> device_suspects(const Result& result) {
  const auto& rows = result.devices;
  if (rows.empty()) return {};
  const auto elapsed = static_cast<double>(result.range.length().count);
  const auto useful = [](const DeviceTime& t) { return t.useful; };
  const auto busy = [](const DeviceTime& t) { return t.useful + t.communication; };
  const auto max_useful = highest(rows, useful), max_busy = highest(rows, busy);
  const auto minimum = highest(rows, [](const DeviceTime& t) { return -t.useful; });
  const auto u = static_cast<double>(rows[max_useful].time.useful);
  const auto b = static_cast<double>(busy(rows[max_busy].time));
  const auto average = mean(rows, useful);
  return {{Factor::DeviceParallel, elapsed - average, minimum, minimum, false,
           [](const auto& t, const auto&) { return t.communication + t.idle; }},
          {Factor::DeviceLoadBalance, u - average, minimum, max_useful, true,
           [](const auto& t, const auto& other) { return other.useful - t.useful; }},
          {Factor::DeviceCommunication, b - u, max_busy, max_busy, false,
           [](const auto& t, const auto&) { return t.communication; }},
          {Factor::DeviceOrchestration, elapsed - b, max_busy, max_busy, false,
           [](const auto& t, const auto&) { return t.idle; }}};
}

/// A process by its time in MPI calls.
struct MpiOfProcess {
  double mean = 0;     ///< over its threads [ns]
  std::size_t row = 0; ///< its thread with the longest time, as index of Result::hosts
};

std::vector<MpiOfProcess> mpi_of_processes(const Result& result, const Processes& processes) {
  std::vector<Int128> sums(processes.masters.size()), threads(processes.masters.size());
  std::vector<MpiOfProcess> of;
  for (const auto master : processes.masters) of.push_back({0, master});
  for (std::size_t h = 0; h < result.hosts.size(); ++h) {
    const auto process = processes.of[h];
    sums[process] += result.hosts[h].time.mpi;
    ++threads[process];
    if (result.hosts[h].time.mpi > result.hosts[of[process].row].time.mpi) of[process].row = h;
  }
  for (std::size_t p = 0; p < of.size(); ++p)
    of[p].mean = static_cast<double>(sums[p]) / static_cast<double>(threads[p]);
  return of;
}

/// Suspects of the POP hierarchy if it consists of the time outside MPI of the master threads.
void add_masters(const Result& result, const Processes& processes, std::vector<Suspect<HostTime>>& all) {
  const auto mpi = [&](std::size_t master) { return result.hosts[master].time.mpi; };
  auto waits = processes.masters.front(), works = waits;
  Int128 sum = 0;
  for (const auto master : processes.masters) {
    sum += mpi(master);
    if (mpi(master) > mpi(waits)) waits = master;
    if (mpi(master) < mpi(works)) works = master;
  }
  const auto average = static_cast<double>(sum) / static_cast<double>(processes.masters.size());
  const auto shortest = static_cast<double>(mpi(works));
  const auto of_mpi = [](const HostTime& t, const HostTime&) { return t.mpi; };
  all.push_back({Factor::MpiParallel, average, waits, waits, false, of_mpi});
  all.push_back({Factor::MpiLoadBalance, average - shortest, waits, works, true,
                 [](const auto& t, const auto& o) { return t.mpi - o.mpi; }});
  all.push_back({Factor::MpiCommunication, shortest, works, works, false, of_mpi});
}

std::vector<Suspect<HostTime>> host_suspects(const Result& result, const Processes& processes) {
  const auto& rows = result.hosts;
  if (rows.empty()) return {};
  const auto elapsed = static_cast<double>(result.range.length().count);
  const auto useful = [](const HostTime& t) { return t.useful; };
  const auto mpi = [](const HostTime& t) { return t.mpi; };
  const auto offload = [](const HostTime& t) { return t.offload; };
  const auto other = [](const HostTime& t) { return t.other; };
  const auto minimum = highest(rows, [](const HostTime& t) { return -t.useful; });
  const auto maximum = highest(rows, useful);
  const auto waiting = mpi_of_processes(result, processes);
  const auto by_mean = [](const MpiOfProcess& a, const MpiOfProcess& b) { return a.mean < b.mean; };
  const auto waits = std::ranges::max_element(waiting, by_mean)->row;
  const auto shortest = std::ranges::min_element(waiting, by_mean)->mean;
  const auto works = std::ranges::min_element(waiting, by_mean)->row;
  const auto computing = static_cast<double>(rows[maximum].time.useful);
  const auto of_mpi = [](const HostTime& t, const HostTime&) { return t.mpi; };
  const auto of_rest = [](const HostTime& t, const HostTime&) { return t.mpi + t.offload + t.other; };
  std::vector<Suspect<HostTime>> all = {
      {Factor::HostParallel, elapsed - mean(rows, useful), minimum, minimum, false, of_rest},
      {Factor::HostMpi, mean(rows, mpi), waits, waits, false, of_mpi},
      {Factor::HostLoadBalance, mean(rows, mpi) - shortest, waits, works, true,
       [](const auto& t, const auto& o) { return t.mpi - o.mpi; }},
      {Factor::HostCommunication, shortest, works, works, false, of_mpi},
      {Factor::HostOffload, mean(rows, offload), highest(rows, offload), 0, false,
       [](const auto& t, const auto&) { return t.offload; }},
      {Factor::HostRuntime, mean(rows, other), highest(rows, other), 0, false,
       [](const auto& t, const auto&) { return t.other; }}};
  if (result.mpi_rows == MpiRows::Masters) {
    add_masters(result, processes, all);
    return all;
  }
  all.push_back({Factor::MpiParallel, elapsed - mean(rows, useful), minimum, minimum, false, of_rest});
  all.push_back({Factor::MpiLoadBalance, computing - mean(rows, useful), minimum, maximum, true,
                 [](const auto& t, const auto& o) { return o.useful - t.useful; }});
  all.push_back({Factor::MpiCommunication, elapsed - computing, maximum, maximum, false, of_rest});
  return all;
}

std::vector<Interval> windows_of(const Interval& range) {
  const auto count = std::min<std::int64_t>(kWindows, range.length().count);
  std::vector<Interval> windows;
  for (std::int64_t w = 0; w < count; ++w) {
    const auto share = share_of(range.length().count, static_cast<int>(w), static_cast<int>(count));
    windows.push_back({{range.begin.count + share.first}, {range.begin.count + share.last}});
  }
  return windows;
}

/// Place of a suspect's loss: of the stretches of windows that lose at least half as much as the window with
/// the largest loss, the one that loses most.
template <class Time>
Place place_of(const Suspect<Time>& suspect, const std::vector<Interval>& windows,
               const std::vector<std::vector<Time>>& times, std::size_t row, std::size_t other) {
  std::vector<std::int64_t> lost;
  for (const auto& window : times) lost.push_back(suspect.lost(window[row], window[other]));
  const auto largest = std::ranges::max(lost);
  Place place;
  place.row = suspect.row;
  if (suspect.compares) place.other = suspect.other;
  place.when = windows.front();
  place.lost_inside = INT64_MIN;
  std::int64_t inside = 0;
  for (std::size_t first = 0, w = 0; w < lost.size(); ++w) {
    place.lost += lost[w];
    if (lost[w] <= 0 || 2 * lost[w] < largest) {
      first = w + 1, inside = 0;
      continue;
    }
    inside += lost[w];
    if (inside > place.lost_inside)
      place.lost_inside = inside, place.when = {windows[first].begin, windows[w].end};
  }
  if (place.lost_inside == INT64_MIN) place.lost_inside = lost.front();
  return place;
}

/// Rows of suspects, as indices of Activity, ascending.
template <class Time, class Rows>
std::vector<std::size_t> rows_of(const std::vector<Suspect<Time>>& suspects, const Rows& rows) {
  std::vector<std::size_t> found;
  for (const auto& suspect : suspects)
    for (const auto row : {suspect.row, suspect.other}) found.push_back(rows[row].row);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// `times`: by window, for the rows in `listed`.
template <class Time, class Rows>
void add_losses(const std::vector<Suspect<Time>>& suspects, const Rows& rows,
                const std::vector<std::size_t>& listed, const std::vector<Interval>& windows,
                const std::vector<std::vector<Time>>& times, bool device, Result& result) {
  const auto place_in = [&](std::size_t row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(listed, rows[row].row) - listed.begin());
  };
  for (const auto& suspect : suspects) {
    if (!result.factors[suspect.factor].known()) continue;
    Loss loss{suspect.factor, suspect.cost_ns, {}};
    auto place = place_of(suspect, windows, times, place_in(suspect.row), place_in(suspect.other));
    place.device = device;
    if (suspect.cost_ns > 0 && place.lost > 0) loss.place = place;
    result.losses.push_back(loss);
  }
}

/// Costs of the two factors into which an ideal network splits communication: T − T_ideal, T_ideal − max U.
void add_ideal(Result& result) {
  if (!result.factors[Factor::MpiTransfer].known()) return;
  const auto ideal = static_cast<double>(result.factors[Factor::MpiTransfer].part);
  const auto maximum = static_cast<double>(result.factors[Factor::MpiSerialisation].part);
  result.losses.push_back({Factor::MpiSerialisation, ideal - maximum, {}});
  result.losses.push_back(
      {Factor::MpiTransfer, static_cast<double>(result.range.length().count) - ideal, {}});
}

} // namespace

Expected<void> find_losses(const Activity& activity, Result& result, Communicator& communicator) {
  const auto devices = device_suspects(result);
  std::vector<std::size_t> all_hosts;
  for (const auto& host : result.hosts) all_hosts.push_back(host.row);
  const auto hosts = host_suspects(result, processes_of(activity, all_hosts));
  const auto device_rows = rows_of(devices, result.devices), host_rows = rows_of(hosts, result.hosts);
  const auto windows = windows_of(result.range);
  auto times = activity.times_of(device_rows, host_rows, windows, result.collectives, communicator);
  if (!times) return forward(times.error());
  add_losses(devices, result.devices, device_rows, windows, times->devices, true, result);
  add_losses(hosts, result.hosts, host_rows, windows, times->hosts, false, result);
  add_ideal(result);
  return {};
}

} // namespace jitterscope::efficiency
