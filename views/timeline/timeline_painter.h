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

/// Pixels per logical pixel of the rasters in vector pictures.
inline constexpr double kVectorScale = 2;
/// Columns of the content of a picture of this size: one per device pixel of its lanes.
int paperColumns(const TimelineModel& model, QSizeF size, const ViewStyle& style, double scale);

/// Maximum height of a picture (logical pixels); tracks that need more share rows of pixels.
inline constexpr double kMaxPaperHeight = 4'000;
/// Height of a picture of this width in which all rows have their default heights.
double totalHeight(const TimelineModel& model, double width, const ViewStyle& style);
/// Height of a picture of this width that shows all rows, at most kMaxPaperHeight.
double paperHeight(const TimelineModel& model, double width, const ViewStyle& style);

/// Renders the lanes of model.data() for its own window as a picture of `data().columns` columns at `scale`
/// device pixels per logical pixel, as high as model.lanesRect(): the visible rows, scrolled. The widget
/// caches it and stretches it until newer data arrive.
QImage renderLanes(const TimelineModel& model, const ViewStyle& style, double scale);

/// Picture of the rows of pixels that tracks share: each row is one pixel high, the blocks are concatenated.
QImage renderMerged(const TimelineModel& model, const MergedCells& cells, const ViewStyle& style);
/// Draws the picture of renderMerged() at the current place of its rows and window; nothing if the tracks
/// were rearranged.
void paintMerged(QPainter& painter, const TimelineModel& model, const MergedCells& cells, const QImage& image,
                 const ViewStyle& style);
/// Paints the overview of all tracks in model.mapRect() and marks the visible part. `image`: renderMerged()
/// of model.map().
void paintMap(QPainter& painter, const TimelineModel& model, const QImage& image, const ViewStyle& style);

/// Paints the backgrounds of rows, below the lanes.
void paintGround(QPainter& painter, const TimelineModel& model, const ViewStyle& style);
/// Paints axis, headers, overview, selection and cursor: everything except the lanes.
/// `exposed`: parts that do not intersect it may be skipped; null: nothing is skipped.
void paintFrame(QPainter& painter, const TimelineModel& model, const ViewStyle& style,
                const QRectF& exposed = {});
/// Paints text inside bars, arrows and the outline of the selection, on top of the lanes.
void paintAnnotations(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace jitterscope::views::timeline
