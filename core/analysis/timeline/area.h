#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/lanes/tracks.h"
#include "core/analysis/timeline/launch_sums.h"

namespace jitterscope::analysis {

/// Aggregates of one track in a range of time.
struct AreaTrack {
  std::uint32_t track = 0;
  std::uint64_t events = 0;  ///< events that begin in the range
  std::uint64_t busy = 0;    ///< Σ length of all events, clipped to the range [ns]
  std::uint64_t covered = 0; ///< length of the union of the events inside the range [ns]; for Idle tracks:
                             ///< time without events inside the span of the trace
  bool covered_known =
      true; ///< false for streams with launches in several lanes, unless they were filtered by a selection
  bool filtered = false; ///< only selected launches were counted
};

/// A rectangle of the timeline: some tracks in a range of time.
struct Area {
  std::vector<AreaTrack>
      tracks; ///< requested tracks and their descendants that have events of their own, in list order
  std::vector<std::vector<std::uint32_t>> streams; ///< per trace: resources of the included streams
  bool all_streams = true;                         ///< the area includes the streams of all traces
};

/// Aggregates the requested tracks and their descendants; an empty list means all tracks. The contents of
/// folded groups are included. Exact for any number of events. If sums of selected launches in this range are
/// given, tracks of launches use them; other tracks (memory operations, calls, ranges, idle time) count in
/// full.
Area area_of(const Session& session, const Tracks& tracks, const std::vector<std::uint32_t>& requested,
             Interval range, const SelectedLaunches* selected = nullptr);

} // namespace jitterscope::analysis
