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
/// Named ranges, on the axis and as edges through the lanes.
void paintNamedRanges(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// The length that is being measured.
void paintMeasure(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace jitterscope::views::timeline
