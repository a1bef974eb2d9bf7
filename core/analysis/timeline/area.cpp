#include "core/analysis/timeline/area.h"

#include <algorithm>

#include "core/analysis/lanes/union_length.h"
#include "core/analysis/session/trace_span.h"
#include "core/store/tracks/range_statistics.h"

namespace jitterscope::analysis {
namespace {

// Relies on parents preceding their children.
std::vector<bool> inside_of(const Tracks& tracks, const std::vector<std::uint32_t>& requested) {
  std::vector<bool> inside(tracks.list().size(), requested.empty());
  for (const auto id : requested)
    if (id < inside.size()) inside[id] = true;
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (const auto parent = tracks.list()[i].parent; parent >= 0 && inside[static_cast<std::size_t>(parent)])
      inside[i] = true;
  return inside;
}

// Sums of the selected launches on the stream or device of a series of launches.
AreaTrack selected_sums(const store::Series& series, std::uint32_t id, const SelectedLaunches::OfTrace& of) {
  const auto& all = series.kind == store::SeriesKind::Collectives ? of.collectives : of.resources;
  const auto& sums = all[series.resource];
  return {id, sums.events, sums.busy, sums.covered, true, true};
}

AreaTrack sums_of(const Session& session, const Tracks& tracks, std::uint32_t id, Interval range,
                  const SelectedLaunches* selected) {
  AreaTrack sums;
  sums.track = id;
  const auto& track = tracks.list()[id];
  const auto shift = session.traces()[track.trace].shift_ns;
  const auto begin = range.begin.count - shift, end = range.end.count - shift;
  std::size_t levels = 0;
  for (const auto* series : tracks.levels(id)) {
    if (!series) continue;
    if (selected && series->table == store::EventTable::Launches && track.kind != TrackKind::Idle)
      return selected_sums(*series, id, selected->traces[track.trace]); // sums over all lanes together
    const auto of = store::range_statistics(*series, begin, end);
    sums.events += of.count;
    sums.busy += of.busy;
    if (levels++ == 0) sums.covered = series->overlaps ? union_length(*series, begin, end) : of.busy;
  }
  // Nested ranges are inside the outermost; lanes of a stream overlap, and the length of their union is not
  // stored.
  sums.covered_known = levels <= 1 || track.kind == TrackKind::Ranges;
  if (track.kind == TrackKind::Idle) {
    sums.events = 0;
    const auto span = span_of(session.traces()[track.trace].store).value_or(Interval());
    const auto known = static_cast<std::uint64_t>(overlap({{begin}, {end}}, span).count);
    sums.covered = known - std::min(sums.covered, known);
    sums.busy = sums.covered;
  }
  return sums;
}

} // namespace

Area area_of(const Session& session, const Tracks& tracks, const std::vector<std::uint32_t>& requested,
             Interval range, const SelectedLaunches* selected) {
  Area area;
  area.streams.resize(session.traces().size());
  const auto inside = inside_of(tracks, requested);
  for (const auto& track : tracks.list()) {
    const bool stream =
        track.kind == TrackKind::Stream || (track.kind == TrackKind::Device && session.launch_order());
    if (!inside[track.id]) {
      // A selected device includes its streams; its derived tracks do not affect this.
      area.all_streams = area.all_streams && !stream;
      continue;
    }
    if (track.kind == TrackKind::Stream && !tracks.levels(track.id).empty())
      for (const auto* series : tracks.levels(track.id))
        if (series) {
          area.streams[track.trace].push_back(series->resource);
          break;
        }
    if (!tracks.levels(track.id).empty() && track.kind != TrackKind::Active)
      area.tracks.push_back(sums_of(session, tracks, track.id, range, selected));
  }
  return area;
}

} // namespace jitterscope::analysis
