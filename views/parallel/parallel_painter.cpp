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

namespace {

/// A line on the screen. Values that an axis does not show have no position: numbers are marked at the nearer
/// end of the axis, and categories without rows interrupt the line.
struct LinePath {
  QPainterPath path;
  std::vector<QPointF> points;
  std::vector<std::pair<QPointF, int>> beyond; ///< end of the axis; −1: the value is above, 1: below
  bool whole = true;                           ///< false: an axis does not show the line's value
};

LinePath pathOf(const ParallelModel& model, const ParallelLine& line) {
  LinePath made;
  bool open = false;
  for (int i = 0; i < model.order().size(); ++i) {
    const auto found = line.values.find(model.order()[i]);
    const bool missing = found == line.values.end() || !std::isfinite(found->second);
    const bool shown = missing || model.shows(i, found->second);
    made.whole = made.whole && shown;
    if (missing ? !model.axis(i).hasMissing : !shown && !model.axis(i).categories.isEmpty()) {
      open = false;
      continue;
    }
    const QPointF point(model.axisX(i), model.yAt(i, missing ? std::nan("") : found->second));
    if (shown)
      made.points.push_back(point);
    else
      made.beyond.emplace_back(point, point.y() < model.valueRect().center().y() ? -1 : 1);
    if (open)
      made.path.lineTo(point);
    else
      made.path.moveTo(point);
    open = true;
  }
  return made;
}

void paintFaint(QPainter& painter, const LinePath& line, const ViewStyle& style, bool many) {
  QColor thin = style.isDark() ? mix(style.accent, Qt::white, 0.45) : mix(style.accent, Qt::black, 0.25);
  thin.setAlpha(many ? 150 : 200);
  painter.setPen(QPen(thin, 1));
  painter.drawPath(line.path);
}

/// Triangles that point to values beyond the ends of axes.
void paintBeyond(QPainter& painter, const LinePath& line, const ViewStyle& style) {
  painter.setPen(QPen(style.text, 1.2));
  painter.setBrush(style.background);
  for (const auto& [end, side] : line.beyond)
    painter.drawPolygon(
        QPolygonF({end + QPointF(-4.5, 0), end + QPointF(4.5, 0), end + QPointF(0, 7.0 * side)}));
}

} // namespace

void paintAxesAndLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                       const std::vector<ParallelLine>& lines) {
  if (model.data().rows == 0) { // the axes have no scale
    paintAxes(painter, model, style);
    return drawMessage(painter, model.plotRect(),
                       Text::tr("No %1 pass the filter.").arg(model.data().rowsName), style);
  }
  std::vector<ParallelLine> faint, plain;
  for (const auto& line : lines) (line.faint ? faint : plain).push_back(line);
  paintLines(painter, model, style, faint);
  paintAxes(painter, model, style);
  paintLines(painter, model, style, plain);
  if (!std::all_of(plain.begin(), plain.end(), [&](const auto& line) { return pathOf(model, line).whole; }))
    drawNote(painter, model.plotRect(), Text::tr("dashed: values outside these axes"), style);
}

void paintLines(QPainter& painter, const ParallelModel& model, const ViewStyle& style,
                const std::vector<ParallelLine>& lines) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, true);
  for (const ParallelLine& line : lines) {
    const LinePath drawn = pathOf(model, line);
    painter.setBrush(Qt::NoBrush);
    if (line.faint) {
      paintFaint(painter, drawn, style, lines.size() > 40);
      continue;
    }
    painter.setPen(QPen(style.background, line.nearby ? 3 : 4));
    painter.drawPath(drawn.path);
    painter.setPen(QPen(style.text, line.nearby ? 1 : 1.8, drawn.whole ? Qt::SolidLine : Qt::DashLine));
    painter.drawPath(drawn.path);
    if (line.nearby) continue;
    paintBeyond(painter, drawn, style);
    painter.setPen(QPen(style.background, 1.5));
    painter.setBrush(style.text);
    for (const QPointF& point : drawn.points) painter.drawEllipse(point, 3.5, 3.5);
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
