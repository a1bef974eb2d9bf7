#include "core/import/formats/otf2/definitions.h"

#include <limits>

#include "core/import/records/events.h"
#include "core/import/records/places.h"

namespace jitterscope::import::otf2 {

const std::string& Definitions::string(std::uint64_t number) const {
  static const std::string none;
  const auto found = strings.find(number);
  return found == strings.end() ? none : found->second;
}

std::optional<std::int64_t> Definitions::nanoseconds(std::uint64_t tick) const {
  if (tick < offset || resolution == 0) return {};
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto ticks = tick - offset, seconds = ticks / resolution, rest = ticks % resolution;
  if (seconds > static_cast<std::uint64_t>(kMaxTime) / kSecond) return {};
  constexpr auto kExact =
      std::numeric_limits<std::uint64_t>::max() / kSecond; // no clock ticks faster than at 18 GHz
  const auto part = resolution <= kExact
                        ? rest * kSecond / resolution
                        : static_cast<std::uint64_t>(static_cast<long double>(rest) * kSecond /
                                                     static_cast<long double>(resolution));
  return static_cast<std::int64_t>(seconds * kSecond + part);
}

void Definitions::find_ranks() {
  for (const auto& [number, group] : groups) {
    if (!group.locations) continue;
    for (std::size_t rank = 0; rank < group.members.size(); ++rank)
      if (const auto location = locations.find(group.members[rank]); location != locations.end())
        if (const auto process = groups_of_locations.find(location->second.group);
            process != groups_of_locations.end())
          process->second.rank = static_cast<std::int32_t>(rank);
  }
}

void Definitions::make_resources(Draft& draft) {
  Places places(draft);
  std::int64_t processes = 0;
  for (const auto number : group_order) {
    auto& group = groups_of_locations[number];
    if (group.accelerator) continue;
    group.resource = places.process(group.rank >= 0 ? group.rank : processes, group.name);
    draft.resources[group.resource].rank = group.rank;
    ++processes;
  }
  std::int64_t devices = 0;
  std::unordered_map<std::uint64_t, std::int64_t> device_numbers;
  std::unordered_map<std::uint32_t, std::int64_t> threads, streams; // number made so far, by parent
  for (const auto number : location_order) {
    auto& location = locations[number];
    const auto group = groups_of_locations.find(location.group);
    if (group == groups_of_locations.end()) continue;
    const auto owner = group->second.has_creator ? groups_of_locations.find(group->second.creator) : group;
    auto process = owner == groups_of_locations.end() ? kNone : owner->second.resource;
    if (process == kNone) process = places.process(-1, "unknown process");
    if (!location.stream) {
      location.resource = places.thread(process, threads[process]++, location.name);
      continue;
    }
    const auto [device, added] = device_numbers.try_emplace(location.group, devices);
    devices += added;
    const auto resource = places.device(process, device->second,
                                        group->second.accelerator ? group->second.name : std::string());
    location.resource = places.stream(resource, streams[resource]++, location.name);
  }
}

std::uint32_t Definitions::rank_of(std::uint64_t communicator, std::uint64_t rank) const {
  const auto comm = group_of_communicator.find(communicator);
  const auto group = comm == group_of_communicator.end() ? groups.end() : groups.find(comm->second);
  const auto plain = rank < kNone ? static_cast<std::uint32_t>(rank) : kNone;
  if (group == groups.end() || group->second.locations) return plain;
  if (rank >= group->second.members.size()) return kNone;
  const auto member = group->second.members[rank];
  return member < kNone ? static_cast<std::uint32_t>(member) : kNone;
}

} // namespace jitterscope::import::otf2
