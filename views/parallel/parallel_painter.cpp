#include "views/parallel/parallel_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_legend.h"

namespace jitterscope::views::parallel {

// Okabe and Ito, "Color Universal Design" (2008): hues that colour-blind people can distinguish, palest last.
// The remaining rows have the theme's ink, the eighth colour.
QColor classColour(int number, const ViewStyle& style) {
  static constexpr QRgb kHues[] = {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xD55E00, 0xF0E442};
  constexpr int kMax = 7;
  return number >= 0 && number < kMax ? QColor(kHues[number]) : mix(style.background, style.text, 0.9);
}

std::pair<QColor, QColor> classTones(int number, const ViewStyle& style) {
  const QColor colour = classColour(number, style);
  return {mix(style.background, colour, 0.85),
          style.isDark() ? mix(colour, Qt::white, 0.15) : mix(colour, Qt::black, 0.12)};
}

namespace {

/// Density pixels per logical pixel: as many as a screen or picture has, or enough for print.
double densityScale(const QPainter& painter) {
  if (paintsPixels(painter)) return std::clamp(painter.deviceTransform().m11(), 0.5, 8.0);
  return 4; // 384 dpi, as a logical pixel is 1/96 inch
}

} // namespace

void paintAxesAndLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                       const std::vector<ParallelLine>& lines) {
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
    painter.setPen(QPen(style.background, line.nearby ? 3 : 4));
    painter.drawPath(path);
    painter.setPen(QPen(style.text, line.nearby ? 1 : 1.8));
    painter.drawPath(path);
    if (line.nearby) continue;
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
    drawMessage(painter, QRectF(QPointF(0, 0), rect.size()), Text::tr("No columns to show"), style);
    painter.restore();
    return;
  }
  ParallelModel model = source;
  model.setSize(rect.size());
  model.setLegendRows(legendRows(model, style));
  model.setFrame(frameOf(model, style));
  // Opaque and lossless, so that a PDF shows the lines as the screen does.
  const QImage density = renderDensity(model, style, densityScale(painter));
  QImage ground(density.size(), QImage::Format_RGB32);
  ground.fill(style.background);
  QPainter(&ground).drawImage(0, 0, density);
  painter.setRenderHint(QPainter::LosslessImageRendering);
  painter.drawImage(model.plotRect(), ground);
  paintAxesAndLines(painter, model, style, lines);
  painter.restore();
}

} // namespace jitterscope::views::parallel
