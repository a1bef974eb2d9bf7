#pragma once

#include <QImage>
#include <QRectF>

#include "views/base/view_style.h"
#include "views/timeline/timeline_model.h"

class QPainter;

namespace jitterscope::views::timeline {

/// Paints the whole view at any size; for export. Lays the model out for `rect` with the same window and only
/// whole rows: from the first row if all fit, else from the first visible one.
void paint(QPainter& painter, const QRectF& rect, const TimelineModel& model, const ViewStyle& style);

/// Height of a picture of this width that shows all rows.
double paperHeight(const TimelineModel& model, double width, const ViewStyle& style);

/// Renders the lanes of model.data() for its own window as a picture of `data().columns` columns at `scale`
/// device pixels per logical pixel, as high as model.lanesRect(): the visible rows, scrolled. The widget
/// caches it and stretches it until newer data arrive.
QImage renderLanes(const TimelineModel& model, const ViewStyle& style, double scale);

/// Paints the row backgrounds below the lanes.
void paintGround(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Paints axis, headers, overview, selection and cursor: everything except the lanes.
/// `exposed`: parts that do not intersect it may be skipped; null: nothing is skipped.
void paintFrame(QPainter& painter, const TimelineModel& model, const ViewStyle& style,
                const QRectF& exposed = {});
/// Paints text inside bars, arrows and the outline of the selection, on top of the lanes.
void paintAnnotations(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace jitterscope::views::timeline
