#include "views/distribution/distribution_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"

namespace jitterscope::views::distribution {

namespace {

constexpr double kLegendHeight = 44;

QColor lineColour(const DistributionLine& line, const ViewStyle& style) {
  return line.name == QLatin1String("mean") ? style.negative : style.text;
}

void paintAxes(QPainter& painter, const DistributionModel& model, const ViewStyle& style) {
  const QRectF& plot = model.plot;
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  for (const Tick& tick : model.yTicks()) {
    const double y = std::round(model.yAt(tick.value));
    drawHairline(painter, {plot.left(), y}, {plot.right(), y}, style.grid);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(0, y - 9, plot.left() - 6, 18), Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  for (const Tick& tick : model.xTicks()) {
    const double x = std::round(plot.left() + tick.position * plot.width());
    drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + (tick.major ? 5 : 3)}, style.mutedText);
    if (tick.label.isEmpty()) continue;
    const double width = metrics.horizontalAdvance(tick.label) + 2;
    const double left = std::min(x - width / 2, plot.right() + 32 - width);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(left, plot.bottom() + 5, width, metrics.height() + 2), Qt::AlignCenter,
                     tick.label);
  }
}

void paintBars(QPainter& painter, const DistributionModel& model, const std::vector<std::uint64_t>& counts,
               const QColor& colour) {
  for (std::size_t i = 0; i < counts.size() && i + 1 < model.data.edges.size(); ++i) {
    if (counts[i] == 0) continue;
    const double left = model.xAt(model.data.edges[i]);
    const double right = model.xAt(model.data.edges[i + 1]);
    const double top = std::min(model.yAt(static_cast<double>(counts[i])), model.plot.bottom() - 1);
    const double gap = right - left > 4 ? 1 : 0;
    painter.fillRect(QRectF(left, top, std::max(1.0, right - left - gap), model.plot.bottom() - top), colour);
  }
}

QPen linePen(const DistributionLine& line, const ViewStyle& style) {
  QPen pen(lineColour(line, style), 1.5, line.dashed ? Qt::CustomDashLine : Qt::SolidLine, Qt::FlatCap);
  if (line.dashed) pen.setDashPattern({4, 3});
  return pen;
}

} // namespace

QRectF plotRect(const QRectF& rect, const DistributionData& data, const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  DistributionModel model{data, rect};
  double widest = metrics.horizontalAdvance(QStringLiteral("000"));
  if (!data.empty()) {
    for (const Tick& tick : model.yTicks()) widest = std::max(widest, metrics.horizontalAdvance(tick.label));
  }
  return rect.adjusted(std::ceil(widest) + 16, kLegendHeight + 6, -34, -(std::ceil(metrics.height()) + 12));
}

void paintLegend(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                 const ViewStyle& style) {
  const double left = rect.left() + 10;
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  drawElided(painter, QRectF(left, rect.top() + 2, rect.width() - 20, 20), model.headline());
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  double x = left;
  const auto entry = [&](const QString& text, const auto& sample) {
    const double width = metrics.horizontalAdvance(text) + 26;
    if (x + width > rect.right() - 6) return;
    sample(QPointF(x, rect.top() + 33));
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(x + 23, rect.top() + 24, width - 20, 18), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += width + 12;
  };
  const auto box = [&](const QColor& colour) {
    return [&painter, colour](QPointF at) { painter.fillRect(QRectF(at.x(), at.y() - 5, 12, 10), colour); };
  };
  for (const DistributionLine& line : model.lines()) {
    entry(line.name + QStringLiteral(" ") + formatValue(line.value, model.data.unit), [&](QPointF at) {
      painter.setPen(linePen(line, style));
      painter.drawLine(at, at + QPointF(17, 0));
    });
  }
  if (!model.data.selected.empty()) {
    entry(QStringLiteral("all"), box(style.quiet));
    entry(QStringLiteral("selected"), box(style.accent));
  }
}

void paint(QPainter& painter, const QRectF& rect, const DistributionData& data, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (data.empty()) {
    drawMessage(painter, rect, QStringLiteral("No launches in this range: there is no distribution to show"),
                style);
    painter.restore();
    return;
  }
  painter.translate(rect.topLeft());
  const QRectF area(QPointF(0, 0), rect.size());
  const DistributionModel model{data, plotRect(area, data, style)};
  paintLegend(painter, area, model, style);
  paintAxes(painter, model, style);
  paintBars(painter, model, data.all, data.selected.empty() ? style.focus : style.quiet);
  paintBars(painter, model, data.selected, style.accent);
  drawHairline(painter, model.plot.bottomLeft(), model.plot.bottomRight(), style.mutedText);
  for (const DistributionLine& line : model.lines()) {
    if (line.value < data.edges.front() || line.value > data.edges.back()) continue;
    painter.setPen(linePen(line, style));
    const double x = std::round(model.xAt(line.value)) + 0.5;
    painter.drawLine(QPointF(x, model.plot.top()), QPointF(x, model.plot.bottom()));
  }
  painter.restore();
}

} // namespace jitterscope::views::distribution
