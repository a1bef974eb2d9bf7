#include "core/efficiency/kernel_time.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/efficiency/activity_rows.h"

namespace jitterscope::efficiency {
namespace {

/// By resource: 1 for each stream of a trace whose device is among those of the result.
std::vector<std::uint8_t> chosen_streams(const Activity& activity, const analysis::Session& session,
                                         const Result& result, std::size_t trace) {
  const auto& resources = session.traces()[trace].store.resources();
  const auto hardware = [&](std::uint32_t device) { return hardware_of(resources, device); };
  std::set<std::pair<std::uint32_t, std::uint32_t>> parts; // device, process
  std::vector<std::uint8_t> devices(resources.size()), streams(resources.size());
  for (const auto& device : result.devices) {
    const auto& row = activity.devices()[device.row];
    if (row.trace != trace) continue;
    if (row.sharing == Sharing::Part)
      parts.emplace(hardware(row.resource), row.process);
    else
      devices[hardware(row.resource)] = 1;
  }
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const auto device = resources[r].parent;
    if (resources[r].kind != store::ResourceKind::Stream || device >= resources.size()) continue;
    streams[r] = devices[hardware(device)] || parts.contains({hardware(device), resources[device].parent});
  }
  return streams;
}

} // namespace

Expected<std::vector<KernelTime>> kernel_times(const Activity& activity, const analysis::Session& session,
                                               const Result& result, Communicator& communicator,
                                               const Job& job) {
  Stop stop(job);
  const auto kernels = session.kernels().size();
  std::vector<std::int64_t> sums(2 * kernels);
  const auto& range = result.range; // launches that start before it may overlap it
  const Interval until{std::min(session.launch_span().begin, range.begin), range.end};
  for (const auto& segment : session.launches_in(until)) {
    const auto& trace = session.traces()[segment.trace];
    const auto chosen = chosen_streams(activity, session, result, segment.trace);
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    const auto share = share_of(segment.rows(), communicator.rank(), communicator.size());
    for (auto i = segment.first + share.first; i < segment.first + share.last; ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (stop.at(row)) return Job::cancelled_error();
      if (streams[row] >= chosen.size() || !chosen[streams[row]]) continue;
      const auto begin = starts[row] + trace.shift_ns;
      const auto duration = std::max<std::int64_t>(durations[row], 0);
      if (begin < range.begin.count && begin + duration <= range.begin.count) continue;
      const auto kernel = session.configurations()[trace.configuration[configurations[row]]].kernel;
      ++sums[2 * kernel];
      sums[2 * kernel + 1] +=
          std::min(begin + duration, range.end.count) - std::max(begin, range.begin.count);
    }
  }
  if (auto done = communicator.sum(sums); !done) return forward(done.error());
  std::vector<KernelTime> times;
  for (std::uint32_t k = 0; k < kernels; ++k)
    if (sums[2 * k] > 0) times.push_back({k, session.kernels()[k].collective, sums[2 * k], sums[2 * k + 1]});
  return times;
}

} // namespace jitterscope::efficiency
