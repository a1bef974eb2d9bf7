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

Columns columnsOf(const EfficiencyData& data, double width, const ViewStyle& style) {
  const auto metrics = metricsOf(style.font());
  const auto bold = metricsOf(style.font(FontRole::Emphasis)); // for factors that are not part of another
  double title = 0;
  for (std::size_t f = 0; f < data.factors.size(); ++f) {
    const auto depth = depthOf(data, f);
    const auto& font = depth == 0 ? bold : metrics;
    title =
        std::max(title, font.horizontalAdvance(data.factors[f].title) + (depth == 0 ? 0 : 16.0 * depth + 14));
  }
  for (const auto& row : data.rows) title = std::max(title, metrics.horizontalAdvance(row.name));
  const QString whole = QStringLiteral("100.0 %");
  const double value = std::max(metrics.horizontalAdvance(whole), bold.horizontalAdvance(whole)) + 2;
  double cost = metrics.horizontalAdvance(QStringLiteral("−999.9 ms"));
  constexpr double kMinBarWidth = 40;
  title = std::min(title + 4, std::max(110.0, 0.42 * width));
  const double others = 2 * kMargin + value + 4 * kGap;
  // In narrow views, names are more useful than costs, which the cards state.
  if (width - others - cost < title + kMinBarWidth) cost = 0;
  const double room = width - others - cost; // for title, bar and `where`
  title = std::max(std::min(title, room - kMinBarWidth), 0.0);
  const double rest = std::max(room - title, kMinBarWidth);
  constexpr double kMinPlaceWidth = 130;
  const double bar = rest * 0.4 > 220 ? 220 : rest - kMinPlaceWidth < 70 ? rest : std::max(70.0, rest * 0.4);
  Columns c;
  double x = kMargin;
  const auto next = [&](double wide) {
    const Columns::Span span{x, x + wide};
    x += wide + kGap;
    return span;
  };
  c.title = next(title), c.value = next(value), c.bar = next(bar), c.cost = next(cost);
  c.where = rest - bar < 70 ? Columns::Span{x, x} : Columns::Span{x, width - kMargin};
  c.time = {c.value.first, std::max(width - kMargin, c.value.first + kMinBarWidth)};
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
  const auto [beside, fits] = place(columns.bar.first, width - kMargin, 0);
  if (fits && beside.back().row == 0) return beside;
  return place(columns.title.first, width - kMargin, 1).first;
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
  const Nanoseconds step{std::max<std::int64_t>(data.range.length().count / 1000, 1)};
  return QStringLiteral("%1: %2 – %3 (%4)")
      .arg(data.rangeText, formatTime(data.range.begin, step), formatTime(data.range.end, step),
           formatDuration(data.range.length(), 4));
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
  const Nanoseconds step{std::max<std::int64_t>(whole.length().count / 1000, 1)};
  const QString
      range = Text::tr("%1 – %2").arg(formatTime(whole.begin, step), formatTime(whole.end, step)),
      parts = Text::tr("in %1 parts of %2").arg(data.parts.size()).arg(formatDuration(first.length(), 3)),
      both = range + QLatin1Char(' ') + parts;
  const double room = columns.time.second - columns.time.first, scale = scaleWidth(data, style) + kGap;
  const auto fits = [&](const QString& text, double within) {
    return metrics.horizontalAdvance(text) <= within;
  };
  if (fits(both, room - scale)) return {{both}, 0};
  if (fits(both, room)) return {{both}, 1};
  return {{range, parts}, fits(parts, room - scale) ? 1 : 2};
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
  const Nanoseconds step{std::max<std::int64_t>(of.range.length().count / 10, 1)};
  const auto f = static_cast<std::size_t>(factor);
  return data.factors[f].title + QStringLiteral("\t") + percentOf(f < of.values.size() ? of.values[f] : NAN) +
         Text::tr("\nrange\t%1 – %2").arg(formatTime(of.range.begin, step), formatTime(of.range.end, step)) +
         Text::tr("\nClick to select this time.");
}

Layout layoutOf(const EfficiencyData& data, double width, const ViewStyle& style) {
  Layout layout;
  layout.columns = columnsOf(data, width, style);
  double y = 4;
  const auto add = [&](Line::Kind kind, int index, double height) {
    layout.lines.push_back({kind, index, QRectF(0, y, width, height)});
    y += height;
  };
  if (!data.factors.empty()) add(Line::Kind::Headings, -1, kLine);
  for (std::size_t f = 0; f < data.factors.size(); ++f) {
    if (f > 0 && data.factors[f].parent < 0) y += kBlockGap;
    add(Line::Kind::Factor, static_cast<int>(f), kLine);
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
