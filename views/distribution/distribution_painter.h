#pragma once

#include <QRectF>

#include "views/base/view_style.h"
#include "views/distribution/distribution_model.h"

class QPainter;

namespace jitterscope::views::distribution {

/// Bars, axes, statistics and legend by QPainter: for export and without EGL.
void paint(QPainter& painter, const QRectF& rect, const DistributionData& data, const ViewStyle& style);

/// The plot area that paint() and the widget use inside `rect`.
QRectF plotRect(const QRectF& rect, const DistributionData& data, const ViewStyle& style);

/// Title, n and the statistics' values with samples of their lines.
void paintLegend(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                 const ViewStyle& style);

} // namespace jitterscope::views::distribution
