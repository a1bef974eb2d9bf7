#pragma once

#include "views/base/view_style.h"
#include "views/timeline/timeline_model.h"

class QPainter;

namespace jitterscope::views::timeline {

/// Parts of the frame that are implemented in separate files.

/// Paints the legend at the bottom: meaning of colours, heights and marks.
void paintLegend(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Colour of a deviation from the mean duration of the configuration, −1 … 1 of kDeviationLimit; durations
/// near the mean remain visible against the background.
QColor deviationColour(double place, const ViewStyle& style);
/// Area of the legend where a click opens the choice of colours.
QRectF legendChoice(const TimelineModel& model);
/// Meaning of a folded column's height and dots.
QString foldMeaning(const TimelineModel& model);
/// Paints a sample of a folded column, 13 × 14 pixels.
void paintFoldMark(QPainter& painter, QPointF corner, const ViewStyle& style);
/// Paints the legend of a colour scale; the model's colours must be a scale.
void paintColourScale(QPainter& painter, const QRectF& rect, const TimelineModel& model,
                      const ViewStyle& style);
/// Name in a row's header; pinned rows include the name of the parent, whose row is not above them.
QString trackLabel(const TimelineModel& model, const TrackRow& row);

/// Lays out a picture of this size. Track names are shown in full if 36 % of the width is enough. Only whole
/// rows are shown, from the first visible one if not all fit. The legend has as many lines as it needs.
void layOutForPaper(TimelineModel& model, QSizeF size, const ViewStyle& style);
/// Paints the legend of a picture laid out by layOutForPaper(): as many names as fit, and what was omitted.
void paintPaperLegend(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// "9 of 24 tracks shown"; empty if all are shown.
QString tracksLeftOut(const TimelineModel& model);
/// Paints named ranges, on the axis and as edges through the lanes.
void paintNamedRanges(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Paints names next to rows that are too low for one name each, as many as fit.
void paintMergedHeaders(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Explains how a row of pixels combines its tracks; empty if each track has its own row.
QString mergedMeaning(const TimelineModel& model);
/// Paints the interval being measured.
void paintMeasure(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace jitterscope::views::timeline
