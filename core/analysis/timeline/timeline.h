#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/names.h"
#include "core/analysis/timeline/dimming.h"
#include "core/analysis/timeline/launch_values.h"
#include "core/analysis/timeline/message_lines.h"
#include "core/analysis/timeline/track_content.h"
#include "core/store/tracks/range_statistics.h"

namespace jitterscope::analysis {

struct TimelineRequest {
  Interval window;
  int columns = 1000;
  std::vector<std::uint32_t> tracks; ///< requested tracks; empty: all
  int max_bars = 2000;               ///< maximum bars of a track; more events are folded into cells
  std::string value{};               ///< a column of launches, or kRelativeToMean; empty: none
  std::int64_t max_lines = 600;      ///< maximum number of message lines; more messages are only counted
  std::int64_t max_requested_launches =
      kMaxRequestedLaunches; ///< up to this number of launches, each is evaluated (Dimming)
  bool use_tiles = true;     ///< false: aggregate every bin from its events, with the same result
};

struct Timeline {
  std::vector<TrackContent> tracks;
  DimmingKind dimming = DimmingKind::Nothing;
  ValueKind values = ValueKind::None;
  MessageLines messages;
};

/// Exact sums per pixel column: every event of the window is counted, none is sampled. The cost depends on
/// the columns: a column of a level reads tiles or at most some 32 events, however many there are (see
/// ColumnBins and sum_bins). With a selection, up to `max_requested_launches` launches are evaluated one by
/// one; beyond that the sums are those of all launches, and only the shares `selected` come from a sample
/// (Timeline::dimming is Sampled). Uses all processors for big windows. Not collective. Errors: Cancelled.
Expected<Timeline> timeline(const Session& session, const LaunchColumns& columns, const NameTable& names,
                            const Tracks& tracks, const Selection& selection, const TimelineRequest& request,
                            const Job& job);
/// Same as timeline() with a job, but cannot be cancelled.
Timeline timeline(const Session& session, const LaunchColumns& columns, const NameTable& names,
                  const Tracks& tracks, const Selection& selection, const TimelineRequest& request);

/// The range of time that the timeline can show: Session::span() and the samples of all counters.
Interval timeline_span(const Session& session, const Tracks& tracks);

/// All launches of all traces in equal parts of the span, for the overview strip. Shares of several traces
/// are added; the name is the one with the most time among the leading names of the traces.
std::vector<TimelineCell> overview(const Session& session, const NameTable& names, const Tracks& tracks,
                                   Interval span, int columns);

/// Statistics of the events of all levels of a track; see store::range_statistics. Times of the session. Zero
/// for tracks without events.
store::RangeStatistics range_statistics(const Session& session, const Tracks& tracks, std::uint32_t track,
                                        Interval range);

} // namespace jitterscope::analysis
