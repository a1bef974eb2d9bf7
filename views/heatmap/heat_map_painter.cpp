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

QString mostLaunches(const HeatMapModel& model) {
  return (model.greatest() == 1 ? Text::tr("%1 launch per cell") : Text::tr("%1 launches per cell"))
      .arg(formatCount(model.greatest()));
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

HeadPlaces headPlaces(const QRectF& rect, const HeatMapModel& model, const ViewStyle& style) {
  constexpr double kLeft = 10, kGap = 14, kMinTitle = 60;
  const auto bold = metricsOf(style.font(FontRole::Emphasis));
  const double text = metricsOf(style.font(FontRole::Small)).horizontalAdvance(mostLaunches(model)) + 8,
               counts = bold.horizontalAdvance(model.counts()) + 2,
               title = bold.horizontalAdvance(model.data.title) + 2, room = rect.width() - kLeft - kGap;
  // The title, with the filter at its end, is elided before the scale disappears; n is never elided.
  HeadPlaces places;
  const double width =
      std::min(kScaleWidth, std::max(room - title - kGap - counts - text - 30, kMinScaleWidth));
  if (room - text - 30 - width - counts - kGap >= kMinTitle)
    places.scale = {rect.right() - 12 - text - width, rect.top() + 9, width, kScaleHeight};
  const double right = (places.scale.isEmpty() ? rect.right() - 4 : places.scale.left() - 24) - counts - kGap;
  places.title = {rect.left() + kLeft, rect.top() + 2, std::clamp(right - rect.left() - kLeft, 0.0, title),
                  22};
  places.counts = {places.title.right() + kGap, rect.top() + 2, counts, 22};
  return places;
}

void paintLegend(QPainter& painter, const QRectF& rect, const HeatMapModel& model, const ViewStyle& style) {
  const HeadPlaces places = headPlaces(rect, model, style);
  if (const QRectF& scale = places.scale; !scale.isEmpty()) {
    for (int x = 0; x < static_cast<int>(scale.width()); ++x)
      painter.fillRect(QRectF(scale.left() + x, scale.top(), 1, kScaleHeight),
                       sequentialColour(0.18 + 0.82 * x / scale.width(), style.theme));
    painter.setFont(style.font(FontRole::Small));
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(scale.left() - 20, rect.top() + 4, 16, 18), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("1"));
    painter.drawText(QRectF(scale.right() + 6, rect.top() + 4, rect.right() - scale.right() - 6, 18),
                     Qt::AlignLeft | Qt::AlignVCenter, mostLaunches(model));
  }
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  drawElided(painter, places.title, model.data.title);
  drawElided(painter, places.counts, model.counts());
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
