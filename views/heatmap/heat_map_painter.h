#pragma once

#include <QRectF>

#include "views/base/view_style.h"
#include "views/heatmap/heat_map_model.h"

class QPainter;

namespace jitterscope::views::heat_map {

/// Paints cells, axes, headline and colour scale by QPainter: for export and without EGL.
void paint(QPainter& painter, const QRectF& rect, const HeatMapData& data, const ViewStyle& style);

/// The plot area inside `rect`.
QRectF plotRect(const QRectF& rect, const HeatMapData& data, const ViewStyle& style);

/// Places of title, n and colour scale above the plot; the scale is empty where it has no room.
struct HeadPlaces {
  QRectF title, counts, scale;
};
HeadPlaces headPlaces(const QRectF& rect, const HeatMapModel& model, const ViewStyle& style);
/// Paints title, n and the colour scale.
void paintLegend(QPainter& painter, const QRectF& rect, const HeatMapModel& model, const ViewStyle& style);

} // namespace jitterscope::views::heat_map
