#pragma once

#include <QRectF>
#include <utility>
#include <vector>

#include "views/base/view_style.h"
#include "views/distribution/distribution_model.h"

class QPainter;

namespace jitterscope::views::distribution {

/// Bars, axes, statistics and legend by QPainter: for export and without EGL.
void paint(QPainter& painter, const QRectF& rect, const DistributionData& data, const ViewStyle& style);

/// The plot area that paint() and the widget use inside `rect`.
QRectF plotRect(const QRectF& rect, const DistributionData& data, const ViewStyle& style);

/// Where the shares of humps are written, none over another.
std::vector<std::pair<QRectF, QString>> modeLabels(const DistributionModel& model);

/// Where the groups' names stand in the legend of a view that fills `rect`, in their order.
std::vector<QRectF> groupEntries(const QRectF& rect, const DistributionModel& model, const ViewStyle& style);

/// Outlines of the groups' histograms.
void paintGroups(QPainter& painter, const DistributionModel& model, const ViewStyle& style);
/// Over humps their shares, on top of bars and lines.
void paintModeShares(QPainter& painter, const DistributionModel& model, const ViewStyle& style);

/// The list of statistics at the right, where there is room for it.
void paintFacts(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                const ViewStyle& style);

/// What the legend names in a view of this width, in its order: every line and both heights of bars; values
/// of the lines where they take two rows at most. With the places of sample and words from the view's upper
/// left corner.
std::vector<std::pair<QString, QRectF>> legendPlaces(double width, const DistributionModel& model,
                                                     const ViewStyle& style);

/// Title, n and the statistics' values with samples of their lines.
void paintLegend(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                 const ViewStyle& style);

} // namespace jitterscope::views::distribution
