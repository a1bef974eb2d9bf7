#pragma once

#include <QRectF>
#include <utility>
#include <vector>

#include "views/base/view_style.h"
#include "views/distribution/distribution_model.h"

class QPainter;

namespace jitterscope::views::distribution {

/// Paints bars, axes, statistics and legend by QPainter: for export and without EGL.
void paint(QPainter& painter, const QRectF& rect, const DistributionData& data, const ViewStyle& style);

/// The plot area that paint() and the widget use inside `rect`.
QRectF plotRect(const QRectF& rect, const DistributionData& data, const ViewStyle& style);

/// Rectangles and texts of the modes' shares, without overlap.
std::vector<std::pair<QRectF, QString>> modeLabels(const DistributionModel& model);

/// Rectangles of the groups' names in the legend of a view that fills `rect`, in group order.
std::vector<QRectF> groupEntries(const QRectF& rect, const DistributionModel& model, const ViewStyle& style);

/// Paints the outlines of the groups' histograms.
void paintGroups(QPainter& painter, const DistributionModel& model, const ViewStyle& style);
/// Paints the modes' shares above them, on top of bars and lines.
void paintModeShares(QPainter& painter, const DistributionModel& model, const ViewStyle& style);

/// Paints the list of statistics at the right, if there is room.
void paintFacts(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                const ViewStyle& style);

/// Legend entries in a view of this width, in display order: every line and both heights of bars; values
/// of the lines only if they fit in two rows. Rectangles of sample and text are relative to the view's upper
/// left corner.
std::vector<std::pair<QString, QRectF>> legendPlaces(double width, const DistributionModel& model,
                                                     const ViewStyle& style);

/// Paints the title, n, and the statistics' values with samples of their lines.
void paintLegend(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                 const ViewStyle& style);

} // namespace jitterscope::views::distribution
