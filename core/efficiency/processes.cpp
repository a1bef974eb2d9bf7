#include "core/efficiency/processes.h"

#include <map>

namespace jitterscope::efficiency {

Processes processes_of(const Activity& activity, const std::vector<std::size_t>& rows) {
  Processes processes;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> found; // by trace and process
  for (std::size_t h = 0; h < rows.size(); ++h) {
    const auto& host = activity.hosts()[rows[h]];
    const auto [at, added] = found.try_emplace({host.trace, host.process}, processes.masters.size());
    if (added) processes.masters.push_back(h);
    auto& master = processes.masters[at->second];
    if (host.mpi && !activity.hosts()[rows[master]].mpi) master = h;
    processes.of.push_back(at->second);
  }
  return processes;
}

} // namespace jitterscope::efficiency
