#pragma once

#include <QRectF>

#include "views/metrics/metrics_model.h"

class QPainter;

namespace jitterscope::views::metrics {

/// The whole view: panels, names, brush, cursor and time axis. The model must be laid out for this rectangle.
void paint(QPainter& painter, const QRectF& rect, const Model& model, const ViewStyle& style);
/// The legend of a panel in its header: a ramp with both ends of the scale. Returns what it covers.
QRectF legendRect(const QRectF& header, const MetricPanel& panel, const ViewStyle& style);

} // namespace jitterscope::views::metrics
