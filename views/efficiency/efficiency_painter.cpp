#include "views/efficiency/efficiency_painter.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/ticks.h"

namespace jitterscope::views::efficiency {
namespace {

/// Colours of the parts of a row's time, of lost time, and of the background of bars.
struct Palette {
  QColor useful, communication, offload, idle, lost, track;
  explicit Palette(const ViewStyle& style)
      : useful(categoryColour(0, style.theme)), communication(categoryColour(1, style.theme)),
        offload(categoryColour(2, style.theme)), idle(mix(style.quiet, style.background, 0.45)),
        lost(style.accent), track(mix(style.grid, style.background, 0.15)) {}
};

struct Drawn {
  QPainter& painter;
  const EfficiencyData& data;
  const ViewStyle& style;
  const Layout& layout;
  const Palette palette;
  std::optional<std::size_t> current;
};

QRectF cell(const Columns::Span& span, const QRectF& line) {
  return {span.first, line.top(), std::max(span.second - span.first, 0.0), line.height()};
}

/// The first row of a heading or a factor, or a further one below it.
QRectF rowOf(const QRectF& line, int row) {
  return row == 0 ? QRectF(line.left(), line.top(), line.width(), std::min(kHeadingLine, line.height()))
                  : QRectF(line.left(), line.top() + kHeadingLine + kHeadingRow * (row - 1), line.width(),
                           kHeadingRow);
}

/// Hatches a rectangle. Lines end inside of it: not every file format of pictures can clip.
void hatch(const Drawn& d, const QRectF& rect) {
  d.painter.fillRect(rect, d.style.background);
  constexpr double kStep = 5;
  QPainterPath lines;
  const int count = static_cast<int>(std::ceil((rect.width() + rect.height()) / kStep));
  for (int i = 0; i < count; ++i) {
    const double x = rect.left() - rect.height() + i * kStep;
    const double from = std::max(x, rect.left()), to = std::min(x + rect.height(), rect.right());
    if (to <= from) continue;
    lines.moveTo(from, rect.bottom() - (from - x));
    lines.lineTo(to, rect.bottom() - (to - x));
  }
  d.painter.save();
  d.painter.setRenderHint(QPainter::Antialiasing, true);
  d.painter.setPen(QPen(mix(d.style.mutedText, d.style.background, 0.35), 1));
  d.painter.setBrush(Qt::NoBrush);
  d.painter.drawPath(lines);
  d.painter.restore();
}

void fillShare(const Drawn& d, const QRectF& bar, double from, double to, const QColor& colour) {
  if (to <= from) return;
  const double wide = std::max((to - from) * bar.width(), 1.0); // at least one pixel, so that it is visible
  const double left = std::min(bar.left() + from * bar.width(), bar.right() - wide);
  d.painter.fillRect(QRectF(left, bar.top(), wide, bar.height()), colour);
}

void heading(const Drawn& d, const QRectF& rect, const QString& text, Qt::Alignment alignment) {
  d.painter.setFont(d.style.font(FontRole::Small));
  d.painter.setPen(d.style.mutedText);
  drawElided(d.painter, rect, text, alignment | Qt::AlignVCenter);
}

void paintHeadings(const Drawn& d, const QRectF& line) {
  const auto& c = d.layout.columns;
  const bool devices =
      std::any_of(d.data.rows.begin(), d.data.rows.end(), [](const auto& row) { return row.device; });
  if (devices)
    heading(d, {c.title.first, line.top(), c.value.second - c.title.first, rowOf(line, 0).height()},
            d.data.collectivesUseful ? Text::tr("collectives count as useful")
                                     : Text::tr("collectives count as communication"),
            Qt::AlignLeft);
  const QRectF row = rowOf(line, devices && c.stacked ? 1 : 0);
  heading(d, cell(c.bar, row), barHeadingOf(d.data), Qt::AlignLeft);
  heading(d, cell(c.cost, row), Text::tr("costs"), Qt::AlignRight);
  heading(d, cell(c.where, row), Text::tr("most at"), Qt::AlignLeft);
}

void paintFactor(const Drawn& d, const Line& line) {
  const auto f = static_cast<std::size_t>(line.index);
  const auto& factor = d.data.factors[f];
  const auto& c = d.layout.columns;
  const int depth = depthOf(d.data, f);
  const bool root = depth == 0;
  if (root)
    drawHairline(d.painter, {c.title.first, line.rect.top()},
                 {line.rect.right() - c.title.first, line.rect.top()}, d.style.border);
  d.painter.setFont(d.style.font(root ? FontRole::Emphasis : FontRole::Normal));
  const QRectF first = rowOf(line.rect, 0), second = c.stacked ? rowOf(line.rect, 1) : first;
  QRectF title = cell(c.title, first);
  title.setLeft(title.left() + 16 * depth);
  d.painter.setPen(d.style.mutedText);
  if (!root) drawElided(d.painter, title.adjusted(-14, 0, 0, 0), QStringLiteral("×"));
  d.painter.setPen(d.style.text);
  drawElided(d.painter, title, factor.title);
  drawElided(d.painter, cell(c.value, first), percentOf(factor.value), Qt::AlignRight | Qt::AlignVCenter);
  if (factor.scaling) return; // it has no cost of its own
  const QRectF bar =
      c.stacked ? cell(c.bar, second).adjusted(0, 1, 0, -4) : cell(c.bar, second).adjusted(0, 5, 0, -5);
  d.painter.fillRect(bar, d.palette.track);
  const auto [from, to] = barOf(d.data, f);
  fillShare(d, bar, from, to,
            root ? d.palette.useful : mix(d.palette.lost, d.style.background, depth > 1 ? 0.35 : 0.0));
  d.painter.setFont(d.style.font());
  d.painter.setPen(d.style.text);
  drawElided(d.painter, cell(c.cost, second), formatDuration(factor.cost, 3),
             Qt::AlignRight | Qt::AlignVCenter);
  d.painter.setPen(factor.when ? d.style.mutedText : d.style.faintText);
  drawElided(d.painter, cell(c.where, second), factor.place);
}

/// "■ useful ■ communication …"
void paintLegend(const Drawn& d, const Line& line) {
  const QColor colours[] = {d.palette.useful, d.palette.communication, d.palette.offload, d.palette.idle};
  d.painter.setFont(d.style.font(FontRole::Small));
  const auto metrics = metricsOf(d.painter.font());
  for (const auto& entry : legendOf(d.data, line.kind == Line::Kind::DeviceHeadings, d.layout.columns,
                                    line.rect.width(), d.style)) {
    const QRectF rect = rowOf(line.rect, entry.row);
    d.painter.fillRect(QRectF(entry.x, rect.center().y() - 4, 8, 8), colours[entry.part]);
    d.painter.setPen(d.style.mutedText);
    d.painter.drawText(QPointF(entry.x + 12, rect.center().y() + metrics.ascent() / 2 - 1), entry.text);
  }
}

void paintRowHeadings(const Drawn& d, const Line& line) {
  const auto& c = d.layout.columns;
  const bool devices = line.kind == Line::Kind::DeviceHeadings;
  drawHairline(d.painter, {c.title.first, line.rect.top()},
               {line.rect.right() - c.title.first, line.rect.top()}, d.style.border);
  d.painter.setFont(d.style.font(FontRole::Emphasis));
  d.painter.setPen(d.style.text);
  const QRectF first = rowOf(line.rect, 0);
  const QString title = devices ? Text::tr("Devices") : Text::tr("Host threads");
  drawElided(d.painter, cell(c.rowTitle, first), title);
  // Bars of rows are longer than bars of factors.
  const QRectF rest =
      cell(c.rowTitle, first).adjusted(metricsOf(d.painter.font()).horizontalAdvance(title) + 10, 0, 0, 0);
  const QString scale = Text::tr("bars: %1").arg(formatDuration(d.data.range.length(), 4));
  if (metricsOf(d.style.font(FontRole::Small)).horizontalAdvance(scale) <= rest.width())
    heading(d, rest, scale, Qt::AlignLeft);
  heading(d, cell(c.rowValue, first), Text::tr("useful"), Qt::AlignRight);
  paintLegend(d, line);
}

/// True if the current factor refers to this row.
bool isConcerned(const Drawn& d, int row) {
  if (!d.current) return false;
  const auto& line = d.layout.lines[*d.current];
  if (line.kind != Line::Kind::Factor) return false;
  const auto& factor = d.data.factors[static_cast<std::size_t>(line.index)];
  return factor.row == row || factor.other == row;
}

void paintRow(const Drawn& d, const Line& line) {
  const auto& row = d.data.rows[static_cast<std::size_t>(line.index)];
  const auto& c = d.layout.columns;
  const double elapsed = std::max<double>(static_cast<double>(d.data.range.length().count), 1);
  if (isConcerned(d, line.index))
    d.painter.fillRect(QRectF(c.title.first - 6, line.rect.top() + 3, 2, line.rect.height() - 6),
                       d.style.accent);
  d.painter.setFont(d.style.font());
  d.painter.setPen(d.style.text);
  drawName(d.painter, cell(c.rowTitle, line.rect), row.name);
  drawElided(d.painter, cell(c.rowValue, line.rect), percentOf(row.parts[0] / elapsed),
             Qt::AlignRight | Qt::AlignVCenter);
  const QRectF bar = cell(c.rowBar, line.rect).adjusted(0, 4, 0, -4);
  const QColor colours[] = {d.palette.useful, d.palette.communication, d.palette.offload, d.palette.idle};
  double from = 0;
  for (std::size_t p = 0; p < row.parts.size(); ++p) {
    const double to = from + row.parts[p] / elapsed;
    if (to > from) fillShare(d, bar, from, std::min(to, 1.0), colours[p]);
    from = std::min(to, 1.0);
  }
}

/// "62 % ▭▭▭ 98 %" at the right end of a rectangle, or at its left end.
void paintScale(const Drawn& d, const QRectF& rect, bool right) {
  d.painter.setFont(d.style.font(FontRole::Small));
  const auto ends = timeScaleOf(d.data);
  const double none = metricsOf(d.painter.font()).horizontalAdvance(scaleEnd(ends.first));
  const double whole = scaleWidth(d.data, d.style);
  const double left = right ? rect.right() - whole : rect.left();
  const double wide = rect.width() < whole ? 1 : 2; // of a step
  const QRectF scale(left + none + 6, rect.center().y() - 4, wide * kScaleSteps, 8);
  for (int step = 0; step < kScaleSteps; ++step)
    d.painter.fillRect(QRectF(scale.left() + wide * step, scale.top(), wide, scale.height()),
                       sequentialColour((step + 0.5) / kScaleSteps, d.style.theme));
  d.painter.setPen(d.style.mutedText);
  drawElided(d.painter, {scale.right() + 6, rect.top(), rect.right() + 1 - scale.right() - 6, rect.height()},
             scaleEnd(ends.second));
  drawElided(d.painter, {left, rect.top(), none + 1, rect.height()}, scaleEnd(ends.first));
}

void paintTimeHeadings(const Drawn& d, const Line& line) {
  const auto& c = d.layout.columns;
  drawHairline(d.painter, {c.title.first, line.rect.top()},
               {line.rect.right() - c.title.first, line.rect.top()}, d.style.border);
  d.painter.setFont(d.style.font(FontRole::Emphasis));
  d.painter.setPen(d.style.text);
  drawElided(d.painter, cell(c.rowTitle, rowOf(line.rect, 0)), Text::tr("Over time"));
  const TimeHeading of = timeHeadingOf(d.data, c, d.style);
  for (int row = 0; row < of.texts.size(); ++row)
    heading(d, cell(c.time, rowOf(line.rect, row)), of.texts[row], Qt::AlignLeft);
  paintScale(d, cell(c.time, rowOf(line.rect, of.scaleRow)), of.scaleRow < of.texts.size());
}

/// A factor over time in one row of pixels. Every pixel mixes the colours of the parts that it covers, so
/// that equal durations are equally wide for any number of parts; transparent where the factor is not
/// determined.
QImage timeRow(const Drawn& d, std::size_t factor, double width) {
  const auto& parts = d.data.parts;
  const auto* device = d.painter.device();
  const double ratio = device ? std::max(device->devicePixelRatioF(), 1.0) : 1.0;
  const auto ends = timeScaleOf(d.data);
  QImage row(std::max(1, static_cast<int>(std::lround(width * ratio))), 1, QImage::Format_ARGB32);
  const auto begin = parts.front().range.begin;
  const double length =
      std::max(static_cast<double>((parts.back().range.end - begin).count), 1.0) / row.width();
  std::size_t first = 0;
  for (int x = 0; x < row.width(); ++x) {
    const double from = x * length, to = from + length;
    const auto at = [&](Nanoseconds time) { return static_cast<double>((time - begin).count); };
    while (first + 1 < parts.size() && at(parts[first].range.end) <= from) ++first;
    double red = 0, green = 0, blue = 0, determined = 0, covered = 0;
    for (auto part = first; part < parts.size() && at(parts[part].range.begin) < to; ++part) {
      const auto& of = parts[part];
      const double weight = std::min(at(of.range.end), to) - std::max(at(of.range.begin), from);
      if (weight <= 0) continue;
      covered += weight;
      if (factor >= of.values.size() || std::isnan(of.values[factor])) continue;
      const QColor colour = sequentialColour(
          std::clamp((of.values[factor] - ends.first) / (ends.second - ends.first), 0.0, 1.0), d.style.theme);
      red += weight * colour.red();
      green += weight * colour.green();
      blue += weight * colour.blue();
      determined += weight;
    }
    const auto mean = [&](double sum) { return static_cast<int>(std::lround(sum / determined)); };
    row.setPixelColor(x, 0,
                      determined > 0 ? QColor(mean(red), mean(green), mean(blue),
                                              static_cast<int>(std::lround(255 * determined / covered)))
                                     : QColor(Qt::transparent));
  }
  return row;
}

void paintTime(const Drawn& d, const Line& line) {
  const auto& c = d.layout.columns;
  const auto f = static_cast<std::size_t>(line.index);
  const int depth = depthOf(d.data, f);
  d.painter.setFont(d.style.font(FontRole::Small));
  d.painter.setPen(depth == 0 ? d.style.text : d.style.mutedText);
  drawElided(d.painter, cell(c.rowTitle, line.rect).adjusted(12 * depth, 0, 0, 0), d.data.factors[f].title);
  const QRectF band = cell(c.time, line.rect).adjusted(0, 1, 0, -1);
  d.painter.fillRect(band, d.palette.track);
  for (const auto& range : undeterminedOf(d.data, f)) {
    const auto [from, to] = placeOf(d.data, c, range);
    hatch(d, {from, band.top(), to - from, band.height()});
  }
  d.painter.drawImage(band, timeRow(d, f, band.width()));
  const auto [left, right] = placeOf(d.data, c, d.data.range);
  if (right - left >= band.width() - 0.5 || right - left < 0.5) return;
  for (const double x : {left, right}) // limits of the range to which the numbers above refer
    d.painter.fillRect(QRectF(x - 0.75, line.rect.top(), 1.5, line.rect.height()), d.style.accent);
}

void paintTimeAxis(const Drawn& d, const Line& line) {
  const QRectF axis = cell(d.layout.columns.time, line.rect);
  const Interval range{d.data.parts.front().range.begin, d.data.parts.back().range.end};
  d.painter.setFont(d.style.font(FontRole::Small));
  const auto metrics = metricsOf(d.painter.font());
  for (const auto& tick : timeTicks(range, std::max(2, static_cast<int>(axis.width() / 70)))) {
    const double x = std::floor(axis.left() + tick.position * axis.width());
    drawHairline(d.painter, {x, axis.top()}, {x, axis.top() + 4}, d.style.mutedText);
    const double wide = metrics.horizontalAdvance(tick.label) + 2;
    d.painter.setPen(d.style.mutedText);
    d.painter.drawText(
        QRectF(std::clamp(x - wide / 2, axis.left(), std::max(axis.left(), axis.right() - wide)),
               axis.top() + 4, wide, axis.height() - 4),
        Qt::AlignCenter, tick.label);
  }
}

void paintNote(const Drawn& d, const Line& line) {
  d.painter.setFont(d.style.font(FontRole::Small));
  d.painter.setPen(d.style.mutedText);
  const auto& c = d.layout.columns;
  d.painter.drawText(line.rect.adjusted(c.title.first, 0, -c.title.first, 0), Qt::TextWordWrap,
                     d.data.notes[line.index]);
}

void paintLine(const Drawn& d, std::size_t number) {
  const Line& line = d.layout.lines[number];
  if (d.current == number) d.painter.fillRect(line.rect, mix(d.style.focus, d.style.background, 0.86));
  switch (line.kind) {
  case Line::Kind::Headings:
    return paintHeadings(d, line.rect);
  case Line::Kind::Factor:
    return paintFactor(d, line);
  case Line::Kind::TimeHeadings:
    return paintTimeHeadings(d, line);
  case Line::Kind::Time:
    return paintTime(d, line);
  case Line::Kind::TimeAxis:
    return paintTimeAxis(d, line);
  case Line::Kind::Row:
    return paintRow(d, line);
  case Line::Kind::Note:
    return paintNote(d, line);
  default:
    return paintRowHeadings(d, line);
  }
}

} // namespace

void paint(QPainter& painter, const QRectF& rect, const EfficiencyData& data, const ViewStyle& style,
           std::optional<std::size_t> current, std::optional<QRectF> clip) {
  painter.fillRect(rect, style.background);
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.translate(rect.topLeft());
  const Layout layout = layoutOf(data, rect.width(), style);
  const Drawn drawn{painter, data, style, layout, Palette(style), current};
  for (std::size_t l = 0; l < layout.lines.size(); ++l)
    if (!clip || layout.lines[l].rect.intersects(clip->translated(-rect.topLeft()))) paintLine(drawn, l);
  painter.restore();
}

void paintPicture(QPainter& painter, const QRectF& rect, const EfficiencyData& data, const ViewStyle& style) {
  const double title = pictureTitleHeight(style);
  painter.fillRect(rect, style.background);
  painter.setFont(style.font());
  painter.setPen(style.text);
  drawElided(painter, QRectF(rect.left() + 10, rect.top() + 2, rect.width() - 20, title - 2),
             pictureTitleOf(data));
  paint(painter, rect.adjusted(0, title, 0, 0), data, style);
}

double pictureHeight(const EfficiencyData& data, double width, const ViewStyle& style) {
  return pictureTitleHeight(style) + layoutOf(data, width, style).height;
}

} // namespace jitterscope::views::efficiency
