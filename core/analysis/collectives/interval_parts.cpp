#include "core/analysis/collectives/interval_parts.h"

#include <algorithm>

namespace jitterscope::analysis {

IntervalReader::IntervalReader(const Session& session, const Tracks& tracks, std::uint32_t collectives,
                               HostNames& names)
    : trace_(session.traces()[tracks.list()[collectives].trace]), names_(names),
      host_(session, tracks, tracks.list()[collectives].trace, names) {
  const auto device = tracks.list()[collectives].parent;
  launches_.push_back(&tracks.levels(static_cast<std::uint32_t>(device)));
  for (const auto& track : tracks.list())
    if (track.parent == device && (track.kind == TrackKind::Copies || track.kind == TrackKind::Migrations))
      memory_.push_back(&tracks.levels(track.id));
}

std::int64_t IntervalReader::end_of(std::size_t launch) const {
  return trace_.starts()[launch] + std::max<std::int64_t>(trace_.durations()[launch], 0);
}

std::optional<IntervalReader::HostCall> IntervalReader::call_of(const char* table, std::size_t row) const {
  const auto call = trace_.store.column<std::uint32_t>(table, "call")[row];
  if (call == kNone) return std::nullopt;
  return HostCall{trace_.store.starts("calls")[call],
                  trace_.store.column<std::uint32_t>("calls", "thread")[call]};
}

// All activities of the device in [begin, end), by start time, then the collective that starts at `end`.
std::vector<IntervalReader::Activity> IntervalReader::activities(std::int64_t begin, std::int64_t end,
                                                                 std::size_t next) {
  std::vector<Activity> found;
  const auto collect = [&](const TrackLevels& levels, const char* table, bool kernels) {
    for (const auto* series : levels) {
      if (!series) continue;
      const auto add = [&](std::size_t position, const store::Event& event) {
        const auto row = series->row(position);
        if (kernels && row == next) return true;
        const auto call = call_of(table, row);
        const auto known = kernels && event.name < trace_.kernel.size();
        found.push_back({std::max(event.begin, begin), std::min(event.end, end), call ? call->start : kNoCall,
                         !kernels ? kNone
                         : known  ? trace_.kernel[event.name]
                                  : 0});
        ++read_;
        return true;
      };
      const auto first = series->position_of(begin), last = series->position_of(end);
      series->reaching(0, first, begin, add);
      for (auto position = first; position < last; ++position) add(position, series->at(position));
    }
  };
  for (const auto* levels : launches_) collect(*levels, "launches", true);
  for (const auto* levels : memory_) collect(*levels, "transfers", false);
  std::sort(found.begin(), found.end(),
            [](const Activity& a, const Activity& b) { return a.begin < b.begin; });
  const auto call = call_of("launches", next);
  found.push_back({end, end, call ? call->start : kNoCall, kNone});
  return found;
}

void IntervalReader::add_host(std::size_t before, std::size_t next, const std::vector<Span>& not_launched,
                              IntervalParts& parts) {
  const auto from = call_of("launches", before), to = call_of("launches", next);
  if (!from || !to || to->start < from->start) return;
  std::vector<std::uint32_t> threads{to->thread};
  if (from->thread != to->thread) threads.push_back(from->thread);
  parts.host = host_.divide(threads, {from->start, to->start}, not_launched);
  parts.host_waits = parts.host_work = 0;
  for (const auto& [name, share] : parts.host)
    *(names_.waits(name) ? parts.host_waits : parts.host_work) += share.time;
}

IntervalParts IntervalReader::between(std::size_t before, std::size_t next) {
  IntervalParts result;
  auto& parts = result.parts;
  const auto begin = end_of(before), end = trace_.starts()[next];
  if (begin > end) return result;
  auto reached = begin, kernels_reached = begin;
  std::vector<Span> not_launched;
  for (const auto& activity : activities(begin, end, next)) {
    if (const auto idle = activity.begin - reached; idle > 0) {
      const auto late =
          activity.call == kNoCall ? 0 : std::clamp<std::int64_t>(activity.call - reached, 0, idle);
      parts[static_cast<std::size_t>(Part::NotLaunched)] += late;
      if (late > 0) not_launched.push_back({reached, reached + late});
      parts[static_cast<std::size_t>(activity.call == kNoCall ? Part::Unknown : Part::Queued)] += idle - late;
    }
    // All activity first counts as memory operations; the time covered by kernels is subtracted below.
    parts[static_cast<std::size_t>(Part::Copies)] +=
        std::max<std::int64_t>(activity.end - std::max(activity.begin, reached), 0);
    reached = std::max(reached, activity.end);
    if (activity.kernel == kNone) continue;
    parts[static_cast<std::size_t>(Part::Kernels)] +=
        std::max<std::int64_t>(activity.end - std::max(activity.begin, kernels_reached), 0);
    kernels_reached = std::max(kernels_reached, activity.end);
    ++result.launches;
    auto& [duration, launches] = result.kernels[activity.kernel];
    duration += activity.end - activity.begin;
    ++launches;
  }
  parts[static_cast<std::size_t>(Part::Copies)] -= parts[static_cast<std::size_t>(Part::Kernels)];
  add_host(before, next, not_launched, result);
  return result;
}

} // namespace jitterscope::analysis
