#include "core/analysis/export/chrome_places.h"

#include <map>
#include <tuple>

namespace jitterscope::analysis {
namespace {

using store::ResourceKind;

constexpr std::int64_t kFirstFree = 1'000'000;

} // namespace

std::int64_t ChromePlaces::free_pid(std::int64_t preferred) {
  while (!pids_.insert(preferred).second) preferred = preferred < kFirstFree ? kFirstFree : preferred + 1;
  return preferred;
}

// Processes first: their numbers identify them for the user, those of devices are repeated in a label.
ChromePlaces::ChromePlaces(const Session& session) {
  for (const auto& trace : session.traces()) {
    auto& places = places_.emplace_back(trace.store.resources().size());
    for (std::size_t r = 0; r < places.size(); ++r) {
      const auto& resource = trace.store.resources()[r];
      if (resource.kind != ResourceKind::Process) continue;
      ++processes_;
      // PyTorch's device 0 has the number 0.
      places[r].pid = free_pid(resource.number > 0 ? resource.number : kFirstFree);
      places[r].rank = resource.rank;
    }
  }
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace)
    add_trace(session.traces()[trace].store.resources(), trace);
}

void ChromePlaces::add_trace(const std::vector<store::Resource>& resources, std::size_t trace) {
  auto& places = places_[trace];
  std::set<std::pair<std::int64_t, std::int64_t>> threads; // pid and tid
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t>
      streams; // count by rank, device and number
  const auto free_tid = [&](std::int64_t pid, std::int64_t preferred) {
    while (!threads.emplace(pid, preferred).second)
      preferred = preferred < kFirstFree ? kFirstFree : preferred + 1;
    return preferred;
  };
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    const auto& resource = resources[r];
    auto& place = places[r];
    if (resource.kind == ResourceKind::Host || resource.kind == ResourceKind::Process) continue;
    const auto& parent = places[resource.parent];
    place.rank = parent.rank;
    place.device = parent.device;
    if (resource.kind == ResourceKind::Device) {
      place.device = resources[resource.physical].number;
      place.pid = free_pid(place.device);
      continue;
    }
    place.pid = parent.pid;
    place.tid = free_tid(place.pid, resource.number);
    if (resource.kind != ResourceKind::Stream) continue;
    place.stream = resource.number;
    place.context = streams[{place.rank, place.device, place.stream}]++;
  }
}

} // namespace jitterscope::analysis
