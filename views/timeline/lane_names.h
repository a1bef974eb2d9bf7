#pragma once

#include <vector>

#include "views/timeline/timeline_model.h"

namespace jitterscope::views::timeline {

/// Place for a name in a lane: over a single event, or over adjacent folded columns in which this name has
/// the most time.
struct NameSpan {
  Nanoseconds begin, end;
  int level = 0;
  std::uint32_t nameId = kNoName;
  float value = kNoNumber; ///< value of the event or the first column, for its colour
  double busy = 1;         ///< share of the time that events cover
  bool dimmed = false;     ///< most of it is excluded by the filter
};

/// Spans of the content's bars or runs of cells, in the lowest `levels` levels, at least `minimum` long. Of a
/// bar, the parts that later bars of its level do not cover.
std::vector<NameSpan> nameSpans(const TrackContent& content, Interval window, int columns, int levels,
                                Nanoseconds minimum);

/// Texts of the names in one track.
class LaneNames {
public:
  LaneNames(const TimelineModel& model, const std::vector<NameSpan>& spans);
  /// Name of an id: in full if it is at most `width` wide in this font, else without the common prefix of
  /// all names of the content.
  QString text(std::uint32_t nameId, const QFont& font, double width) const;

private:
  const TimelineModel& model_;
  qsizetype shared_ = 0; ///< length of the common prefix, in characters
};

} // namespace jitterscope::views::timeline
