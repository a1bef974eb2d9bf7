#include "views/metrics/metrics_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/ticks.h"

namespace jitterscope::views::metrics {
namespace {

constexpr double kRamp = 72; // length of a legend's ramp

/// Position in the scale, clamped to 0 … 1.
double share_of(double value, const MetricScale& scale) {
  return std::clamp((value - scale.first) / (scale.second - scale.first), 0.0, 1.0);
}

/// Colours of values; 0 has the background colour, so that idle time looks empty.
class Colours {
public:
  Colours(const ViewStyle& style, const MetricScale& scale) : ground_(style.background.rgb()), scale_(scale) {
    for (std::size_t i = 0; i < table_.size(); ++i)
      table_[i] =
          sequentialColour(0.12 + 0.88 * static_cast<double>(i) / static_cast<double>(table_.size() - 1),
                           style.theme)
              .rgb();
  }
  QRgb of(double value) const {
    if (std::isnan(value) || (value == 0 && scale_.first >= 0)) return ground_;
    return table_[static_cast<std::size_t>(share_of(value, scale_) * static_cast<double>(table_.size() - 1))];
  }
  QRgb at(double share) const {
    return table_[static_cast<std::size_t>(share * static_cast<double>(table_.size() - 1))];
  }

private:
  std::array<QRgb, 256> table_{};
  QRgb ground_;
  MetricScale scale_;
};

/// Index of the value column for each pixel column of the plot, −1 if there is none.
std::vector<int> columns_of(const Model& model, const MetricValues& values, int pixels, double scale) {
  std::vector<int> columns;
  for (int x = 0; x < pixels; ++x)
    columns.push_back(columnAt(values, model.viewport.timeAt((x + 0.5) / scale)));
  return columns;
}

void paint_colours(QPainter& painter, const QRectF& body, const Model& model, int panel,
                   const ViewStyle& style) {
  const auto& of = model.panels[static_cast<std::size_t>(panel)];
  const auto& place = model.places[static_cast<std::size_t>(panel)];
  const double ratio = std::max(painter.device() ? painter.device()->devicePixelRatioF() : 1.0, 1.0);
  const int width = std::max(static_cast<int>(body.width() * ratio), 1);
  QImage image(width, place.lanes, QImage::Format_RGB32);
  const auto columns = columns_of(model, of.values, width, ratio);
  const Colours colours(style, scaleOf(of));
  for (int lane = 0; lane < place.lanes; ++lane) {
    const auto objects = model.objectsOf(panel, lane);
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(lane));
    for (int x = 0; x < width; ++x) {
      const int column = columns[static_cast<std::size_t>(x)];
      const bool again = x > 0 && column == columns[static_cast<std::size_t>(x) - 1];
      line[x] =
          again ? line[x - 1] : colours.of(column < 0 ? std::nan("") : valueAt(of, objects, column).shown);
    }
  }
  painter.drawImage(body, image);
  if (place.lane() < 8) return;
  for (int lane = 1; lane < place.lanes; ++lane)
    drawHairline(painter, {body.left(), body.top() + lane * place.lane()},
                 {body.right(), body.top() + lane * place.lane()}, style.background);
}

/// Bars of one colour. Adjacent bars of equal height are joined. On paper all bars are one path, so that
/// files do not contain thousands of shapes.
class Bars {
public:
  Bars(QPainter& painter, const QColor& colour)
      : painter_(painter), colour_(colour),
        vector_(painter.paintEngine() && painter.paintEngine()->type() != QPaintEngine::Raster) {}
  void add(const QRectF& bar) {
    if (bar.height() <= 0) return;
    if (!bars_.empty() && bar.top() == bars_.back().top() && bar.bottom() == bars_.back().bottom() &&
        bar.left() <= bars_.back().right() + 1e-6)
      return bars_.back().setRight(bar.right());
    bars_.push_back(bar);
  }
  void paint() const {
    QPainterPath path;
    for (const auto& bar : bars_) {
      if (vector_)
        path.addRect(bar);
      else
        painter_.fillRect(bar, colour_);
    }
    if (vector_) painter_.fillPath(path, colour_);
  }

private:
  QPainter& painter_;
  QColor colour_;
  bool vector_;
  std::vector<QRectF> bars_;
};

/// The range of each column in the background, the shown value in front, from 0.
void paint_curve(QPainter& painter, const QRectF& lane, const Model& model, int panel, LaneObjects objects,
                 const ViewStyle& style) {
  const auto& of = model.panels[static_cast<std::size_t>(panel)];
  const auto scale = scaleOf(of);
  const QRectF plot = lane.adjusted(0, 2, 0, -1);
  const auto y_of = [&](double value) { return plot.bottom() - share_of(value, scale) * plot.height(); };
  const double zero = y_of(0);
  const double ratio = std::max(painter.device() ? painter.device()->devicePixelRatioF() : 1.0, 1.0);
  const int width = std::max(static_cast<int>(plot.width() * ratio), 1);
  const auto columns = columns_of(model, of.values, width, ratio);
  const QColor fill = categoryColour(0, style.theme), behind = mix(style.background, fill, 0.35);
  Bars ranges(painter, behind), shown(painter, fill), above(painter, style.warning);
  for (int x = 0; x < width;) {
    const int from = x, column = columns[static_cast<std::size_t>(x)];
    while (x < width && columns[static_cast<std::size_t>(x)] == column) ++x;
    if (column < 0) continue;
    const auto value = valueAt(of, objects, column);
    if (std::isnan(value.shown)) continue;
    const double left = plot.left() + from / ratio, wide = (x - from) / ratio;
    const auto bar = [&](double a, double b) {
      const double top = std::min(y_of(a), y_of(b)), bottom = std::max(y_of(a), y_of(b));
      return QRectF(left, top, wide, bottom - top);
    };
    if (value.minimum != 0 || value.maximum != value.shown) ranges.add(bar(value.minimum, value.maximum));
    shown.add(bar(0, value.shown));
    if (value.maximum > scale.second) above.add(QRectF(left, plot.top(), wide, 2));
  }
  for (const auto* bars : {&ranges, &shown, &above}) bars->paint();
  drawHairline(painter, {plot.left(), std::round(zero)}, {plot.right(), std::round(zero)}, style.grid);
}

/// Ends of the scale of curves, at the right of the names of the first lane; returns their width.
double paint_ends(QPainter& painter, const QRectF& gutter, const Model& model, int panel,
                  const ViewStyle& style) {
  const auto& of = model.panels[static_cast<std::size_t>(panel)];
  const auto& place = model.places[static_cast<std::size_t>(panel)];
  if (!showsEnds(place.lane(), style)) return 0; // the header states the scale
  painter.setFont(style.font(FontRole::Small));
  const auto scale = scaleOf(of);
  const auto low = formatValue(scale.first, of.unit, 3), high = formatValue(scale.second, of.unit, 3);
  const double width = endsWidth(of, style);
  const QRectF ends(gutter.left(), gutter.top() + 1, gutter.width() - 5, place.lane() - 1);
  painter.setPen(style.mutedText);
  painter.drawText(ends, Qt::AlignRight | Qt::AlignTop, high);
  painter.drawText(ends, Qt::AlignRight | Qt::AlignBottom, low);
  return width;
}

void paint_names(QPainter& painter, const QRectF& gutter, const Model& model, int panel,
                 const ViewStyle& style) {
  const auto& place = model.places[static_cast<std::size_t>(panel)];
  const auto& objects = model.panels[static_cast<std::size_t>(panel)].values.objects;
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  const double line = metricsOf(painter.font()).height();
  if (place.lane() < line - 2) {
    const auto text =
        Text::tr("%1 – %2\n%3 objects").arg(objects.front(), objects.back()).arg(objects.size());
    painter.drawText(gutter.adjusted(10, 2, -6, -2), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                     text);
    return;
  }
  const double ends = paint_ends(painter, gutter, model, panel, style);
  for (int lane = 0; lane < place.lanes; ++lane)
    drawName(painter,
             QRectF(gutter.left() + 10, gutter.top() + lane * place.lane(),
                    gutter.width() - 16 - (lane == 0 ? ends : 0), place.lane()),
             objects[lane]);
}

/// `curves`: the panel has curves of one colour, so that a ramp of colours would explain nothing. `merging`:
/// how objects share lanes.
void paint_header(QPainter& painter, const QRectF& header, const MetricPanel& panel, bool curves,
                  const QString& merging, const ViewStyle& style) {
  painter.fillRect(header, style.surface);
  const QRectF legend = legendRect(header, panel, style);
  const double room = legend.left() - header.left() - 24;
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  const auto title = titleOf(panel);
  const double wide = std::min(metricsOf(painter.font()).horizontalAdvance(title) + 2, room);
  drawElided(painter, QRectF(header.left() + 10, header.top(), wide, header.height()), title);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  QStringList words;
  if (!panel.level.isEmpty()) words << Text::tr("per %1").arg(panel.level);
  if (panel.maximum) words << Text::tr("maximum");
  if (!panel.unit.isEmpty() && panel.unit != "ns") words << panel.unit;
  if (!merging.isEmpty()) words << merging;
  if (!panel.missing.isEmpty() && !panel.values.empty() && panel.allZero()) words << panel.missing;
  drawElided(painter, QRectF(header.left() + 18 + wide, header.top(), room - wide - 8, header.height()),
             words.join(" · "));
  if (panel.values.empty()) return;
  const auto scale = scaleOf(panel);
  const auto digits = metricsOf(painter.font());
  const auto low = formatValue(scale.first, panel.unit, 3), high = formatValue(scale.second, panel.unit, 3);
  if (curves) {
    painter.setPen(panel.scale ? style.text : style.mutedText);
    painter.drawText(legend.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("%1 – %2").arg(low, high));
    return;
  }
  const double high_width = digits.horizontalAdvance(high) + 4, low_width = digits.horizontalAdvance(low) + 4;
  const QRectF ramp(legend.right() - high_width - 4 - kRamp, header.center().y() - 4, kRamp, 8);
  painter.drawText(QRectF(ramp.right() + 6, header.top(), high_width, header.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, high);
  painter.drawText(QRectF(ramp.left() - low_width - 4, header.top(), low_width, header.height()),
                   Qt::AlignRight | Qt::AlignVCenter, low);
  const Colours colours(style, scale);
  for (int x = 0; x < static_cast<int>(kRamp); ++x)
    painter.fillRect(QRectF(ramp.left() + x, ramp.top(), 1, ramp.height()),
                     QColor(colours.at(x / (kRamp - 1))));
  painter.setPen(panel.scale ? style.text : style.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(ramp.adjusted(-0.5, -0.5, 0.5, 0.5));
}

void paint_panel(QPainter& painter, const QRectF& rect, const Model& model, int panel,
                 const ViewStyle& style) {
  const auto& place = model.places[static_cast<std::size_t>(panel)];
  const auto& of = model.panels[static_cast<std::size_t>(panel)];
  const double top = rect.top() + place.top - model.scroll;
  paint_header(painter, QRectF(rect.left(), top, rect.width(), place.header), of, place.lane() >= kCurve,
               mergingText(model, panel), style);
  const QRectF body(rect.left() + model.gutter, top + place.header, rect.width() - model.gutter, place.body);
  if (of.values.empty() || !of.problem.isEmpty()) {
    painter.setFont(style.font());
    painter.setPen(of.problem.isEmpty() ? style.mutedText : style.negative);
    painter.drawText(QRectF(rect.left() + 10, body.top() + 4, rect.width() - 20, place.body - 6),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, stateText(of));
    return;
  }
  paint_names(painter, QRectF(rect.left(), body.top(), model.gutter, place.body), model, panel, style);
  if (place.lane() < kCurve) return paint_colours(painter, body, model, panel, style);
  for (int lane = 0; lane < place.lanes; ++lane)
    paint_curve(painter, QRectF(body.left(), body.top() + lane * place.lane(), body.width(), place.lane()),
                model, panel, model.objectsOf(panel, lane), style);
}

void paint_axis(QPainter& painter, const QRectF& rect, const Model& model, const ViewStyle& style) {
  const QRectF axis(rect.left(), rect.bottom() - model.axis, rect.width(), model.axis);
  painter.fillRect(axis, style.background);
  const double left = rect.left() + model.gutter;
  drawHairline(painter, {left, axis.top()}, {rect.right(), axis.top()}, style.border);
  painter.setFont(style.font(FontRole::Small));
  const auto metrics = metricsOf(painter.font());
  for (const auto& tick :
       timeTicks(model.viewport.window(), std::max(2, static_cast<int>(model.viewport.width() / 70)))) {
    const double x = std::floor(left + tick.position * model.viewport.width());
    drawHairline(painter, {x, axis.top()}, {x, axis.top() + 4}, style.mutedText);
    const double width = metrics.horizontalAdvance(tick.label) + 2;
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(std::clamp(x - width / 2, left, std::max(left, rect.right() - width - 2)),
                            axis.top() + 5, width, axis.height() - 5),
                     Qt::AlignCenter, tick.label);
  }
}

void paint_moments(QPainter& painter, const QRectF& rect, const Model& model, const ViewStyle& style) {
  if (model.moments.empty()) return;
  const QRectF plot = model.plot(rect);
  QColor shade = style.accent;
  shade.setAlpha(style.isDark() ? 44 : 28);
  Bars bands(painter, shade), marks(painter, style.accent);
  for (const auto& [left, right] : momentSpans(model)) {
    bands.add(QRectF(plot.left() + left, plot.top(), right - left, plot.height()));
    marks.add(QRectF(plot.left() + left, plot.bottom() - 3, right - left, 3));
  }
  bands.paint();
  marks.paint();
}

void paint_marks(QPainter& painter, const QRectF& rect, const Model& model, const ViewStyle& style) {
  const QRectF plot = model.plot(rect);
  const auto x_of = [&](Nanoseconds time) { return plot.left() + model.viewport.pixelAt(time); };
  if (model.brush) {
    const double from = std::max(plot.left(), x_of(model.brush->begin)),
                 to = std::min(plot.right(), x_of(model.brush->end));
    if (to > from) {
      QColor shade = style.focus;
      shade.setAlpha(40);
      painter.fillRect(QRectF(from, plot.top(), to - from, plot.height()), shade);
      drawHairline(painter, {from, plot.top()}, {from, plot.bottom()}, style.focus);
      drawHairline(painter, {to, plot.top()}, {to, plot.bottom()}, style.focus);
    }
  }
  if (!model.cursor || *model.cursor < model.viewport.window().begin ||
      model.viewport.window().end <= *model.cursor)
    return;
  QColor line = style.text;
  line.setAlpha(140);
  drawHairline(painter, {std::floor(x_of(*model.cursor)), plot.top()},
               {std::floor(x_of(*model.cursor)), plot.bottom()}, line);
}

} // namespace

QRectF legendRect(const QRectF& header, const MetricPanel& panel, const ViewStyle& style) {
  const auto metrics = metricsOf(style.font(FontRole::Small));
  const auto scale = scaleOf(panel);
  const double wide = metrics.horizontalAdvance(formatValue(scale.first, panel.unit, 3)) +
                      metrics.horizontalAdvance(formatValue(scale.second, panel.unit, 3)) + kRamp + 22;
  return {header.right() - wide - 8, header.top(), wide, header.height()};
}

void paint(QPainter& painter, const QRectF& rect, const Model& model, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  for (int panel = 0; panel < static_cast<int>(model.panels.size()); ++panel) {
    const auto& place = model.places[static_cast<std::size_t>(panel)];
    if (place.bottom() > model.scroll && place.top - model.scroll < rect.height() - model.axis)
      paint_panel(painter, rect, model, panel, style);
  }
  paint_moments(painter, rect, model, style);
  paint_marks(painter, rect, model, style);
  paint_axis(painter, rect, model, style);
  painter.restore();
}

} // namespace jitterscope::views::metrics
