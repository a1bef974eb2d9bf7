#include "core/analysis/export/place_labels.h"

#include <map>
#include <tuple>

#include <fmt/core.h>

namespace jitterscope::analysis {
namespace {

using store::Resource;
using store::ResourceKind;

struct Place {
  std::size_t trace = 0;
  std::uint32_t stream = 0, device = kNone, process = kNone; ///< rows of the resource tree
};

std::vector<Place> places_of(const Session& session) {
  std::vector<Place> places;
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace) {
    const auto& resources = session.traces()[trace].store.resources();
    for (std::uint32_t r = 0; r < resources.size(); ++r) {
      Place place{trace, r, kNone, kNone};
      for (auto at = r; at != kNone; at = resources[at].parent) {
        if (resources[at].kind == ResourceKind::Device) place.device = at;
        if (resources[at].kind == ResourceKind::Process) place.process = at;
      }
      places.push_back(place);
    }
  }
  return places;
}

} // namespace

PlaceLabels::PlaceLabels(const Session& session) {
  const auto places = places_of(session);
  const auto resource = [&](const Place& place, std::uint32_t row) -> const Resource& {
    return session.traces()[place.trace].store.resources()[row];
  };
  const auto rank = [&](const Place& place) {
    return place.process == kNone ? -1 : resource(place, place.process).rank;
  };
  const auto physical = [&](const Place& place) { return resource(place, place.device).physical; };
  std::map<std::pair<std::int32_t, std::int64_t>, std::pair<std::size_t, std::uint32_t>> owners;
  std::map<std::pair<std::int32_t, std::int64_t>, bool> shared_devices;
  std::map<std::tuple<std::int32_t, std::size_t, std::uint32_t, std::int64_t>, int> streams;
  for (const auto& place : places) {
    if (place.device == kNone) continue;
    const std::pair key(rank(place), resource(place, physical(place)).number);
    const auto [owner, added] = owners.try_emplace(key, place.trace, physical(place));
    shared_devices[key] |= owner->second != std::pair(place.trace, physical(place));
    if (place.stream != place.device)
      ++streams[{rank(place), place.trace, physical(place), resource(place, place.stream).number}];
  }
  const auto prefix = [&](const Place& place) {
    return fmt::format("{} process {} ", session.traces()[place.trace].name,
                       place.process == kNone ? 0 : resource(place, place.process).number);
  };
  for (const auto& trace : session.traces()) {
    devices_.emplace_back(trace.store.resources().size());
    streams_.emplace_back(trace.store.resources().size());
  }
  std::map<std::pair<std::size_t, std::string>, int> used;
  for (const auto& place : places) {
    const auto number = resource(place, place.stream).number;
    auto& stream = streams_[place.trace][place.stream];
    stream = fmt::format("{}", number);
    if (place.device == kNone) continue;
    const auto device_number = resource(place, physical(place)).number;
    auto& device = devices_[place.trace][place.stream];
    device = fmt::format("{}", device_number);
    if (shared_devices[{rank(place), device_number}])
      device = fmt::format("{}GPU {}", prefix(place), device_number);
    if (place.stream == place.device) continue;
    if (streams[{rank(place), place.trace, physical(place), number}] > 1) {
      const auto text = fmt::format("{}stream {}", prefix(place), number);
      const auto copies = ++used[{place.trace, text + "/" + device}];
      stream = copies > 1 ? fmt::format("{}context {} stream {}", prefix(place), copies, number) : text;
    }
  }
}

} // namespace jitterscope::analysis
