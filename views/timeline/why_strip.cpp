#include "views/timeline/why_strip.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/base/view_style.h"
#include "views/timeline/timeline_model.h"

namespace jitterscope::views::timeline {

namespace {

using Column = std::array<float, WhyData::kKinds>;

// Paul Tol's "vibrant" scheme with further colours; the unexplained part is grey.
constexpr std::array<QRgb, WhyData::kKinds> kHues = {0xEE7733, 0x33BBEE, 0x009988, 0xEE3377, 0x0077BB,
                                                     0xDDAA33, 0xAA4499, 0x885533, 0x9A9A9A};
constexpr std::array<const char*, WhyData::kKinds> kNames = {
    QT_TRANSLATE_NOOP("Timeline", "clocks"),
    QT_TRANSLATE_NOOP("Timeline", "copies"),
    QT_TRANSLATE_NOOP("Timeline", "migrations"),
    QT_TRANSLATE_NOOP("Timeline", "other kernels"),
    QT_TRANSLATE_NOOP("Timeline", "device, rank, stream or run"),
    QT_TRANSLATE_NOOP("Timeline", "waiting"),
    QT_TRANSLATE_NOOP("Timeline", "first launches"),
    QT_TRANSLATE_NOOP("Timeline", "other causes"),
    QT_TRANSLATE_NOOP("Timeline", "unexplained")};

double sumOf(const Column& column, bool above) {
  double sum = 0;
  for (const float part : column)
    if ((part > 0) == above) sum += std::abs(static_cast<double>(part));
  return sum;
}

// Data columns that one pixel of the strip covers; empty outside the data.
std::pair<std::size_t, std::size_t> columnsAt(const TimelineModel& model, double x) {
  const WhyData& why = *model.why;
  const auto n = why.columns.size();
  const auto place = [&](double at) {
    const auto time = model.timeAtX(at) - why.window.begin;
    return static_cast<double>(time.count) / static_cast<double>(why.window.length().count) *
           static_cast<double>(n);
  };
  const double from = place(x), to = place(x + 1);
  if (to <= 0 || from >= static_cast<double>(n)) return {0, 0};
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(from + 1e-6)));
  const auto last = static_cast<std::size_t>(
      std::clamp(std::ceil(to - 1e-6), static_cast<double>(first) + 1, static_cast<double>(n)));
  return {std::min(first, n - 1), last};
}

Column meanOf(const WhyData& why, std::pair<std::size_t, std::size_t> columns) {
  Column mean{};
  for (auto i = columns.first; i < columns.second; ++i)
    for (std::size_t kind = 0; kind < mean.size(); ++kind)
      mean[kind] += why.columns[i][kind] / static_cast<float>(columns.second - columns.first);
  return mean;
}

/// Geometry inside the strip.
struct Plot {
  QRectF rect;
  double zero = 0, perUnit = 0; ///< y of zero excess, and pixels per ns/ns
};

Plot plotOf(const TimelineModel& model) {
  Plot plot{model.whyRect().adjusted(0, 3, 0, -3)};
  double above = 0, below = 0;
  const Interval window = model.viewport.window();
  const WhyData& why = *model.why;
  const auto width = static_cast<double>(why.window.length().count) /
                     static_cast<double>(std::max<std::size_t>(why.columns.size(), 1));
  for (std::size_t i = 0; i < why.columns.size(); ++i) {
    const double begin = static_cast<double>(why.window.begin.count) + width * static_cast<double>(i);
    if (begin + width <= static_cast<double>(window.begin.count) ||
        begin >= static_cast<double>(window.end.count))
      continue;
    above = std::max(above, sumOf(why.columns[i], true));
    below = std::max(below, sumOf(why.columns[i], false));
  }
  plot.perUnit = above + below > 0 ? plot.rect.height() / (above + below) : 0;
  plot.zero = plot.rect.top() + above * plot.perUnit;
  return plot;
}

// Calls use(kind, top, bottom) for the parts of a column, from the zero line outwards.
template <class Use>
void eachPart(const Plot& plot, const Column& column, Use&& use) {
  double up = plot.zero, down = plot.zero;
  for (std::size_t kind = 0; kind < column.size(); ++kind) {
    const double height = std::abs(static_cast<double>(column[kind])) * plot.perUnit;
    if (column[kind] > 0)
      use(kind, up - height, up), up -= height;
    else if (column[kind] < 0)
      use(kind, down, down + height), down += height;
  }
}

// Visible kinds, those with the largest area first: kinds whose causes only shorten launches are drawn below
// the zero line.
std::vector<std::size_t> visibleKinds(const TimelineModel& model) {
  std::array<double, WhyData::kKinds> sums{};
  const QRectF rect = model.whyRect();
  for (int column = 0; column < rect.width(); ++column) {
    const double x = rect.left() + column;
    const auto mean = meanOf(*model.why, columnsAt(model, x));
    for (std::size_t kind = 0; kind < sums.size(); ++kind)
      sums[kind] += std::abs(static_cast<double>(mean[kind]));
  }
  double all = 0;
  for (const double sum : sums) all += sum;
  constexpr double kMinShare = 0.005; // minimum share of the total area for a kind to be shown
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < sums.size(); ++kind)
    if (sums[kind] > kMinShare * all) kinds.push_back(kind);
  std::stable_sort(kinds.begin(), kinds.end(), [&](auto a, auto b) { return sums[a] > sums[b]; });
  return kinds;
}

void paintHeader(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF strip = model.whyRect(), header(0, strip.top(), model.geometry.headerWidth, strip.height());
  painter.fillRect(header, style.surface);
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  const QRectF title(10, header.top() + 2, header.width() - 16, 17);
  const QString whole = Text::tr("Why: excess time by cause");
  drawElided(painter, title, textWidth(painter.font(), whole) <= title.width() ? whole : Text::tr("Why"));
  painter.setFont(style.font(FontRole::Small));
  QRectF line(10, header.top() + 19, header.width() - 16, 16);
  double x = line.left();
  for (const auto kind : visibleKinds(model)) {
    const QString name = whyName(kind);
    const double width = 12 + textWidth(painter.font(), name);
    if (x > line.left() && x + width > line.right()) {
      x = line.left();
      line.translate(0, 16);
    }
    if (line.bottom() > header.bottom()) break;
    painter.fillRect(QRectF(x, line.center().y() - 4, 8, 8), whyColour(kind, style));
    painter.setPen(style.mutedText);
    drawElided(painter, QRectF(x + 12, line.top(), line.right() - x - 12, line.height()), name);
    x += width + 10;
  }
  drawHairline(painter, {0, header.bottom() - 1}, {header.right(), header.bottom() - 1}, style.border);
  drawHairline(painter, {header.right() - 1, header.top()}, {header.right() - 1, header.bottom()},
               style.border);
}

} // namespace

QString whyName(std::size_t kind) {
  return Text::tr(kNames.at(kind));
}

QColor whyColour(std::size_t kind, const ViewStyle& style) {
  const QColor hue(kHues.at(kind));
  if (kind + 1 == WhyData::kKinds) return style.quiet;
  return style.isDark() ? mix(hue, style.background, 0.12) : hue;
}

double whyScale(const TimelineModel& model) {
  if (!model.why || model.whyRect().isEmpty()) return 0;
  const Plot plot = plotOf(model);
  if (plot.perUnit == 0) return 0;
  return std::max(plot.zero - plot.rect.top(), plot.rect.bottom() - plot.zero) / plot.perUnit;
}

WhyHit whyAt(const TimelineModel& model, double x, double y) {
  WhyHit hit;
  if (!model.why || !model.whyRect().contains(QPointF(x, y))) return hit;
  const Plot plot = plotOf(model);
  double nearest = 8; // maximum distance of a hit in pixels, so that thin parts can be clicked
  for (const int step : {0, -1, 1, -2, 2}) {
    const auto columns = columnsAt(model, std::floor(x) + step);
    if (columns.first == columns.second) continue;
    if (step == 0) hit.column = static_cast<int>(columns.first);
    eachPart(plot, meanOf(*model.why, columns), [&](std::size_t kind, double top, double bottom) {
      const double away = std::max({top - y, y - bottom, 0.0}) + std::abs(step);
      if (away >= nearest) return;
      nearest = away;
      hit = {static_cast<int>(kind), static_cast<int>(columns.first)};
    });
  }
  return hit;
}

QString whyText(const TimelineModel& model, int column) {
  if (!model.why || column < 0 || static_cast<std::size_t>(column) >= model.why->columns.size()) return {};
  const auto& parts = model.why->columns[static_cast<std::size_t>(column)];
  const double length =
      static_cast<double>(model.why->window.length().count) / static_cast<double>(model.why->columns.size());
  std::vector<std::size_t> kinds;
  double total = 0;
  for (std::size_t kind = 0; kind < parts.size(); ++kind) {
    total += static_cast<double>(parts[kind]);
    if (parts[kind] != 0) kinds.push_back(kind);
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](auto a, auto b) { return std::abs(parts[a]) > std::abs(parts[b]); });
  const auto amount = [&](double perNs) {
    return (perNs < 0 ? QStringLiteral("−") : QStringLiteral("+")) + formatDuration(std::abs(perNs) * length);
  };
  QString text = Text::tr("Excess of the launches in %1").arg(formatDuration(length));
  text += Text::tr("\nsum\t") + amount(total);
  for (const auto kind : kinds)
    text += QStringLiteral("\n%1\t%2").arg(whyName(kind), amount(static_cast<double>(parts[kind])));
  if (kinds.empty()) return {};
  text += Text::tr("\nclick\tfilters launches with this cause");
  return text;
}

void paintWhy(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF strip = model.whyRect();
  if (!model.why || strip.isEmpty()) return;
  painter.save();
  painter.setClipRect(strip, Qt::IntersectClip);
  painter.fillRect(strip, style.background);
  const Plot plot = plotOf(model);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (int column = 0; column < strip.width(); ++column) {
    const double x = strip.left() + column;
    const auto columns = columnsAt(model, x);
    if (columns.first == columns.second) continue;
    eachPart(plot, meanOf(*model.why, columns), [&](std::size_t kind, double top, double bottom) {
      painter.fillRect(QRectF(x, top, 1, bottom - top), whyColour(kind, style));
    });
  }
  drawHairline(painter, {strip.left(), std::floor(plot.zero)}, {strip.right(), std::floor(plot.zero)},
               style.border);
  const double scale = whyScale(model);
  painter.setFont(style.font(FontRole::Small));
  // Excess per unit of time: launches of four busy streams can add up to more than the time that passes.
  const Interval shown = model.viewport.window(), known = model.why->window;
  const bool old = shown.begin < known.begin || known.end < shown.end;
  const QString label = scale > 0 ? Text::tr("%1 of the time").arg(formatPercent(scale, scale < 0.1 ? 1 : 0))
                        : old     ? Text::tr("computing …")
                                  : Text::tr("no excess, or too few launches to compare");
  const double width = textWidth(painter.font(), label) + 8;
  const QRectF tag(strip.right() - width - 14, strip.top() + 2, width, 15);
  QColor ground = style.background;
  ground.setAlpha(190);
  painter.fillRect(tag, ground);
  painter.setPen(style.mutedText);
  drawLine(painter, tag, Qt::AlignCenter, label);
  drawHairline(painter, {strip.left(), strip.bottom() - 1}, {strip.right(), strip.bottom() - 1},
               style.border);
  painter.restore();
  paintHeader(painter, model, style);
}

} // namespace jitterscope::views::timeline
