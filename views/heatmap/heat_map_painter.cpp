#include "views/heatmap/heat_map_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views::heat_map {
namespace {

constexpr double kHeadline = 26, kScaleWidth = 120, kMinScaleWidth = 40, kScaleHeight = 9;

// One pixel per cell, scaled without smoothing.
QImage cells(const HeatMapModel& model, const ViewStyle& style) {
  QImage image(model.data.columns, model.data.rows(), QImage::Format_ARGB32);
  image.fill(Qt::transparent);
  for (int row = 0; row < model.data.rows(); ++row)
    for (int column = 0; column < model.data.columns; ++column)
      if (const auto count = model.countAt({column, row}); count > 0)
        image.setPixel(column, model.data.rows() - 1 - row,
                       sequentialColour(model.shade(count), style.theme).rgba());
  return image;
}

void paintAxes(QPainter& painter, const HeatMapModel& model, const ViewStyle& style) {
  const QRectF& plot = model.plot;
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  for (const Tick& tick : model.yTicks()) {
    if (tick.label.isEmpty()) continue;
    const double y = std::round(model.yAt(tick.value));
    drawHairline(painter, {plot.left(), y}, {plot.right(), y}, style.grid);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(0, y - 9, plot.left() - 6, 18), Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  for (const Tick& tick : model.xTicks()) {
    const double x = std::round(plot.left() + tick.position * plot.width());
    drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + 4}, style.mutedText);
    if (tick.label.isEmpty()) continue;
    const double width = metrics.horizontalAdvance(tick.label) + 2;
    const double left = std::clamp(x - width / 2, 2.0, plot.right() + 26 - width);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(left, plot.bottom() + 5, width, metrics.height() + 2), Qt::AlignCenter,
                     tick.label);
  }
}

} // namespace

QRectF plotRect(const QRectF& rect, const HeatMapData& data, const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  double widest = metrics.horizontalAdvance(QStringLiteral("000"));
  if (!data.empty()) {
    const HeatMapModel model{data, rect};
    for (const Tick& tick : model.yTicks()) widest = std::max(widest, metrics.horizontalAdvance(tick.label));
  }
  return rect.adjusted(std::ceil(widest) + 16, kHeadline + 8, -30, -(std::ceil(metrics.height()) + 12));
}

void paintLegend(QPainter& painter, const QRectF& rect, const HeatMapModel& model, const ViewStyle& style) {
  const QString maximum = Text::tr("%1 launches per cell").arg(formatCount(model.greatest()));
  painter.setFont(style.font(FontRole::Small));
  const double text = metricsOf(painter.font()).horizontalAdvance(maximum) + 8;
  // The headline is shown in full; the colour scale takes the remaining width.
  const double headline = metricsOf(style.font(FontRole::Emphasis)).horizontalAdvance(model.headline()) + 14;
  const double width = std::min(kScaleWidth, rect.width() - headline - text - 44);
  if (width >= kMinScaleWidth) {
    const QRectF scale(rect.right() - 12 - text - width, rect.top() + 9, width, kScaleHeight);
    for (int x = 0; x < static_cast<int>(width); ++x)
      painter.fillRect(QRectF(scale.left() + x, scale.top(), 1, kScaleHeight),
                       sequentialColour(0.18 + 0.82 * x / width, style.theme));
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(scale.left() - 20, rect.top() + 4, 16, 18), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("1"));
    painter.drawText(QRectF(scale.right() + 6, rect.top() + 4, text, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     maximum);
  }
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  drawElided(painter, QRectF(rect.left() + 10, rect.top() + 2, rect.width() - 14, 22), model.headline());
}

void paint(QPainter& painter, const QRectF& rect, const HeatMapData& data, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (data.empty()) {
    drawMessage(
        painter, rect,
        Text::tr("No selected launch has values of both columns. Change the range, the filter or a column."),
        style);
    painter.restore();
    return;
  }
  painter.translate(rect.topLeft());
  const QRectF area(QPointF(0, 0), rect.size());
  const HeatMapModel model{data, plotRect(area, data, style)};
  paintLegend(painter, area, model, style);
  paintAxes(painter, model, style);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(model.plot, cells(model, style));
  drawHairline(painter, model.plot.bottomLeft(), model.plot.bottomRight(), style.mutedText);
  painter.restore();
}

} // namespace jitterscope::views::heat_map
