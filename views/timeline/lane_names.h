#pragma once

#include <vector>

#include "views/timeline/timeline_model.h"

namespace jitterscope::views::timeline {

/// Where a name can be written in a lane: over a single event, or over neighbouring folded columns in which
/// it leads.
struct NameSpan {
  Nanoseconds begin, end;
  int level = 0;
  std::uint32_t nameId = kNoName;
  float value = kNoNumber; ///< of the event or the first column, for its colour
  double busy = 1;         ///< share of the time that events cover
  bool dimmed = false;     ///< left out by the filter, most of it
};

/// Of the content's bars, or runs of its cells: of the lowest `levels` levels, and at least `least` long.
std::vector<NameSpan> nameSpans(const TrackContent& content, Interval window, int columns, int levels,
                                Nanoseconds least);

/// How the names of one track's content are written.
class LaneNames {
public:
  LaneNames(const TimelineModel& model, const std::vector<NameSpan>& spans);
  /// The name of an id: whole where that is no wider than `width` in this font, else without the words that
  /// all names of the content begin with.
  QString text(std::uint32_t nameId, const QFont& font, double width) const;

private:
  const TimelineModel& model_;
  qsizetype shared_ = 0; ///< letters
};

} // namespace jitterscope::views::timeline
