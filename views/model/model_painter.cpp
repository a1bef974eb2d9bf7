#include "views/model/model_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::model {
namespace {

constexpr double kRadius = 4;

struct Drawn {
  QPainter& p;
  const QRectF rect;
  const ModelData& data;
  const ViewStyle& style;
  const Layout& layout;
  const Marked& marked;

  bool dimmed(int index) const {
    return !marked.chosen.empty() &&
           std::find(marked.chosen.begin(), marked.chosen.end(), index) == marked.chosen.end();
  }
};

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

QColor ofPoint(const Drawn& d, const QColor& colour, int index) {
  return d.dimmed(index) ? dimmedColour(colour, d.style) : colour;
}

void paintXTicks(const Drawn& d, const std::vector<Tick>& ticks, const QString& title) {
  const QRectF plot = d.layout.plot;
  d.p.setFont(d.style.font(FontRole::Small));
  const auto metrics = metricsOf(d.p.font());
  double last = d.rect.left();
  for (const auto& tick : ticks) {
    const double x = std::round(plot.left() + tick.position * plot.width());
    drawHairline(d.p, {x, plot.top()}, {x, plot.bottom()}, d.style.grid);
    const double wide = metrics.horizontalAdvance(tick.label) + 6;
    if (tick.label.isEmpty() || x - wide / 2 < last || x + wide / 2 > d.rect.right()) continue;
    d.p.setPen(d.style.mutedText);
    d.p.drawText(QRectF(x - wide / 2, plot.bottom() + 3, wide, metrics.height() + 2), Qt::AlignCenter,
                 tick.label);
    last = x + wide / 2;
  }
  d.p.setPen(d.style.text);
  drawElided(d.p, QRectF(plot.left(), plot.bottom() + 20, plot.width(), 18), title, Qt::AlignCenter);
}

void paintYTicks(const Drawn& d, const std::vector<Tick>& ticks, const QString& title) {
  const QRectF plot = d.layout.plot;
  d.p.setFont(d.style.font(FontRole::Small));
  const auto metrics = metricsOf(d.p.font());
  for (const auto& tick : ticks) {
    const double y = std::round(plot.bottom() - tick.position * plot.height());
    drawHairline(d.p, {plot.left(), y}, {plot.right(), y}, d.style.grid);
    d.p.setPen(d.style.mutedText);
    d.p.drawText(QRectF(plot.left() - 52, y - metrics.height() / 2, 47, metrics.height()),
                 Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  d.p.setPen(d.style.text);
  d.p.save();
  d.p.translate(d.rect.left() + 10, plot.center().y());
  d.p.rotate(-90);
  drawElided(d.p, QRectF(-plot.height() / 2, -8, plot.height(), 16), title, Qt::AlignCenter);
  d.p.restore();
}

/// "100 G" without the unit, which is in the title of the axis.
QString brief(double value) {
  if (value < 1'000) return formatSi(value, QString(), 3);
  QString text = formatSi(value, QStringLiteral("B"), 3);
  text.chop(1);
  return text;
}

void paintLogAxes(const Drawn& d, const QString& xTitle, const QString& yTitle, const QString& unit) {
  const QRectF plot = d.layout.plot;
  const auto& x = d.layout.x;
  const auto& y = d.layout.y;
  auto across = axisValueTicks(x.low, x.high, std::max(2, static_cast<int>(plot.width() / 70)), unit, true);
  auto up = axisValueTicks(y.low, y.high, std::max(2, static_cast<int>(plot.height() / 32)), unit, true);
  for (auto* ticks : {&across, &up})
    for (auto& tick : *ticks)
      if (unit.isEmpty() && !tick.label.isEmpty()) tick.label = brief(tick.value);
  paintXTicks(d, across, xTitle);
  paintYTicks(d, up, yTitle);
  d.p.setPen(QPen(d.style.border, 1));
  d.p.setBrush(Qt::NoBrush);
  d.p.drawRect(plot);
}

struct Entry {
  QColor colour;
  QString text;
};

void paintLegend(const Drawn& d, const std::vector<Entry>& entries, double left) {
  d.p.setFont(d.style.font(FontRole::Small));
  const auto metrics = metricsOf(d.p.font());
  const double y = d.rect.top() + 15;
  double x = left;
  for (const auto& entry : entries) {
    const double wide = metrics.horizontalAdvance(entry.text);
    if (x + 12 + wide > d.rect.right() - 4) return;
    d.p.setRenderHint(QPainter::Antialiasing, true);
    d.p.setPen(Qt::NoPen);
    d.p.setBrush(entry.colour);
    d.p.drawEllipse(QPointF(x + 5, y), 4, 4);
    d.p.setRenderHint(QPainter::Antialiasing, false);
    d.p.setPen(d.style.mutedText);
    d.p.drawText(QPointF(x + 12, y + metrics.ascent() / 2 - 1), entry.text);
    x += 12 + wide + 8;
  }
}

std::vector<Entry> boundEntries(const Drawn& d) {
  bool there[kModelBounds] = {};
  for (const auto& k : d.data.kernels) there[static_cast<int>(k.bound)] = true;
  std::vector<Entry> out;
  for (int b = 0; b < kModelBounds; ++b)
    if (there[b])
      out.push_back({colourOf(static_cast<ModelBound>(b), d.style),
                     out.empty() ? Text::tr("bound by %1").arg(titleOf(static_cast<ModelBound>(b)))
                                 : titleOf(static_cast<ModelBound>(b))});
  return out;
}

void paintPoint(const Drawn& d, const Mark& mark, const QColor& colour, bool hollow) {
  const bool current = d.marked.current == mark.index;
  const bool chosen = !d.marked.chosen.empty() && !d.dimmed(mark.index);
  const double radius = kRadius + (current ? 2 : 0);
  d.p.setPen(QPen(hollow ? colour : withAlpha(d.style.background, 200), hollow ? 1.6 : 0.8));
  d.p.setBrush(hollow ? QBrush(d.style.background) : QBrush(withAlpha(colour, 215)));
  d.p.drawEllipse(mark.at, radius, radius);
  if (!current && !chosen) return;
  d.p.setPen(QPen(chosen ? d.style.accent : d.style.text, 1.5));
  d.p.setBrush(Qt::NoBrush);
  d.p.drawEllipse(mark.at, radius + 2.5, radius + 2.5);
}

// Paints a line with a dot at its start, from the prediction for the recorded run to the what-if prediction.
void paintArrow(const Drawn& d, const Mark& mark, const QColor& colour) {
  const QPointF way = mark.at - mark.from;
  const double length = std::hypot(way.x(), way.y());
  if (length < 2 * kRadius) return;
  d.p.setPen(QPen(withAlpha(colour, 110), 1.2));
  d.p.drawLine(mark.from, mark.at);
  d.p.setBrush(withAlpha(colour, 90));
  d.p.setPen(Qt::NoPen);
  d.p.drawEllipse(mark.from, 2.2, 2.2);
}

void paintKernelPoints(const Drawn& d) {
  d.p.save();
  d.p.setClipRect(d.layout.plot.adjusted(-8, -8, 8, 8), Qt::IntersectClip);
  d.p.setRenderHint(QPainter::Antialiasing, true);
  for (const auto& mark : d.layout.marks)
    paintArrow(d, mark,
               ofPoint(d, colourOf(d.data.kernels[static_cast<std::size_t>(mark.index)].bound, d.style),
                       mark.index));
  for (const bool front : {false, true}) // selected points are drawn on top
    for (const auto& mark : d.layout.marks) {
      const auto& k = d.data.kernels[static_cast<std::size_t>(mark.index)];
      const bool above = d.marked.current == mark.index || !d.dimmed(mark.index);
      if (above == front)
        paintPoint(d, mark, ofPoint(d, colourOf(k.bound, d.style), mark.index), k.extrapolated);
    }
  d.p.restore();
}

// Paints y = x with the band of ± 5 %; both axes have the same range.
void paintBand(const Drawn& d) {
  const auto& l = d.layout;
  d.p.save();
  d.p.setClipRect(l.plot, Qt::IntersectClip);
  d.p.setRenderHint(QPainter::Antialiasing, true);
  const auto at = [&](double x, double factor) { return l.place(x, x * factor); };
  const QPolygonF band(
      {at(l.x.low, 1 + kBand), at(l.x.high, 1 + kBand), at(l.x.high, 1 - kBand), at(l.x.low, 1 - kBand)});
  d.p.setPen(Qt::NoPen);
  d.p.setBrush(withAlpha(d.style.focus, 70));
  d.p.drawPolygon(band);
  d.p.setPen(QPen(withAlpha(d.style.text, 110), 0.8, Qt::DashLine));
  d.p.drawLine(at(l.x.low, 1), at(l.x.high, 1));
  d.p.restore();
}

void paintScatter(const Drawn& d) {
  const bool asked = !d.data.asked.isEmpty();
  paintLogAxes(d, Text::tr("measured time of a launch"),
               asked ? Text::tr("predicted, %1").arg(d.data.asked) : Text::tr("predicted time"),
               QStringLiteral("ns"));
  paintBand(d);
  paintKernelPoints(d);
  auto entries = boundEntries(d);
  entries.push_back({withAlpha(d.style.focus, 90), QStringLiteral("± 5 %")});
  paintLegend(d, entries, d.rect.left() + 12);
}

void paintMessages(const Drawn& d) {
  paintLogAxes(d, Text::tr("measured time of a message"), Text::tr("predicted time"), QStringLiteral("ns"));
  paintBand(d);
  d.p.save();
  d.p.setClipRect(d.layout.plot.adjusted(-8, -8, 8, 8), Qt::IntersectClip);
  d.p.setRenderHint(QPainter::Antialiasing, true);
  QStringList operations;
  for (const auto& m : d.data.messages)
    if (!operations.contains(m.operation)) operations << m.operation;
  const auto colour = [&](const QString& of) {
    return categoryColour(static_cast<std::uint32_t>(operations.indexOf(of)), d.style.theme);
  };
  for (const auto& mark : d.layout.marks) {
    const auto& m = d.data.messages[static_cast<std::size_t>(mark.index)];
    paintPoint(d, mark, colour(m.operation), m.extrapolated);
  }
  d.p.restore();
  std::vector<Entry> entries;
  for (const auto& of : operations) entries.push_back({colour(of), of});
  paintLegend(d, entries, d.rect.left() + 12);
}

void paintCurrentLine(const Drawn& d, const Mark& mark) {
  const bool chosen = !d.marked.chosen.empty() && !d.dimmed(mark.index);
  if (d.marked.current == mark.index) d.p.fillRect(mark.line, mix(d.style.focus, d.style.background, 0.86));
  if (chosen)
    d.p.fillRect(QRectF(mark.line.left(), mark.line.top() + 3, 2, mark.line.height() - 6), d.style.accent);
}

std::vector<Tick> errorTicks(const Drawn& d) {
  auto ticks = niceTicks(-100 * d.layout.span, 100 * d.layout.span,
                         std::max(3, static_cast<int>(d.layout.plot.width() / 60)));
  for (auto& tick : ticks)
    tick.label = tick.value == 0
                     ? QStringLiteral("0")
                     : signedPercent(tick.value / 100).replace(QStringLiteral(".0 %"), QStringLiteral(" %"));
  return ticks;
}

void paintErrors(const Drawn& d) {
  const auto& l = d.layout;
  const double middle = l.plot.center().x(), half = kBand / l.span * l.plot.width() / 2;
  d.p.fillRect(QRectF(middle - half, l.plot.top(), 2 * half, l.plot.height()), withAlpha(d.style.focus, 34));
  paintXTicks(d, errorTicks(d), Text::tr("(predicted − measured) / measured time"));
  QStringList names;
  for (const auto& mark : l.marks)
    names << briefName(d.data.kernels[static_cast<std::size_t>(mark.index)].name);
  const double wide = l.plot.left() - d.rect.left() - 22;
  names = distinctNames(names, d.style.font(), wide);
  for (std::size_t i = 0; i < l.marks.size(); ++i) {
    const auto& mark = l.marks[i];
    const auto& k = d.data.kernels[static_cast<std::size_t>(mark.index)];
    paintCurrentLine(d, mark);
    d.p.setFont(d.style.font());
    d.p.setPen(d.dimmed(mark.index) ? d.style.mutedText : d.style.text);
    drawElided(d.p, QRectF(d.rect.left() + 12, mark.line.top(), wide, mark.line.height()),
               names[static_cast<int>(i)]);
    const double end = mark.at.x();
    d.p.fillRect(QRectF(std::min(end, middle), mark.line.top() + 5, std::max(1.0, std::abs(end - middle)),
                        mark.line.height() - 10),
                 ofPoint(d, colourOf(k.bound, d.style), mark.index));
    drawElided(
        d.p,
        QRectF(l.plot.right() + 4, mark.line.top(), d.rect.right() - l.plot.right() - 14, mark.line.height()),
        signedPercent(k.error()), Qt::AlignRight | Qt::AlignVCenter);
  }
  drawHairline(d.p, {std::round(middle), l.plot.top()}, {std::round(middle), l.plot.bottom()},
               d.style.mutedText);
  auto entries = boundEntries(d);
  if (l.hidden > 0)
    entries.insert(entries.begin(), {Qt::transparent, Text::tr("%1 more below").arg(l.hidden)});
  paintLegend(d, entries, d.rect.left() + (l.hidden > 0 ? 0 : 12));
}

// Pixels between two parallel ceilings; infinite if they are not parallel.
double ceilingDistance(const Ceiling& one, const Ceiling& other) {
  const QPointF a = one.end - one.begin, b = other.end - other.begin, apart = other.begin - one.begin;
  const double length = std::hypot(a.x(), a.y());
  const double turn = a.x() * b.y() - a.y() * b.x();
  if (!(length > 0) || std::abs(turn) > 0.02 * length * std::hypot(b.x(), b.y()))
    return std::numeric_limits<double>::infinity();
  return std::abs(a.x() * apart.y() - a.y() * apart.x()) / length;
}

// The name of a ceiling is above its line, or below if the previous ceiling is close above.
void paintRoofline(const Drawn& d, bool instructions) {
  paintLogAxes(d,
               instructions ? Text::tr("warp instructions per byte of memory")
                            : Text::tr("FLOP per byte of memory"),
               instructions ? Text::tr("warp instructions per second") : Text::tr("FLOP per second"), {});
  d.p.save();
  d.p.setClipRect(d.layout.plot, Qt::IntersectClip);
  d.p.setRenderHint(QPainter::Antialiasing, true);
  d.p.setFont(d.style.font(FontRole::Small));
  for (std::size_t i = 0; i < d.layout.ceilings.size(); ++i) {
    const auto& ceiling = d.layout.ceilings[i];
    d.p.setPen(QPen(d.style.mutedText, 1.4));
    d.p.drawLine(ceiling.begin, ceiling.end);
    const QPointF way = ceiling.end - ceiling.begin;
    d.p.save();
    d.p.translate(ceiling.begin);
    d.p.rotate(std::atan2(way.y(), way.x()) * 180 / M_PI);
    d.p.setPen(d.style.mutedText);
    const double length = std::hypot(way.x(), way.y());
    const bool crowded = i > 0 && ceilingDistance(d.layout.ceilings[i - 1], ceiling) < 18;
    drawElided(d.p, QRectF(6, crowded ? 2 : -17, length - 18, 15), ceiling.name,
               Qt::AlignRight | Qt::AlignVCenter);
    d.p.restore();
  }
  d.p.restore();
  paintKernelPoints(d);
  paintLegend(d, boundEntries(d), d.rect.left() + 12);
}

void paintRun(const Drawn& d) {
  const auto& l = d.layout;
  auto ticks = niceTicks(0, l.span, std::max(2, static_cast<int>(l.plot.width() / 80)), QStringLiteral("ns"));
  paintXTicks(d, ticks, Text::tr("time of the run"));
  const auto colour = [&](std::size_t part) {
    const int of = runPart(part).colour;
    return of >= 0 ? categoryColour(of, d.style.theme) : mix(d.style.quiet, d.style.background, 0.45);
  };
  for (const auto& mark : l.marks) {
    const auto& run = d.data.runs[static_cast<std::size_t>(mark.index)];
    paintCurrentLine(d, mark);
    d.p.setFont(d.style.font(mark.index == 0 ? FontRole::Emphasis : FontRole::Normal));
    d.p.setPen(d.style.text);
    drawElided(
        d.p,
        QRectF(d.rect.left() + 12, mark.line.top(), l.plot.left() - d.rect.left() - 20, mark.line.height()),
        run.title);
    double x = l.plot.left();
    const double high = std::min(18.0, mark.line.height() - 6);
    for (std::size_t part = 0; part < kRunParts; ++part) {
      const double wide = l.span > 0 ? run.parts[part] / l.span * l.plot.width() : 0;
      d.p.fillRect(QRectF(x, mark.line.center().y() - high / 2, wide, high), colour(part));
      x += wide;
    }
    drawElided(
        d.p,
        QRectF(l.plot.right() + 4, mark.line.top(), d.rect.right() - l.plot.right() - 14, mark.line.height()),
        formatDuration(run.total(), 3), Qt::AlignRight | Qt::AlignVCenter);
  }
  std::vector<Entry> entries;
  for (const auto part : d.data.shownRunParts()) entries.push_back({colour(part), runPart(part).name});
  paintLegend(d, entries, d.rect.left() + 12);
}

} // namespace

void paint(QPainter& painter, const QRectF& rect, const ModelData& data, Chart chart, const ViewStyle& style,
           std::size_t device, int first, const Marked& marked) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  const Layout layout = layoutOf(data, chart, rect, style, device, first);
  if (layout.marks.empty()) {
    drawMessage(painter, rect.adjusted(20, 0, -20, 0), layout.reason, style);
    return painter.restore();
  }
  const Drawn d{painter, rect, data, style, layout, marked};
  switch (chart) {
  case Chart::Scatter:
    paintScatter(d);
    break;
  case Chart::Errors:
    paintErrors(d);
    break;
  case Chart::Roofline:
  case Chart::InstructionRoofline:
    paintRoofline(d, chart == Chart::InstructionRoofline);
    break;
  case Chart::Messages:
    paintMessages(d);
    break;
  case Chart::Run:
    paintRun(d);
    break;
  }
  painter.restore();
}

} // namespace jitterscope::views::model
