#pragma once

#include <QColor>
#include <QString>
#include <functional>
#include <vector>

#include "views/base/view_style.h"
#include "views/timeline/timeline_model.h"

namespace jitterscope::views {

/// Relative deviations from the mean duration of the configuration beyond this limit get the colours at the
/// ends of the scale.
inline constexpr double kDeviationLimit = 0.5;

/// Colours of one track's events. Events with equal keys have equal colours, so that rasters can cache them.
struct TrackColours {
  std::function<std::uint32_t(std::uint32_t nameId, float value)> key;
  std::function<QColor(std::uint32_t key)> colour;
  QColor of(std::uint32_t nameId, float value) const { return colour(key(nameId, value)); }
};

/// Colours by kernel, value or stream for the launches of streams and devices; by name for all other tracks.
/// `arrived`: the column of the values in the content, see TimelineColour::value(); while it is another one
/// than that of the colours, launches have no colour yet.
TrackColours coloursOf(const TimelineModel& model, const TimelineTrack& track, const QString& arrived,
                       const ViewStyle& style);

/// Position of a value on the colour scale of a column, 0..1.
double scalePlace(const TimelineColour& colour, double value);

/// A colour and its meaning.
struct LegendEntry {
  QColor colour;
  QString text;
};
/// Entries for the colours in use: names with the largest total time, or streams. Empty for scales.
std::vector<LegendEntry> legendEntries(const TimelineModel& model, const ViewStyle& style,
                                       std::size_t maximum);

/// Hover card text of a folded column.
QString columnText(const TimelineModel& model, const TimelineHit& hit);

/// Values of a counter in the column under the point. The hit has a counter.
QString counterText(const TimelineModel& model, const TimelineHit& hit);

/// Text for a pixel: the tracks that share it and their activity. The hit has a mergedRow.
QString mergedText(const TimelineModel& model, const TimelineHit& hit);

/// Text for an idle interval: its length, start and end. The hit has a bar.
QString idleText(const TimelineModel& model, const TimelineHit& hit);

/// "Colour: kernel", "Colour: relative to mean" …; without kernels "Colour: call, state or range".
QString colourTitle(const TimelineModel& model);
/// Meaning of a folded column's colour, in words; empty for colours by stream.
QString foldedMeaning(const TimelineModel& model);

} // namespace jitterscope::views
