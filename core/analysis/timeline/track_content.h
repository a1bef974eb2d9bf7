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

/// Aggregate of one pixel column of one level of a track, over its bin: the column itself, or a dyadic bin
/// (TrackContent::dyadic).
struct TimelineCell {
  std::uint32_t count = 0; ///< number of events that touch the bin
  float busy = 0;          ///< fraction of the bin covered by events, at most 1; Idle: fraction not covered
  std::uint32_t name = kNone; ///< name with the largest total time in the bin; ties: smallest id
  float selected = 1;         ///< fraction of the covered time that belongs to selected launches
  float value =
      kNoValue; ///< value of the requested column in the pixel column, see LaunchValues; NaN if there is none
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

/// Minimum, mean and maximum of a counter in one pixel column, see counter_columns().
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
  /// By level of the cells, or one entry for Active: whether the columns show the dyadic bins of the window
  /// (ColumnBins), or themselves.
  std::vector<std::uint8_t> dyadic;
  std::int64_t bin_origin = 0; ///< place of time 0 of the dyadic bins on the session's axis
};

} // namespace jitterscope::analysis
