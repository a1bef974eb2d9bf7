#include "views/parallel/parallel_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"

namespace jitterscope::views::parallel {

QColor classColour(int number, const ViewStyle& style) {
  return categoryColour(static_cast<std::uint32_t>(number), style.theme);
}

void paintAxesAndLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style, const std::vector<ParallelLine>& lines) {
  std::vector<ParallelLine> faint, plain;
  for (const auto& line : lines) (line.faint ? faint : plain).push_back(line);
  paintLines(painter, model, style, faint);
  paintAxes(painter, model, style);
  paintLines(painter, model, style, plain);
}

void paintLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                const std::vector<ParallelLine>& lines) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setBrush(Qt::NoBrush);
  for (const ParallelLine& line : lines) {
    QPainterPath path;
    bool open = false;
    std::vector<QPointF> points;
    for (int i = 0; i < model.order().size(); ++i) {
      const auto found = line.values.find(model.order()[i]);
      const bool missing = found == line.values.end() || !std::isfinite(found->second);
      if (missing && !model.axis(i).hasMissing) {
        open = false;
        continue;
      }
      const QPointF point(model.axisX(i), model.yAt(i, missing ? std::nan("") : found->second));
      points.push_back(point);
      if (open) {
        path.lineTo(point);
      } else {
        path.moveTo(point);
      }
      open = true;
    }
    if (line.faint) {
      QColor thin = style.isDark() ? mix(style.accent, Qt::white, 0.45) : mix(style.accent, Qt::black, 0.25);
      thin.setAlpha(lines.size() > 40 ? 150 : 200);
      painter.setPen(QPen(thin, 1));
      painter.drawPath(path);
      continue;
    }
    painter.setPen(QPen(style.background, line.beside ? 3 : 4));
    painter.drawPath(path);
    painter.setPen(QPen(style.text, line.beside ? 1 : 1.8));
    painter.drawPath(path);
    if (line.beside) continue;
    painter.setPen(QPen(style.background, 1.5));
    painter.setBrush(style.text);
    for (const QPointF& point : points) painter.drawEllipse(point, 3.5, 3.5);
    painter.setBrush(Qt::NoBrush);
  }
  painter.restore();
}

void paint(QPainter& painter, const QRectF& rect, const ParallelModel& source, const ViewStyle& style,
           const std::vector<ParallelLine>& lines) {
  painter.save();
  painter.translate(rect.topLeft());
  painter.setClipRect(QRectF(QPointF(0, 0), rect.size()), Qt::IntersectClip);
  painter.fillRect(QRectF(QPointF(0, 0), rect.size()), style.background);
  if (source.empty()) {
    drawMessage(painter, QRectF(QPointF(0, 0), rect.size()), QStringLiteral("No columns to show"), style);
    painter.restore();
    return;
  }
  ParallelModel model = source;
  model.setSize(rect.size());
  painter.drawImage(model.plotRect(), renderDensity(model, style, 2));
  paintAxesAndLines(painter, model, style, lines);
  painter.restore();
}

} // namespace jitterscope::views::parallel
