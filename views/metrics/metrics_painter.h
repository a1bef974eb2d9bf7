#pragma once

#include <QRectF>

#include "views/metrics/metrics_model.h"

class QPainter;

namespace jitterscope::views::metrics {

/// Paints panels, names, brush, cursor and time axis. The model must be laid out for this rectangle.
void paint(QPainter& painter, const QRectF& rect, const Model& model, const ViewStyle& style);
/// Rectangle of a panel's legend in its header: a colour ramp with both ends of the scale.
QRectF legendRect(const QRectF& header, const MetricPanel& panel, const ViewStyle& style);

} // namespace jitterscope::views::metrics
