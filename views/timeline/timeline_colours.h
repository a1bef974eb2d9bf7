#pragma once

#include <QColor>
#include <QString>
#include <functional>
#include <vector>

#include "views/base/view_style.h"
#include "views/timeline/timeline_model.h"

namespace jitterscope::views {

/// Deviations from the usual duration beyond this share have the colours at the ends of the scale.
inline constexpr double kUsualLimit = 0.5;

/// Colours of one track's events. Events of one key have one colour, so that rasters can keep it.
struct TrackColours {
  std::function<std::uint32_t(std::uint32_t nameId, float value)> key;
  std::function<QColor(std::uint32_t key)> colour;
  QColor of(std::uint32_t nameId, float value) const { return colour(key(nameId, value)); }
};

/// By kernel, value or stream for the launches of streams and devices; by name for all else.
TrackColours coloursOf(const TimelineModel& model, const TimelineTrack& track, const ViewStyle& style);

/// Where a value stands on the scale of a colour by column, 0..1.
double scalePlace(const TimelineColour& colour, double value);

/// A colour and what it stands for.
struct LegendEntry {
  QColor colour;
  QString text;
};
/// Of the colours in use: names with most time, or streams. Empty for scales.
std::vector<LegendEntry> legendEntries(const TimelineModel& model, const ViewStyle& style, std::size_t most);

/// What a folded column holds, for the card beside the pointer.
QString columnText(const TimelineModel& model, const TimelineHit& hit);

/// Which tracks share a pixel and what they do there. The hit has a mergedRow.
QString mergedText(const TimelineModel& model, const TimelineHit& hit);

/// An idle time, whole: how long, from when to when. The hit has a bar.
QString idleText(const TimelineModel& model, const TimelineHit& hit);

/// "Colour: kernel", "Colour: duration against usual" …
QString colourTitle(const TimelineColour& colour);
/// What a folded column's colour says: "column: the kernel with most time".
QString foldedMeaning(const TimelineModel& model);

} // namespace jitterscope::views
