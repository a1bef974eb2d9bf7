#include "core/analysis/columns/collective_waits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/base/median.h"
#include "core/base/stop.h"
#include "core/store/columns/memory_activity.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::analysis {
namespace {

struct Launch {
  std::int64_t row = 0, start = 0, end = 0; ///< times on the session's axis
};
/// A device of one trace.
struct CollectivePlace {
  std::size_t trace = 0;
  std::uint32_t device = 0;
  auto operator<=>(const CollectivePlace&) const = default;
};
/// The launches of one kernel, by device.
using OfKernel = std::map<CollectivePlace, std::vector<Launch>>;

std::map<std::uint32_t, OfKernel> launches_of_collectives(const Session& session, Stop& stop) {
  std::map<std::uint32_t, OfKernel> found;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const Trace& trace = session.traces()[t];
    std::vector<std::uint8_t> requested; // by configuration of the trace
    for (const auto c : trace.configuration)
      requested.push_back(session.kernels()[session.configurations()[c].kernel].collective);
    if (std::find(requested.begin(), requested.end(), 1) == requested.end()) continue;
    const auto device = store::physical_devices(trace.store.resources());
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    for (std::size_t row = 0; row < configurations.size(); ++row) {
      if (stop.at(row)) return found;
      const auto configuration = configurations[row];
      if (!requested[configuration]) continue;
      const auto kernel = session.configurations()[trace.configuration[configuration]].kernel;
      const auto begin = starts[row] + trace.shift_ns;
      found[kernel][{t, device[streams[row]]}].push_back(
          {static_cast<std::int64_t>(row), begin, begin + std::max<std::int64_t>(durations[row], 0)});
    }
  }
  return found;
}

bool matched(const OfKernel& kernel) {
  return kernel.size() > 1 && std::all_of(kernel.begin(), kernel.end(), [&](const auto& place) {
           return place.second.size() == kernel.begin()->second.size();
         });
}

/// Shift of each trace that makes collectives end together.
std::vector<double> shifts_of(const std::map<std::uint32_t, OfKernel>& kernels, std::size_t traces,
                              Stop& stop) {
  std::vector<std::vector<double>> later(traces);
  std::size_t first = traces;
  for (const auto& [number, kernel] : kernels) {
    if (!matched(kernel)) continue;
    first = std::min(first, kernel.begin()->first.trace);
    if (kernel.begin()->first.trace != first) continue; // shifts are relative to trace `first`
    for (const auto& [place, launches] : kernel)
      for (std::size_t i = 0; i < launches.size() && place.trace != first && !stop.at(i); ++i)
        later[place.trace].push_back(static_cast<double>(kernel.begin()->second[i].end - launches[i].end));
  }
  std::vector<double> shifts;
  for (auto& of_trace : later)
    shifts.push_back(of_trace.empty() || stop.requested() ? 0 : median_of(of_trace));
  return shifts;
}

} // namespace

bool CollectiveWaits::possible(const Session& session) {
  if (session.launch_order() || std::ranges::none_of(session.kernels(), &Kernel::collective)) return false;
  std::set<CollectivePlace> devices;
  for (std::size_t t = 0; t < session.traces().size(); ++t)
    for (const auto device : store::physical_devices(session.traces()[t].store.resources()))
      if (device != kNone) devices.insert({t, device});
  return devices.size() > 1;
}

Expected<CollectiveWaits::Waits> CollectiveWaits::find(const Job& job) const {
  Stop stop(job);
  Waits waits(session_->traces().size());
  const auto kernels = launches_of_collectives(*session_, stop);
  const auto shifts = shifts_of(kernels, waits.size(), stop);
  for (const auto& [number, kernel] : kernels) {
    const bool same_order = matched(kernel);
    for (std::size_t i = 0; i < kernel.begin()->second.size() && same_order && !stop.at(i); ++i) {
      double last_start = -std::numeric_limits<double>::infinity(), first_end = -last_start;
      for (const auto& [place, launches] : kernel) {
        last_start = std::max(last_start, static_cast<double>(launches[i].start) + shifts[place.trace]);
        first_end = std::min(first_end, static_cast<double>(launches[i].end) + shifts[place.trace]);
      }
      for (const auto& [place, launches] : kernel)
        waits[place.trace].push_back(
            {launches[i].row, last_start < first_end
                                  ? last_start - static_cast<double>(launches[i].start) - shifts[place.trace]
                                  : 0.0});
    }
    if (same_order) continue;
    for (const auto& [place, launches] : kernel)
      for (const auto& launch : launches) waits[place.trace].push_back({launch.row, 0});
  }
  for (auto& of_trace : waits)
    sort_stably(
        of_trace, [](const Wait& a, const Wait& b) { return a.row < b.row; }, stop);
  if (stop.requested()) return Job::cancelled_error();
  return waits;
}

Expected<void> CollectiveWaits::prepare(const Job& job) const {
  return waits_.prepare(job, [this](const Job& with) { return find(with); });
}

void CollectiveWaits::read(const Segment& segment, double* out) const {
  std::fill(out, out + segment.rows(), std::numeric_limits<double>::quiet_NaN());
  const auto& waits = waits_.get([this](const Job& job) { return find(job); })[segment.trace];
  auto wait = std::lower_bound(waits.begin(), waits.end(), segment.first,
                               [](const Wait& w, std::int64_t row) { return w.row < row; });
  for (; wait != waits.end() && wait->row < segment.last; ++wait) out[wait->row - segment.first] = wait->ns;
}

} // namespace jitterscope::analysis
