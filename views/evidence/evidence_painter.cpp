#include "views/evidence/evidence_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::evidence {

namespace {

constexpr double kAside = 12; // distance of texts from the edges of the view

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

void paintCells(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceScatter& s = model.scatter();
  const QRectF plot = model.scatterRect();
  const std::uint32_t densest = model.densest();
  const double width = plot.width() / std::max(1, s.columns), height = plot.height() / std::max(1, s.rows);
  for (int c = 0; c < s.columns; ++c)
    for (int r = 0; r < s.rows; ++r) {
      const auto count = s.counts[static_cast<std::size_t>(c) * static_cast<std::size_t>(s.rows) +
                                  static_cast<std::size_t>(r)];
      if (count == 0) continue;
      // Single rows stay visible: a cell has a minimum size of two by two pixels.
      const QRectF cell(plot.left() + c * width, plot.bottom() - (r + 1) * height, std::max(width, 2.0),
                        std::max(height, 2.0));
      painter.fillRect(cell, cellColour(cellShade(count, densest), style));
    }
}

void paintPoints(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceScatter& s = model.scatter();
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(withAlpha(style.background, 160), 0.6));
  painter.setBrush(withAlpha(style.focus, 150));
  for (std::size_t i = 0; i < s.pointX.size(); ++i)
    painter.drawEllipse(model.place(s.pointX[i], s.pointY[i]), 2.8, 2.8);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintLine(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceData& data = model.data();
  if (!model.partial() || data.lineX.size() < 2) return;
  painter.setRenderHint(QPainter::Antialiasing, true);
  QPolygonF band, line;
  for (std::size_t i = 0; i < data.lineX.size(); ++i) {
    line << model.place(data.lineX[i], data.lineY[i]);
    band << model.place(data.lineX[i], data.lineHigh[i]);
  }
  for (std::size_t i = data.lineX.size(); i-- > 0;) band << model.place(data.lineX[i], data.lineLow[i]);
  painter.setPen(Qt::NoPen);
  painter.setBrush(withAlpha(style.accent, 60));
  painter.drawPolygon(band);
  painter.setPen(QPen(style.accent, 2));
  painter.drawPolyline(line);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintCurve(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceData& data = model.data();
  if (model.partial() || data.curveX.size() < 2) return;
  QPolygonF line;
  for (std::size_t i = 0; i < data.curveX.size(); ++i) line << model.place(data.curveX[i], data.curveY[i]);
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.accent, 2, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(line);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

// Paints shares of each side's rows, so that groups of very different size can be compared.
void paintSides(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceData& data = model.data();
  const double bottom = model.histogramRect().bottom();
  const auto bars = [&](bool with) {
    for (std::size_t i = 0; i + 1 < data.edges.size(); ++i) {
      const double share = with ? model.shareWith(i) : model.shareWithout(i);
      if (share <= 0) continue;
      const double left = model.histogramX(data.edges[i]), right = model.histogramX(data.edges[i + 1]);
      const double top = std::min(model.histogramY(share), bottom - 1);
      painter.fillRect(QRectF(left, top, std::max(1.0, right - left), bottom - top),
                       with ? withAlpha(style.accent, 170) : style.quiet);
    }
  };
  bars(false);
  bars(true);
}

void paintXAxis(QPainter& painter, const QRectF& plot, const std::vector<Tick>& ticks,
                const QStringList& names, const ViewStyle& style) {
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  drawHairline(painter, plot.bottomLeft(), plot.bottomRight(), style.mutedText);
  double last = -1e9;
  for (const Tick& tick : ticks) {
    const double x = std::round(plot.left() + tick.position * plot.width());
    drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + 4}, style.mutedText);
    const double width = metrics.horizontalAdvance(tick.label) + 4;
    if (tick.label.isEmpty() || x - width / 2 < last) continue;
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(x - width / 2, plot.bottom() + 4, width, metrics.height() + 2), Qt::AlignCenter,
                     tick.label);
    last = x + width / 2;
  }
  painter.setPen(style.text);
  constexpr double kBefore = 38, kBehind = 20; // free space before and after the plot
  const double width = plot.width() + kBefore + kBehind;
  const QString name = firstThatFits(names, painter.font(), width);
  const bool centred = textWidth(painter.font(), name) <= plot.width() + 2 * kBehind;
  drawElided(painter,
             centred ? QRectF(plot.left() - kBehind, plot.bottom() + 20, plot.width() + 2 * kBehind, 17)
                     : QRectF(plot.left() - kBefore, plot.bottom() + 20, width, 17),
             name, Qt::AlignCenter);
}

void paintYAxis(QPainter& painter, const QRectF& plot, const std::vector<Tick>& ticks,
                const ViewStyle& style) {
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  drawHairline(painter, plot.topLeft(), plot.bottomLeft(), style.mutedText);
  for (const Tick& tick : ticks) {
    const double y = std::round(plot.bottom() - tick.position * plot.height());
    drawHairline(painter, {plot.left() - 4, y}, {plot.left(), y}, style.mutedText);
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(plot.left() - 64, y - metrics.height() / 2, 58, metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
}

/// Names of an axis, from the longest to the shortest.
QStringList axisNames(const EvidenceAxis& axis, bool partial) {
  const bool log = axis.knee > 0;
  const auto name = [&](const QString& scaled, const QString& held) {
    const QString label = log ? scaled.arg(axis.label) : axis.label;
    return partial ? held.arg(label) : label;
  };
  return {name(Text::tr("%1 (symmetric log)"), Text::tr("%1, other causes held constant")),
          name(Text::tr("%1 (log)"), Text::tr("%1, others held constant")), axis.label};
}

void paintLegend(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const QRectF plot = model.histogramRect();
  painter.setFont(style.font(FontRole::Small));
  double y = plot.top() - 38;
  for (const bool with : {true, false}) {
    painter.fillRect(QRectF(plot.left() - 44, y + 4, 11, 9),
                     with ? withAlpha(style.accent, 170) : style.quiet);
    painter.setPen(style.text);
    const double width = plot.width() + 27 + 18;
    const auto n = with ? model.data().nWith : model.data().n - model.data().nWith;
    const QString brief = QStringLiteral("%1 (%2)").arg(model.sideName(with), formatCount(n));
    drawElided(painter, QRectF(plot.left() - 27, y, width, 17),
               firstThatFits({with ? model.withText() : model.withoutText(), brief}, painter.font(), width));
    y += 17;
  }
}

void paintPlots(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(model.scatterRect().adjusted(-3, -3, 3, 3), Qt::IntersectClip);
  if (model.scatter().pointX.empty())
    paintCells(painter, model, style);
  else
    paintPoints(painter, model, style);
  paintLine(painter, model, style);
  paintCurve(painter, model, style);
  painter.restore();
  paintSides(painter, model, style);
}

} // namespace

QColor cellColour(double t, const ViewStyle& style) {
  return mix(mix(style.background, style.focus, 0.28),
             style.isDark() ? mix(style.focus, Qt::white, 0.6) : mix(style.focus, Qt::black, 0.55), t);
}

double cellShade(std::uint32_t count, std::uint32_t densest) {
  return densest > 1 ? std::log(static_cast<double>(count)) / std::log(static_cast<double>(densest)) : 0.5;
}

std::vector<HeaderLine> headerLines(const EvidenceModel& model, const QRectF& rect, const ViewStyle& style) {
  constexpr double kHighEnough = 220;
  std::vector<HeaderLine> lines;
  const QStringList headlines = model.headlines();
  for (int i = 0; i < headlines.size(); ++i) {
    const QFont font = style.font(i == 0 ? FontRole::Emphasis : FontRole::Small);
    for (const QString& line : rect.height() < kHighEnough
                                   ? QStringList(headlines[i])
                                   : inLines(headlines[i], font, rect.width() - 2 * kAside, 2))
      lines.push_back({line, i});
  }
  return lines;
}

void paintFrame(QPainter& painter, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceScatter& s = model.scatter();
  const QRectF rect = model.rect();
  int number = 0;
  for (const auto& [text, of] : headerLines(model, rect, style)) {
    painter.setFont(style.font(of == 0 ? FontRole::Emphasis : FontRole::Small));
    painter.setPen(of == 2 ? style.mutedText : style.text);
    drawElided(painter,
               QRectF(rect.left() + kAside, rect.top() + 6 + 19 * number++, rect.width() - 2 * kAside, 19),
               text);
  }
  const QRectF plot = model.scatterRect();
  const int acrossX = std::max(2, static_cast<int>(plot.width() / 64)),
            acrossY = std::max(2, static_cast<int>(plot.height() / 36));
  paintXAxis(painter, plot, EvidenceModel::ticks(s.x, acrossX), axisNames(s.x, model.partial()), style);
  paintYAxis(painter, plot, EvidenceModel::ticks(s.y, acrossY), style);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.text);
  painter.save();
  painter.translate(rect.left() + 9, plot.center().y());
  painter.rotate(-90);
  drawElided(painter, QRectF(-plot.height() / 2, -8, plot.height(), 16),
             firstThatFits(axisNames(s.y, model.partial()), painter.font(), plot.height()), Qt::AlignCenter);
  painter.restore();
  const QRectF sides = model.histogramRect();
  paintXAxis(
      painter, sides,
      EvidenceModel::ticks(model.data().histogramAxis, std::max(2, static_cast<int>(sides.width() / 80))),
      axisNames(model.data().histogramAxis, false), style);
  std::vector<Tick> shares =
      niceTicks(0, model.greatestShare() * 108, std::max(2, static_cast<int>(sides.height() / 40)), "%");
  for (Tick& tick : shares) tick.label += QStringLiteral(" %");
  paintYAxis(painter, sides, shares, style);
  paintLegend(painter, model, style);
}

void paint(QPainter& painter, const QRectF& rect, const EvidenceModel& source, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (source.empty()) {
    drawMessage(painter, rect, Text::tr("No edge is chosen"), style);
    painter.restore();
    return;
  }
  EvidenceModel model = source;
  model.setHeaderLines(static_cast<int>(headerLines(model, rect, style).size()));
  model.setRect(rect);
  paintPlots(painter, model, style);
  paintFrame(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::evidence
