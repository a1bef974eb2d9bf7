#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/time.h"

namespace jitterscope::views {

enum class TrackKind {
  Host,
  Process,
  Device,
  Stream,
  Copies,
  Migrations,
  Calls,
  Ranges,
  Counter,
  Active,     ///< number of running kernels of the device
  Collective, ///< communication kernels of the device
  Idle,       ///< no kernel of the device runs
  MpiCalls,
  Messages ///< messages sent
};
inline constexpr int kTrackKinds = 14;

/// Whether rows of the track's bars are launches.
inline bool showsLaunches(TrackKind kind) {
  return kind == TrackKind::Stream || kind == TrackKind::Device || kind == TrackKind::Collective;
}

inline constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

/// Values for "no name" and "no row".
inline constexpr std::uint32_t kNoName = 0xFFFFFFFFu;
inline constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

/// One row of the timeline. Tracks come in display order, parents before children.
struct TimelineTrack {
  std::uint32_t id = 0; ///< application's id, opaque to the views
  int parent = -1;      ///< index in the vector of tracks, −1 at the top
  TrackKind kind = TrackKind::Stream;
  QString label;
  QString details;                          ///< tooltip of the header; the label when empty
  int depth = 0;                            ///< indentation
  int levels = 1;                           ///< nesting levels (Ranges, Calls); at least 1
  QString unit;                             ///< unit of a Counter's values
  std::optional<std::uint32_t> metric = {}; ///< number of the metric that a Counter shows; tracks of one
                                            ///< metric have one colour
};

/// Summary of the events in the interval that one pixel column of one level of a track shows
/// (TrackContent::dyadic).
struct TimelineCell {
  std::uint32_t count = 0;        ///< events that touch the interval; > 0 is always drawn
  float busy = 0;                 ///< share of the interval's time covered, 0..1
  std::uint32_t nameId = kNoName; ///< name of the events with the most busy time
  float selected = 1;             ///< share of the busy time (or of the count) that passes the filter, 0..1
  float value = kNoNumber;        ///< value of the launches in the pixel column, for colours by value
};

/// One event drawn as a bar.
struct TimelineBar {
  Nanoseconds begin;
  Nanoseconds end;
  std::uint32_t nameId = kNoName;
  std::uint64_t row = kNoRow; ///< row of the event in its table (for launches, the launch row)
  int level = 0;
  bool dimmed = false;     ///< excluded by the filter
  float value = kNoNumber; ///< value of the launch, for colours by value
};

/// Samples of a counter in one pixel column, or the nearest one within a sampling period.
struct CounterColumn {
  float minimum = 0;
  float mean = 0;
  float maximum = 0;
  bool present = false;
};

/// Content of one track for the window of the TimelineData that holds it. Either cells (folded) or bars or,
/// for counters, `counter`. With cells, `cells[level·columns + column]`, levels · columns long.
struct TrackContent {
  std::uint32_t trackId = 0;
  std::vector<TimelineCell> cells;
  std::vector<TimelineBar> bars;
  std::vector<CounterColumn> counter;
  double counterMinimum = 0; ///< range of the counter over the whole run
  double counterMaximum = 0;
  /// By level of the cells, or one entry for Active: whether the columns show dyadic bins instead of
  /// themselves (ColumnBins), aligned to binOrigin.
  std::vector<std::uint8_t> dyadic{};
  Nanoseconds binOrigin{};
};

/// A message in transit between two tracks.
struct TimelineMessage {
  std::uint32_t fromTrack = 0;
  std::uint32_t toTrack = 0;
  Nanoseconds sent;
  Nanoseconds received;
  std::int64_t bytes = -1; ///< size of the message; −1: not recorded
};

/// Content that the timeline requests.
struct TimelineQuery {
  Interval window;
  int columns = 0;                   ///< device pixels
  std::vector<std::uint32_t> tracks; ///< ids of the visible tracks and their neighbours; never empty
  QString value;                     ///< column of launches for the colours; empty: none
  bool operator==(const TimelineQuery&) const = default;
};

/// Answer to a contentRequested signal. Tracks without content in it are drawn empty.
struct TimelineData {
  Interval window;
  int columns = 0;
  std::vector<TrackContent> tracks;
  QString value;                         ///< column that `value` of cells and bars contains
  bool valuesSampled = false;            ///< values come from a sample because there are too many launches
  bool dimmingSampled = false;           ///< shares that pass the filter come from a sample
  std::int64_t messageCount = 0;         ///< number of messages sent in the window
  std::vector<TimelineMessage> messages; ///< the messages, if they are few; else empty
};

/// The interval to which the numbers of a column of a level of a track belong. Precondition: 0 ≤ column <
/// data.columns.
Interval shownInterval(const TimelineData& data, const TrackContent& content, int level, int column);

/// A ranked bin, marked at the top of the overview strip.
struct OverviewMark {
  Interval interval;
  std::uint32_t index = 0;
  bool kept = true;
};

/// Summary of the whole run for the overview strip.
struct TimelineOverview {
  Interval span;
  std::vector<TimelineCell> cells; ///< cells of equal parts of the span
  std::vector<OverviewMark> bins;
};

enum class ArrowKind { Launch, Copy };

/// Arrow from a call to the launch it made, or from a copy to the launch that uses its data.
struct TimelineArrow {
  std::uint32_t fromTrack = 0;
  Nanoseconds from;
  std::uint32_t toTrack = 0;
  Nanoseconds to;
  ArrowKind kind = ArrowKind::Launch;
};

/// A bookmark.
struct TimelineFlag {
  Nanoseconds time;
  QString label;
  bool operator==(const TimelineFlag&) const = default;
};

/// A range of time with a name.
struct NamedRange {
  Interval range;
  QString name;
  bool operator==(const NamedRange&) const = default;
};

/// Name of a nameId; empty when unknown.
using NameLookup = std::function<QString(std::uint32_t)>;

} // namespace jitterscope::views
