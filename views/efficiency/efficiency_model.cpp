#include "views/efficiency/efficiency_model.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views::efficiency {
namespace {

constexpr double kMargin = 10, kGap = 12, kLine = kHeadingLine, kRowLine = 20, kTimeLine = 16, kBlockGap = 8;

/// Widths of the texts in the columns.
struct TextWidths {
  double factor = 0, row = 0, value = 0, cost = 0, place = 0, heading = 0;
};

TextWidths widthsOf(const EfficiencyData& data, const ViewStyle& style) {
  const auto normal = metricsOf(style.font()), small = metricsOf(style.font(FontRole::Small));
  const auto bold = metricsOf(style.font(FontRole::Emphasis)); // for factors that are not part of another
  TextWidths widths;
  for (std::size_t f = 0; f < data.factors.size(); ++f) {
    const auto depth = depthOf(data, f);
    const auto& font = depth == 0 ? bold : normal;
    widths.factor = std::max(widths.factor, font.horizontalAdvance(data.factors[f].title) + 16.0 * depth + 4);
    widths.place = std::max(widths.place, normal.horizontalAdvance(data.factors[f].place) + 4);
  }
  for (const auto& row : data.rows) widths.row = std::max(widths.row, normal.horizontalAdvance(row.name) + 4);
  const QString whole = QStringLiteral("100.0 %");
  widths.value = std::max(normal.horizontalAdvance(whole), bold.horizontalAdvance(whole)) + 2;
  widths.cost = normal.horizontalAdvance(QStringLiteral("−999.9 ms"));
  widths.heading = small.horizontalAdvance(barHeadingOf(data)) + 2;
  return widths;
}

/// Places spans from left to right.
class Spans {
public:
  Columns::Span next(double wide) {
    const Columns::Span span{x_, x_ + wide};
    x_ += wide + kGap;
    return span;
  }
  Columns::Span none() const { return {x_, x_}; }

private:
  double x_ = kMargin;
};

constexpr double kMinBar = 40;

/// All in one row. The bar is at least as wide as its heading; the place has the rest, as far as it needs it.
void placeInOneRow(Columns& c, const TextWidths& texts, double title, double width) {
  constexpr double kMinPlace = 130, kMinBarWithPlace = 70;
  const double bar = width - 2 * kMargin - title - texts.value - texts.cost - 3 * kGap;
  const double rest = bar - kGap - kMinBarWithPlace;
  const bool place = texts.place > 0 && rest >= std::min(kMinPlace, texts.place);
  const double where = place ? std::min(texts.place, std::max(kMinPlace, 0.55 * (bar - kGap))) : 0;
  Spans spans;
  c.title = spans.next(title), c.value = spans.next(texts.value);
  c.bar = spans.next(place ? std::max(kMinBarWithPlace, bar - kGap - where) : bar);
  c.cost = spans.next(texts.cost);
  c.where = place ? Columns::Span{c.cost.second + kGap, width - kMargin} : spans.none();
}

/// Title and value above bar and cost: all of them fit into narrow views.
void placeInTwoRows(Columns& c, const TextWidths& texts, double width) {
  const double right = width - kMargin;
  c.stacked = true;
  c.value = {right - std::max(texts.value, texts.cost), right};
  c.title = {kMargin, c.value.first - kGap / 2};
  c.cost = c.value;
  c.bar = {kMargin, c.value.first - kGap};
  c.where = {right, right};
}

Columns columnsOf(const EfficiencyData& data, double width, const ViewStyle& style) {
  const auto texts = widthsOf(data, style);
  const double room = width - 2 * kMargin - texts.value - 2 * kGap; // for a title and a bar
  const double wished = std::max(texts.factor, std::min(texts.row, std::max(110.0, 0.42 * width)));
  Columns c;
  const double withCost = room - texts.cost - kGap - std::max(kMinBar, texts.heading);
  if (texts.factor <= withCost)
    placeInOneRow(c, texts, std::min(wished, withCost), width);
  else
    placeInTwoRows(c, texts, width);
  Spans spans;
  // In narrow views, names of rows are elided in favour of their bars.
  const double title =
      c.stacked ? std::min(wished, std::max(110.0, 0.42 * width)) : c.title.second - c.title.first;
  c.rowTitle = spans.next(title), c.rowValue = spans.next(texts.value);
  c.rowBar = {c.rowValue.second + kGap, std::max(width - kMargin, c.rowValue.second + kGap + kMinBar)};
  c.time = {c.rowValue.first, std::max(width - kMargin, c.rowValue.first + kMinBar)};
  return c;
}

double elapsedOf(const EfficiencyData& data) {
  return std::max<double>(static_cast<double>(data.range.length().count), 1);
}

QString duration(double ns) {
  return formatDuration(ns, 4);
}

QString rowCard(const EfficiencyData& data, const EfficiencyRow& row) {
  const auto part = [&](const QString& name, double ns) {
    return QStringLiteral("\n%1\t%2 (%3)").arg(name, duration(ns), percentOf(ns / elapsedOf(data)));
  };
  QString text = row.name + Text::tr("\nwhole bar\t%1").arg(duration(elapsedOf(data))) +
                 part(Text::tr("useful"), row.parts[0]);
  if (row.device)
    return text + part(Text::tr("exposed communication"), row.parts[1]) +
           part(Text::tr("communication overlapped by kernels"), row.hidden) +
           part(Text::tr("idle"), row.parts[3]);
  return text + part(Text::tr("MPI"), row.parts[1]) + part(Text::tr("GPU runtime calls"), row.parts[2]) +
         part(Text::tr("other"), row.parts[3]);
}

/// Parts that occur in any row of a kind: only these have a legend entry.
std::array<bool, 4> partsOf(const EfficiencyData& data, bool devices) {
  std::array<bool, 4> parts{true, false, false, false};
  for (const auto& row : data.rows)
    for (std::size_t p = 0; p < parts.size() && row.device == devices; ++p)
      parts[p] = parts[p] || row.parts[p] > 0;
  return parts;
}

} // namespace

std::vector<LegendEntry> legendOf(const EfficiencyData& data, bool devices, const Columns& columns,
                                  double width, const ViewStyle& style) {
  const QString names[] = {devices ? Text::tr("kernels") : Text::tr("useful"),
                           devices ? Text::tr("exposed communication") : Text::tr("MPI"),
                           devices ? QString() : Text::tr("GPU runtime calls"),
                           devices ? Text::tr("idle") : Text::tr("other")};
  constexpr double kSwatch = 12;
  const auto metrics = metricsOf(style.font(FontRole::Small));
  const auto parts = partsOf(data, devices);
  const auto place = [&](double left, double right, int row) {
    std::vector<LegendEntry> entries;
    double x = left;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p]) continue;
      const double wide = kSwatch + metrics.horizontalAdvance(names[p]);
      if (x > left && x + wide > right) x = left, ++row;
      entries.push_back({p, names[p], x, row});
      x += wide + 12;
    }
    return std::pair(entries, x - 12 <= right);
  };
  const auto [beside, fits] = place(columns.rowBar.first, width - kMargin, 0);
  if (fits && beside.back().row == 0) return beside;
  return place(columns.rowTitle.first, width - kMargin, 1).first;
}

std::pair<double, double> timeScaleOf(const EfficiencyData& data) {
  double low = 1, high = 0;
  for (const auto& part : data.parts)
    for (const double value : part.values)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (low > high) return {0, 1};
  low = std::floor(low * 100 + 1e-9) / 100;
  high = std::ceil(high * 100 - 1e-9) / 100;
  if (high - low < 0.01) (high < 1 ? high : low) = high < 1 ? low + 0.01 : high - 0.01;
  return {low, high};
}

QString scaleEnd(double value) {
  return QStringLiteral("%1 %").arg(std::lround(100 * value));
}

double scaleWidth(const EfficiencyData& data, const ViewStyle& style) {
  const auto metrics = metricsOf(style.font(FontRole::Small));
  const auto [low, high] = timeScaleOf(data);
  return metrics.horizontalAdvance(scaleEnd(low)) + metrics.horizontalAdvance(scaleEnd(high)) +
         2 * kScaleSteps + 12;
}

QString rangeTextOf(const EfficiencyData& data) {
  return QStringLiteral("%1: %2 (%3)")
      .arg(data.rangeText, formatTimeRange(data.range), formatDuration(data.range.length(), 4));
}

QString barHeadingOf(const EfficiencyData& data) {
  return Text::tr("of %1").arg(formatDuration(data.range.length(), 4));
}

std::vector<Interval> undeterminedOf(const EfficiencyData& data, std::size_t factor) {
  std::vector<Interval> ranges;
  for (const auto& part : data.parts) {
    if (factor < part.values.size() && !std::isnan(part.values[factor])) continue;
    if (!ranges.empty() && ranges.back().end == part.range.begin)
      ranges.back().end = part.range.end;
    else
      ranges.push_back(part.range);
  }
  return ranges;
}

QString pictureTitleOf(const EfficiencyData& data) {
  const auto range = rangeTextOf(data);
  return data.source.isEmpty() ? range : data.source + QStringLiteral(" · ") + range;
}

double pictureTitleHeight(const ViewStyle& style) {
  return std::ceil(metricsOf(style.font()).height()) + 8;
}

TimeHeading timeHeadingOf(const EfficiencyData& data, const Columns& columns, const ViewStyle& style) {
  const auto metrics = metricsOf(style.font(FontRole::Small));
  const auto& first = data.parts.front().range;
  const Interval whole{first.begin, data.parts.back().range.end};
  const QString
      range = formatTimeRange(whole),
      parts = Text::tr("in %1 parts of %2").arg(data.parts.size()).arg(formatDuration(first.length(), 3)),
      both = range + QLatin1Char(' ') + parts;
  const double room = columns.time.second - columns.time.first, scale = scaleWidth(data, style) + kGap;
  const auto fits = [&](const QString& text, double within) {
    return metrics.horizontalAdvance(text) <= within;
  };
  QStringList texts = fits(both, room) ? QStringList{both} : QStringList{range, parts};
  bool undetermined = false;
  for (std::size_t f = 0; f < data.factors.size() && !undetermined; ++f)
    undetermined = !data.factors[f].scaling && !undeterminedOf(data, f).empty();
  if (undetermined) texts << Text::tr("hatched: not determined");
  const int last = static_cast<int>(texts.size()) - 1;
  return {texts, fits(texts[last], room - scale) ? last : last + 1};
}

int depthOf(const EfficiencyData& data, std::size_t factor) {
  int depth = 0;
  for (int parent = data.factors[factor].parent; parent >= 0;
       parent = data.factors[static_cast<std::size_t>(parent)].parent)
    ++depth;
  return depth;
}

QString percentOf(double value) {
  return std::isnan(value) ? QStringLiteral("–") : QStringLiteral("%1 %").arg(100 * value, 0, 'f', 1);
}

std::pair<double, double> barOf(const EfficiencyData& data, std::size_t factor) {
  const auto& of = data.factors[factor];
  const double elapsed = elapsedOf(data);
  if (of.parent < 0) return {0, std::clamp(1 - of.cost / elapsed, 0.0, 1.0)};
  const auto parent = static_cast<std::size_t>(of.parent);
  double begin = barOf(data, parent).first;
  if (data.factors[parent].parent < 0)
    begin = 1 - data.factors[parent].cost / elapsed; // losses start after the useful time
  for (std::size_t f = parent + 1; f < factor; ++f)
    if (data.factors[f].parent == of.parent) begin += data.factors[f].cost / elapsed;
  begin = std::clamp(begin, 0.0, 1.0);
  return {begin, std::clamp(begin + of.cost / elapsed, begin, 1.0)};
}

QString cardOf(const EfficiencyData& data, const Line& line) {
  if (line.kind == Line::Kind::Row) return rowCard(data, data.rows[static_cast<std::size_t>(line.index)]);
  const auto& factor = data.factors[static_cast<std::size_t>(line.index)];
  QString product;
  for (const auto& part : data.factors)
    if (part.parent == line.index && !std::isnan(part.value))
      product += (product.isEmpty() ? QStringLiteral(" = ") : QStringLiteral(" × ")) + percentOf(part.value);
  QString text = factor.title + QStringLiteral("\t") + percentOf(factor.value) + product;
  if (!factor.scaling)
    text += Text::tr("\ncosts\t%1 of %2 on average").arg(duration(factor.cost), duration(elapsedOf(data)));
  text += QStringLiteral("\n") + factor.meaning;
  if (!factor.where.isEmpty())
    text += QStringLiteral("\n") + Text::tr("%1. Click to go there.").arg(factor.where);
  if (std::ranges::none_of(data.rows, &EfficiencyRow::device)) return text;
  return text + (data.collectivesUseful ? Text::tr("\nCollectives count as useful.")
                                        : Text::tr("\nCollectives count as communication."));
}

std::optional<std::size_t> partAt(const EfficiencyData& data, const Columns& columns, double x) {
  if (data.parts.empty() || x < columns.time.first || x >= columns.time.second) return {};
  const auto begin = data.parts.front().range.begin.count, end = data.parts.back().range.end.count;
  const double share = (x - columns.time.first) / (columns.time.second - columns.time.first);
  const auto time = begin + static_cast<std::int64_t>(share * static_cast<double>(end - begin));
  const auto after =
      std::upper_bound(data.parts.begin(), data.parts.end(), time,
                       [](std::int64_t t, const EfficiencyPart& part) { return t < part.range.end.count; });
  return after == data.parts.end() ? data.parts.size() - 1
                                   : static_cast<std::size_t>(after - data.parts.begin());
}

Columns::Span placeOf(const EfficiencyData& data, const Columns& columns, const Interval& range) {
  const auto begin = data.parts.front().range.begin.count, end = data.parts.back().range.end.count;
  const double length = std::max<double>(static_cast<double>(end - begin), 1);
  const auto at = [&](std::int64_t time) {
    const double share = static_cast<double>(std::clamp(time, begin, end) - begin) / length;
    return columns.time.first + share * (columns.time.second - columns.time.first);
  };
  return {at(range.begin.count), at(range.end.count)};
}

QString timeCardOf(const EfficiencyData& data, int factor, std::size_t part) {
  const auto& of = data.parts[part];
  const auto f = static_cast<std::size_t>(factor);
  const double value = f < of.values.size() ? of.values[f] : NAN;
  return data.factors[f].title + QStringLiteral("\t") +
         (std::isnan(value) ? Text::tr("not determined") : percentOf(value)) +
         Text::tr("\nrange\t%1").arg(formatTimeRange(of.range)) + Text::tr("\nClick to select this time.");
}

Layout layoutOf(const EfficiencyData& data, double width, const ViewStyle& style) {
  Layout layout;
  layout.columns = columnsOf(data, width, style);
  double y = 4;
  const auto add = [&](Line::Kind kind, int index, double height) {
    layout.lines.push_back({kind, index, QRectF(0, y, width, height)});
    y += height;
  };
  const bool devices = std::ranges::any_of(data.rows, &EfficiencyRow::device);
  if (!data.factors.empty())
    add(Line::Kind::Headings, -1, layout.columns.stacked && devices ? kLine + kHeadingRow : kLine);
  for (std::size_t f = 0; f < data.factors.size(); ++f) {
    if (f > 0 && data.factors[f].parent < 0) y += kBlockGap;
    const bool stacked = layout.columns.stacked && !data.factors[f].scaling;
    add(Line::Kind::Factor, static_cast<int>(f), stacked ? kLine + kHeadingRow : kLine);
  }
  if (!data.parts.empty()) {
    y += kBlockGap;
    add(Line::Kind::TimeHeadings, -1,
        kLine + kHeadingRow * timeHeadingOf(data, layout.columns, style).scaleRow);
    for (std::size_t f = 0; f < data.factors.size(); ++f) {
      if (data.factors[f].scaling) continue;
      if (f > 0 && data.factors[f].parent < 0) y += kBlockGap / 2;
      add(Line::Kind::Time, static_cast<int>(f), kTimeLine);
    }
    add(Line::Kind::TimeAxis, -1, std::ceil(metricsOf(style.font(FontRole::Small)).height()) + 6);
  }
  for (std::size_t r = 0; r < data.rows.size(); ++r) {
    if (r == 0 || data.rows[r].device != data.rows[r - 1].device) {
      y += kBlockGap;
      const bool device = data.rows[r].device;
      const int rows = legendOf(data, device, layout.columns, width, style).back().row;
      add(device ? Line::Kind::DeviceHeadings : Line::Kind::HostHeadings, -1, kLine + kHeadingRow * rows);
    }
    add(Line::Kind::Row, static_cast<int>(r), kRowLine);
  }
  if (!data.notes.empty()) y += kBlockGap;
  const auto metrics = metricsOf(style.font(FontRole::Small));
  for (int n = 0; n < data.notes.size(); ++n) {
    const QRectF room(0, 0, std::max(width - 2 * kMargin, 40.0), 1e4);
    add(Line::Kind::Note, n, metrics.boundingRect(room, Qt::TextWordWrap, data.notes[n]).height() + 3);
  }
  layout.height = y + 8;
  return layout;
}

std::optional<std::size_t> Layout::at(QPointF point) const {
  for (std::size_t l = 0; l < lines.size(); ++l)
    if (lines[l].rect.contains(point))
      return lines[l].kind == Line::Kind::Factor || lines[l].kind == Line::Kind::Time ||
                     lines[l].kind == Line::Kind::Row
                 ? std::optional(l)
                 : std::nullopt;
  return {};
}

} // namespace jitterscope::views::efficiency
