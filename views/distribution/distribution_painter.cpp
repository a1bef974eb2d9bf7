#include "views/distribution/distribution_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::distribution {

namespace {

constexpr double kLegendHeight = 44, kFactsWidth = 132, kFactHeight = 16;
constexpr double kGroupsTop = 42, kGroupHeight = 18;
constexpr double kNarrow = 420; ///< width below which the list of statistics is omitted

bool showsFacts(const QRectF& rect, const DistributionData& data) {
  return rect.width() > kNarrow && rect.height() > 150 && data.selectedN > 0;
}

QColor groupColour(std::size_t group, const DistributionData& data, const ViewStyle& style) {
  QColor colour = data.groups[group].rest ? style.mutedText
                                          : categoryColour(static_cast<std::uint32_t>(group), style.theme);
  if (data.groups[group].dimmed) colour.setAlpha(80);
  return colour;
}

/// Name of a line or of a fact in the language of the window.
QString shownName(const QString& name) {
  return Text::tr(name.toUtf8().constData());
}

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
               const QColor& colour, bool ofAll) {
  for (std::size_t i = 0; i < counts.size() && i + 1 < model.data.edges.size(); ++i) {
    if (counts[i] == 0) continue;
    const double left = model.xAt(model.data.edges[i]);
    const double right = model.xAt(model.data.edges[i + 1]);
    const auto amount = static_cast<double>(counts[i]);
    const double drawn = ofAll ? model.drawnHeightOfAll(amount) : model.drawnHeight(amount);
    const double top =
        std::min(model.plot.bottom() - std::min(drawn / model.drawnTop(), 1.0) * model.plot.height(),
                 model.plot.bottom() - 1);
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

namespace {

struct LegendEntry {
  QString text;
  const DistributionLine* line = nullptr; ///< null: the entry is a box
  bool selected = false;                  ///< for boxes: box of the selected rows, else of all rows
  QPointF place;                          ///< left end, middle of its row, from the view's upper left corner
};

struct Legend {
  std::vector<DistributionLine> lines;
  std::vector<LegendEntry> entries;
  double end = 0; ///< x where the last row ends
  int rows = 1;
};

constexpr double kLegendRow = 18;

void arrange(Legend& legend, double width, const QFontMetricsF& metrics) {
  double x = 10;
  legend.rows = 1;
  for (LegendEntry& entry : legend.entries) {
    const double preferred = metrics.horizontalAdvance(entry.text) + 26;
    if (x > 10 && x + preferred > width - 6) x = 10, ++legend.rows;
    entry.place = {x, 33 + kLegendRow * (legend.rows - 1)};
    x += preferred + 12;
  }
  legend.end = x;
}

// Entry for each line, with its value if the legend then takes at most two rows, else only its name, in as
// many rows as needed.
Legend legendOf(double width, const DistributionModel& model, const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  const QString maximum = model.data.time ? formatDuration(static_cast<double>(model.greatest()), 3)
                                          : formatCount(model.greatest());
  Legend legend;
  legend.lines = model.lines();
  for (const bool brief : {false, true}) {
    legend.entries.clear();
    for (const DistributionLine& line : legend.lines)
      legend.entries.push_back(
          {brief ? shownName(line.name)
                 : shownName(line.name) + QLatin1Char(' ') + formatValue(line.value, model.data.unit),
           &line,
           false,
           {}});
    if (!model.data.selected.empty()) {
      legend.entries.push_back({Text::tr("selected"), nullptr, true, {}});
      legend.entries.push_back(
          {model.twoScales() ? Text::tr("all, own scale (to %1)").arg(maximum) : Text::tr("all"),
           nullptr,
           false,
           {}});
    }
    arrange(legend, width, metrics);
    if (legend.rows <= 2) break;
  }
  return legend;
}

// Height of the legend's rows after the first one.
double moreRows(const QRectF& rect, const DistributionModel& model, const ViewStyle& style) {
  return kLegendRow * (legendOf(rect.width(), model, style).rows - 1);
}

QString groupTitle(const DistributionModel& model) {
  return Text::tr("by %1:").arg(model.data.groupedBy);
}

QString groupText(const DistributionGroup& group, const DistributionModel& model) {
  const QString n = formatCount(group.n);
  return group.mean ? Text::tr("%1 (n %2, mean %3)")
                          .arg(group.label, n, formatValue(*group.mean, model.data.unit, 3))
                    : Text::tr("%1 (n %2)").arg(group.label, n);
}

void paintGroupLegend(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                      const ViewStyle& style) {
  const auto entries = groupEntries(rect, model, style);
  if (entries.empty()) return;
  painter.setPen(style.mutedText);
  painter.drawText(QRectF(rect.left() + 10, rect.top() + kGroupsTop + moreRows(rect, model, style),
                          rect.width(), kGroupHeight),
                   Qt::AlignLeft | Qt::AlignVCenter, groupTitle(model));
  QStringList labels; // keeps the part by which configurations of one kernel differ
  for (const auto& group : model.data.groups) labels << group.label;
  labels = distinctNames(labels, painter.font(), entries.front().width() - 24);
  for (std::size_t g = 0; g < entries.size(); ++g) {
    const QRectF& at = entries[g];
    painter.setPen(QPen(groupColour(g, model.data, style), 2));
    painter.drawLine(QPointF(at.left(), at.center().y()), QPointF(at.left() + 14, at.center().y()));
    const bool chosen = std::any_of(model.data.groups.begin(), model.data.groups.end(),
                                    [](const auto& each) { return each.dimmed; }) &&
                        !model.data.groups[g].dimmed;
    painter.setPen(chosen ? style.text : style.mutedText);
    const QString whole = groupText(model.data.groups[g], model); // if too narrow, only the name
    const bool fits = metricsOf(painter.font()).horizontalAdvance(whole) <= 1.5 * (at.width() - 24);
    drawElided(painter, at.adjusted(18, 0, -6, 0), fits ? whole : labels[static_cast<int>(g)],
               Qt::AlignLeft | Qt::AlignVCenter, Qt::ElideMiddle);
  }
}

} // namespace

// One row if the names fit, else three per row next to the title, else below it with as many per row as
// are readable.
std::vector<QRectF> groupEntries(const QRectF& rect, const DistributionModel& model, const ViewStyle& style) {
  constexpr double kMin = 96; // minimum width of an entry, which holds half of a name
  std::vector<QRectF> entries;
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  const double from = rect.left() + 10 + metrics.horizontalAdvance(groupTitle(model)) + 8;
  const bool below = rect.right() - 10 - from < 3 * kMin;
  const double left = below ? rect.left() + 10 : from;
  const double room = std::max(rect.right() - 10 - left, 3.0);
  const std::size_t perRow = below ? static_cast<std::size_t>(std::clamp(room / kMin, 1.0, 3.0)) : 3;
  const double top = rect.top() + kGroupsTop + moreRows(rect, model, style) + (below ? kGroupHeight : 0);
  std::vector<double> widths;
  double preferred = 0;
  for (const auto& group : model.data.groups) {
    widths.push_back(metrics.horizontalAdvance(groupText(group, model)) + 30);
    preferred += widths.back();
  }
  double x = left;
  for (std::size_t g = 0; g < widths.size(); ++g) {
    if (preferred <= room) {
      entries.emplace_back(x, top, widths[g], kGroupHeight);
      x += widths[g];
    } else {
      const double width = room / static_cast<double>(perRow);
      const auto row = g / perRow;
      entries.emplace_back(left + width * static_cast<double>(g % perRow),
                           top + kGroupHeight * static_cast<double>(row), width, kGroupHeight);
    }
  }
  return entries;
}

QRectF plotRect(const QRectF& rect, const DistributionData& data, const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  DistributionModel model{data, rect};
  double widest = metrics.horizontalAdvance(QStringLiteral("000"));
  if (!data.empty()) {
    for (const Tick& tick : model.yTicks()) widest = std::max(widest, metrics.horizontalAdvance(tick.label));
  }
  const auto groups = groupEntries(rect, model, style);
  const double more = data.empty() ? 0 : moreRows(rect, model, style),
               legend = kLegendHeight + more +
                        (groups.empty() ? 0 : groups.back().bottom() - rect.top() - kGroupsTop - more),
               right = showsFacts(rect, data) ? kFactsWidth : 0;
  return rect.adjusted(std::ceil(widest) + 16, legend + 6, -34 - right, -(std::ceil(metrics.height()) + 12));
}

// Largest modes first; neighbouring labels move down or up, and those without a place are listed only in
// the legend.
std::vector<std::pair<QRectF, QString>> modeLabels(const DistributionModel& model) {
  std::vector<std::pair<QRectF, QString>> labels;
  if (model.data.modes.size() < 2 || model.data.selectedN == 0) return labels;
  const auto& shown = model.selectedHeights().empty() ? model.heights() : model.selectedHeights();
  auto modes = model.data.modes;
  std::stable_sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.n > b.n; });
  for (const auto& mode : modes) {
    const auto bin = static_cast<std::size_t>(mode.bin);
    if (bin >= shown.size()) continue;
    const double x = (model.xAt(model.data.edges[bin]) + model.xAt(model.data.edges[bin + 1])) / 2;
    const double y = std::max(model.yAt(static_cast<double>(shown[bin])) - 4, model.plot.top() + 12);
    for (const double lower : {0.0, 15.0, -15.0, 30.0}) {
      const QRectF box(x - 16, y - 13 + lower, 32, 14);
      if (box.top() < model.plot.top() - 2 || box.bottom() > model.plot.bottom()) continue;
      if (std::any_of(labels.begin(), labels.end(),
                      [&](const auto& other) { return other.first.intersects(box); }))
        continue;
      labels.emplace_back(
          box, formatPercent(static_cast<double>(mode.n) / static_cast<double>(model.data.selectedN), 0));
      break;
    }
  }
  return labels;
}

void paintGroups(QPainter& painter, const DistributionModel& model, const ViewStyle& style) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (std::size_t g = model.data.time ? model.data.groups.size() : 0; g < model.data.groups.size(); ++g) {
    QPolygonF outline;
    const auto& counts = model.data.groups[g].counts;
    for (std::size_t i = 0; i < counts.size() && i + 1 < model.data.edges.size(); ++i) {
      const double y = model.yAt(static_cast<double>(counts[i]));
      outline << QPointF(model.xAt(model.data.edges[i]), y) << QPointF(model.xAt(model.data.edges[i + 1]), y);
    }
    painter.setPen(QPen(groupColour(g, model.data, style), 1.6));
    painter.drawPolyline(outline);
  }
  painter.restore();
}

// Painted over the lines of the statistics, which would cross the text.
void paintModeShares(QPainter& painter, const DistributionModel& model, const ViewStyle& style) {
  painter.save();
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  for (const auto& [box, share] : modeLabels(model)) {
    QRectF ground(0, 0, metrics.horizontalAdvance(share) + 4, box.height());
    ground.moveCenter(box.center());
    painter.fillRect(ground, style.background);
    painter.setPen(style.text);
    painter.drawText(box.adjusted(-8, 0, 8, 0), Qt::AlignCenter, share);
  }
  painter.restore();
}

void paintFacts(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                const ViewStyle& style) {
  if (!showsFacts(rect, model.data)) return;
  auto facts = model.facts();
  const double top = model.plot.top() - 4, room = rect.bottom() - 6 - top;
  // If not all facts fit, these are omitted, in this order.
  for (const char* name : {"P5", "P25", "P75", "min", "P95", "mode", "P90"})
    if (static_cast<double>(facts.size()) * kFactHeight > room)
      std::erase_if(facts, [&](const auto& fact) { return fact.name == QLatin1String(name); });
  painter.setFont(style.font(FontRole::Small));
  double y = top;
  for (const auto& fact : facts) {
    if (y + kFactHeight > rect.bottom()) break;
    const QRectF line(rect.right() - kFactsWidth - 6, y, kFactsWidth - 4, kFactHeight);
    painter.setPen(style.mutedText);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, shownName(fact.name));
    painter.setPen(style.text);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, fact.value);
    y += kFactHeight;
  }
}

std::vector<std::pair<QString, QRectF>> legendPlaces(double width, const DistributionModel& model,
                                                     const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(style.font(FontRole::Small));
  std::vector<std::pair<QString, QRectF>> places;
  const Legend legend = legendOf(width, model, style);
  for (const LegendEntry& entry : legend.entries)
    places.emplace_back(entry.text, QRectF(entry.place.x(), entry.place.y() - 9,
                                           23 + metrics.horizontalAdvance(entry.text), 18));
  return places;
}

void paintLegend(QPainter& painter, const QRectF& rect, const DistributionModel& model,
                 const ViewStyle& style) {
  const double left = rect.left() + 10;
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  drawElided(painter, QRectF(left, rect.top() + 2, rect.width() - 20, 20), model.headline());
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  const Legend legend = legendOf(rect.width(), model, style);
  for (const LegendEntry& entry : legend.entries) {
    const QPointF at = rect.topLeft() + entry.place;
    if (entry.line) {
      painter.setPen(linePen(*entry.line, style));
      painter.drawLine(at, at + QPointF(17, 0));
    } else {
      painter.fillRect(QRectF(at.x(), at.y() - 5, 12, 10), entry.selected ? style.accent : style.quiet);
    }
    painter.setPen(style.mutedText);
    drawElided(painter,
               QRectF(at.x() + 23, at.y() - 9,
                      std::min(metrics.horizontalAdvance(entry.text) + 6, rect.right() - at.x() - 23), 18),
               entry.text);
  }
  const double x = rect.left() + legend.end, y = rect.top() + 24 + kLegendRow * (legend.rows - 1);
  // Full text, or only the number of modes: their shares are shown above them.
  if (QString modes = model.modesText(); !modes.isEmpty()) {
    const double room = rect.right() - 6 - x;
    if (metrics.horizontalAdvance(modes) > room) modes = modes.section(QLatin1Char(':'), 0, 0);
    painter.setPen(style.text);
    if (metrics.horizontalAdvance(modes) <= room)
      painter.drawText(QRectF(x, y, room, 18), Qt::AlignLeft | Qt::AlignVCenter, modes);
  }
  if (!model.data.groups.empty()) paintGroupLegend(painter, rect, model, style);
}

void paint(QPainter& painter, const QRectF& rect, const DistributionData& data, const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (data.empty()) {
    drawMessage(
        painter, rect,
        Text::tr(
            "No selected launch has a value of this column. Change the range, the filter or the column."),
        style);
    painter.restore();
    return;
  }
  painter.translate(rect.topLeft());
  const QRectF area(QPointF(0, 0), rect.size());
  const DistributionModel model{data, plotRect(area, data, style)};
  paintLegend(painter, area, model, style);
  paintAxes(painter, model, style);
  paintBars(painter, model, model.heights(), data.selected.empty() ? style.focus : style.quiet, true);
  paintBars(painter, model, model.selectedHeights(), style.accent, false);
  paintGroups(painter, model, style);
  paintFacts(painter, area, model, style);
  drawHairline(painter, model.plot.bottomLeft(), model.plot.bottomRight(), style.mutedText);
  for (const DistributionLine& line : model.lines()) {
    if (line.value < data.edges.front() || line.value > data.edges.back()) continue;
    painter.setPen(linePen(line, style));
    const double x = std::round(model.xAt(line.value)) + 0.5;
    painter.drawLine(QPointF(x, model.plot.top()), QPointF(x, model.plot.bottom()));
  }
  paintModeShares(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::distribution
