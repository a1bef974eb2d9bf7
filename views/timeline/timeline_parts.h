#pragma once

#include "views/base/view_style.h"
#include "views/timeline/timeline_model.h"

class QPainter;

namespace jitterscope::views::timeline {

/// Parts of the frame that stand in files of their own.

/// The strip at the bottom: what colours, heights and marks mean.
void paintLegend(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Of a deviation from the usual duration, −1 … 1 of kUsualLimit: what is as usual stands out from the
/// ground, too.
QColor usualColour(double place, const ViewStyle& style);
/// Where a click on the legend opens the choice of colours.
QRectF legendChoice(const TimelineModel& model);
/// What a folded column's height and dots mean.
QString foldMeaning(const TimelineModel& model);
/// A folded column as it is drawn, 13 × 14.
void paintFoldMark(QPainter& painter, QPointF corner, const ViewStyle& style);
/// What the colours of a scale mean; the model's colours are one.
void paintColourScale(QPainter& painter, const QRectF& rect, const TimelineModel& model,
                      const ViewStyle& style);
/// The name in a row's header; pinned ones stand without their parents.
QString trackLabel(const TimelineModel& model, const TrackRow& row);

/// For a picture of this size: names of tracks whole where a third of the width holds them, whole rows only,
/// from the first that is in sight where not all have room; the legend in as many lines as it takes.
void layOutForPaper(TimelineModel& model, QSizeF size, const ViewStyle& style);
/// The legend of such a picture: as many names as have room, and what was left out.
void paintPaperLegend(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// "9 of 24 tracks shown"; empty where all are.
QString tracksLeftOut(const TimelineModel& model);
/// Named ranges, on the axis and as edges through the lanes.
void paintNamedRanges(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Names next to rows that are too low for one each, as many as have room.
void paintMergedHeaders(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// What a row of pixels shows of the tracks that share it; empty where each has its own.
QString mergedMeaning(const TimelineModel& model);
/// The length that is being measured.
void paintMeasure(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace jitterscope::views::timeline
