// Painting of named ranges and the measure.

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views::timeline {

void paintNamedRanges(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF lanes = model.lanesRect(), axis = model.axisRect();
  painter.setFont(style.font(FontRole::Small));
  for (const NamedRange& range : model.ranges) {
    const double left = std::clamp(model.xAt(range.range.begin), lanes.left(), lanes.right());
    const double right = std::clamp(model.xAt(range.range.end), lanes.left(), lanes.right());
    if (model.xAt(range.range.end) < lanes.left() || model.xAt(range.range.begin) > lanes.right()) continue;
    const QRectF bar(left, axis.bottom() - 9, std::max(right - left, 2.0), 9);
    QColor ground = style.warning;
    ground.setAlpha(style.isDark() ? 90 : 70);
    painter.fillRect(bar, ground);
    painter.fillRect(QRectF(bar.left(), bar.bottom() - 2, bar.width(), 2), style.warning);
    if (left > lanes.left())
      drawHairline(painter, {left, axis.bottom() - 9}, {left, lanes.bottom()}, style.warning);
    if (right < lanes.right())
      drawHairline(painter, {right, axis.bottom() - 9}, {right, lanes.bottom()}, style.warning);
    const double wide = metricsOf(painter.font()).horizontalAdvance(range.name) + 10;
    const QRectF text(left + 1, lanes.top() + 1, std::min(wide, std::max(lanes.right() - left - 2, 0.0)), 15);
    if (text.width() < 14) continue;
    painter.fillRect(text, style.cardBackground());
    painter.setPen(style.text);
    drawElided(painter, text.adjusted(4, 0, -4, 0), range.name);
  }
}

void paintMeasure(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  if (!model.measure) return;
  const Measure& measure = *model.measure;
  const QRectF lanes = model.lanesRect();
  const double a = model.xAt(measure.from), b = model.xAt(measure.to);
  const double left = std::min(a, b), right = std::max(a, b);
  const double y = std::clamp(measure.y, lanes.top() + 12, lanes.bottom() - 12);
  painter.save();
  painter.setClipRect(lanes, Qt::IntersectClip);
  const auto edge = [&](double x, bool snapped) {
    if (x < lanes.left() - 2 || x > lanes.right() + 2) return;
    painter.setPen(QPen(style.text, 1, snapped ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(QPointF(std::floor(x) + 0.5, lanes.top()), QPointF(std::floor(x) + 0.5, lanes.bottom()));
  };
  edge(a, measure.fromSnapped);
  edge(b, measure.toSnapped);
  const double from = std::max(left, lanes.left()), to = std::min(right, lanes.right());
  if (to > from) drawHairline(painter, {from, std::floor(y)}, {to, std::floor(y)}, style.text);
  painter.restore();
  const Nanoseconds length{std::abs((measure.to - measure.from).count)};
  const QString text = QStringLiteral("Δ ") + formatLength(length, model.axis);
  painter.setFont(style.font(FontRole::Emphasis));
  const double wide = std::ceil(metricsOf(painter.font()).horizontalAdvance(text)) + 14;
  const double middle = std::clamp((from + to) / 2 - wide / 2, lanes.left() + 2,
                                   std::max(lanes.left() + 2, lanes.right() - wide - 2));
  const QRectF card(std::round(middle), std::round(y) - 10, wide, 20);
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.border, 1));
  painter.setBrush(style.text);
  painter.drawRoundedRect(card, 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(style.background);
  painter.drawText(card, Qt::AlignCenter, text);
}

} // namespace jitterscope::views::timeline
