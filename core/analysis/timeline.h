#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/names.h"
#include "core/analysis/selection.h"
#include "core/analysis/tracks.h"

namespace jitterscope::analysis {

/// What happened in one pixel column of one level of a track.
struct TimelineCell {
  std::uint32_t count = 0;    ///< events that touch the column
  float busy = 0;             ///< share of the column covered by events, at most 1
  std::uint32_t name = kNone; ///< name with most time in the column (ties: smallest number)
  float selected = 1;         ///< share of the covered time that belongs to selected launches
};

/// One event drawn singly, on the session's axis.
struct TimelineBar {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t name = kNone;
  std::int64_t row = -1; ///< launches: session row; else row of the trace's table
  std::uint8_t level = 0;
  std::uint8_t dimmed = 0;
};

/// Samples of a counter in one pixel column; all NaN when there are none.
struct CounterColumn {
  float minimum = 0, mean = 0, maximum = 0;
};

/// One track in the window: cells (levels × columns) when folded, else bars; counters have columns.
struct TrackContent {
  std::uint32_t track = 0;
  std::vector<TimelineCell> cells;
  std::vector<TimelineBar> bars;
  std::vector<CounterColumn> counter;
  double counter_minimum = 0, counter_maximum = 0;
};

struct TimelineRequest {
  Interval window;
  int columns = 1000;
  std::vector<std::uint32_t> tracks; ///< the ones wanted; empty: all
  int most_bars = 2000;              ///< per track; more events than that are folded into cells
};

/// Exact coverage per pixel column: every event of the window is counted, none is sampled away. Cost is
/// linear in the events of the window. Not collective.
std::vector<TrackContent> timeline(const Session& session, const LaunchColumns& columns,
                                   const NameTable& names, const Tracks& tracks, const Selection& selection,
                                   const TimelineRequest& request);

/// All launches of all traces in equal parts of the span, for the overview strip.
std::vector<TimelineCell> overview(const Session& session, Interval span, int columns);

} // namespace jitterscope::analysis
