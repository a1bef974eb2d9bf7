#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/names.h"
#include "core/analysis/timeline/dimming.h"
#include "core/analysis/timeline/launch_values.h"
#include "core/analysis/timeline/message_lines.h"
#include "core/store/tracks/range_statistics.h"

namespace jitterscope::analysis {

/// Aggregate of one pixel column of one level of a track, over the bins given in its track's content: the
/// column itself, or one or two dyadic bins at its position.
struct TimelineCell {
  std::uint32_t count = 0; ///< number of events that touch the bins
  float busy = 0;          ///< fraction of the bins covered by events, at most 1; Idle: fraction not covered
  std::uint32_t name = kNone; ///< name with the largest total time in the bins; ties: smallest id
  float selected = 1;         ///< fraction of the covered time that belongs to selected launches
  float value = kNoValue;     ///< value of the requested column, see LaunchValues; NaN if there is none
};

/// One event that is drawn individually, on the session's axis.
struct TimelineBar {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t name = kNone;
  std::int64_t row = -1; ///< launches: session row; else row of the trace's table
  std::uint8_t level = 0;
  std::uint8_t dimmed = 0;
  float value = kNoValue; ///< of launches: value of the requested column; else NaN
};

/// Minimum, mean and maximum of a counter's samples in one pixel column; without such samples, the nearest
/// one within one sampling period; else NaN.
struct CounterColumn {
  float minimum = 0, mean = 0, maximum = 0;
};

/// One track in the window: cells (levels × columns) if folded, else bars; counters have columns.
struct TrackContent {
  std::uint32_t track = 0;
  std::vector<TimelineCell> cells;
  std::vector<TimelineBar> bars;
  std::vector<CounterColumn> counter;
  double counter_minimum = 0, counter_maximum = 0;
  std::int64_t bin_ns =
      0; ///< width of the widest dyadic bins behind the cells; 0: the pixel columns themselves
};

} // namespace jitterscope::analysis
