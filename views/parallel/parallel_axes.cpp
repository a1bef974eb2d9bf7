#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text_cache.h"
#include "views/parallel/parallel_painter.h"

namespace jitterscope::views::parallel {

namespace {

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

/// As many words in the first line as there is room for; the rest in the second.
std::pair<QString, QString> twoLines(const QString& title, const QFont& font, double width) {
  const QStringList words = title.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QString first = words.value(0);
  int taken = 1;
  while (taken < words.size() && textWidth(font, first + QLatin1Char(' ') + words[taken]) <= width) first += QLatin1Char(' ') + words[taken++];
  return {first, words.mid(taken).join(QLatin1Char(' '))};
}

void paintTitle(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const ParallelAxis& axis = model.axis(position);
  const QRectF rect = model.titleRect(position);
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  if (model.pinned() == axis.key) painter.fillRect(QRectF(rect.left() + 4, rect.bottom() - 2, rect.width() - 8, 2), style.focus);
  const QString title = (model.inverted(axis.key) ? QStringLiteral("▾ ") : QString()) + axis.title;
  QString second = axis.unit == QLatin1String("ns") ? QStringLiteral("time") : axis.unit;
  static const QStringList kScales = {QString(), QStringLiteral("log"), QStringLiteral("quartiles"), QStringLiteral("ranks")};
  if (const QString scale = kScales.value(static_cast<int>(axis.scale)); !scale.isEmpty())
    second += second.isEmpty() ? scale : QStringLiteral(", ") + scale;
  const bool fits = textWidth(painter.font(), title) <= rect.width();
  if (fits) {
    drawElided(painter, QRectF(rect.left(), rect.top() + 2, rect.width(), 18), title, Qt::AlignCenter);
  } else { // smaller, in two lines
    QFont small = style.font(FontRole::Small);
    small.setBold(true);
    const auto words = title.split(QLatin1Char(' '));
    const auto fitsBold = [&](const QString& word) { return textWidth(small, word) <= rect.width(); };
    if (!std::all_of(words.begin(), words.end(), fitsBold)) small.setBold(false); // a whole word says more than a bold half
    painter.setFont(small);
    const auto [first, rest] = twoLines(title, small, rect.width());
    drawElided(painter, QRectF(rect.left(), rect.top() - 1, rect.width(), 14), first, Qt::AlignCenter);
    drawElided(painter, QRectF(rect.left(), rect.top() + 11, rect.width(), 14), rest, Qt::AlignCenter);
  }
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  drawElided(painter, QRectF(rect.left(), rect.top() + (fits ? 20 : 23), rect.width(), 15), second, Qt::AlignCenter);
}

// The axis' own histogram as a slim profile at its right side.
void paintProfile(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const ParallelAxis& axis = model.axis(position);
  const auto greatest = axis.all.empty() ? 0 : *std::max_element(axis.all.begin(), axis.all.end());
  if (greatest == 0) return;
  const double x = std::floor(model.axisX(position)) + 1;
  const int bins = static_cast<int>(axis.all.size());
  const auto bar = [&](std::uint64_t count, int bin, const QColor& colour) {
    if (count == 0) return;
    const auto [a, b] = model.binSpan(position, bin);
    const double length = std::max(1.0, 12 * std::log1p(static_cast<double>(count)) /
                                            std::log1p(static_cast<double>(greatest)));
    painter.fillRect(QRectF(x, std::min(a, b), length, std::max(1.0, std::abs(b - a))), colour);
  };
  for (int bin = 0; bin < bins; ++bin) {
    const auto i = static_cast<std::size_t>(bin);
    bar(axis.all[i], bin, withAlpha(style.mutedText, 110));
    if (i < axis.selected.size() && axis.selected.size() == axis.all.size() && !model.brushes().empty()) {
      bar(axis.selected[i], bin, style.accent);
    }
  }
}

// Quartiles as a box, the median across it, whiskers from the 5th to the 95th hundredth: to within a bin.
void paintBox(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const ParallelAxis& axis = model.axis(position);
  if (!axis.categories.isEmpty()) return;
  double y[5];
  const double shares[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
  for (int i = 0; i < 5; ++i) {
    const double value = model.quantile(position, shares[i]);
    if (std::isnan(value)) return;
    y[i] = std::round(model.yAt(position, value));
  }
  const double x = std::floor(model.axisX(position));
  const QColor ink = style.text;
  painter.fillRect(QRectF(x - 1, std::min(y[0], y[4]), 3, std::max(1.0, std::abs(y[4] - y[0]))), withAlpha(ink, 70));
  const QRectF box(x - 4, std::min(y[1], y[3]), 8, std::max(2.0, std::abs(y[3] - y[1])));
  painter.fillRect(box, withAlpha(style.background, 190));
  painter.setPen(QPen(ink, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box.translated(0.5, 0.5));
  painter.fillRect(QRectF(x - 4, y[2] - 1, 10, 2.5), ink);
}

void paintMissing(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const ParallelAxis& axis = model.axis(position);
  if (!axis.hasMissing) return;
  const double x = std::floor(model.axisX(position));
  const auto [bottom, top] = model.binSpan(position, axis.bins());
  painter.fillRect(QRectF(x, top, 1, bottom - top), style.text);
  painter.fillRect(QRectF(x - 4, std::floor((top + bottom) / 2), 4, 1), style.text);
  if (model.missingBrushed(axis.key)) {
    painter.setPen(QPen(style.focus, 1));
    painter.setBrush(withAlpha(style.focus, 60));
    painter.drawRect(QRectF(x - 7.5, top + 0.5, 15, bottom - top));
  }
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  const QString share = axis.missingShare < 0.005 ? QStringLiteral("< 1 %") : formatPercent(axis.missingShare, 0);
  QString text = QStringLiteral("missing ") + share;
  const double gap = position > 0 ? x - model.axisX(position - 1) : x;
  if (metrics.horizontalAdvance(text) + 22 > gap) text = share; // axes stand close: it must not cover the next one's
  const double width = metrics.horizontalAdvance(text) + 5;
  const QRectF box(x - 6 - width, (top + bottom) / 2 - metrics.height() / 2, width, metrics.height());
  painter.fillRect(box, withAlpha(style.background, 215));
  painter.setPen(style.mutedText);
  painter.drawText(box, Qt::AlignCenter, text);
}

void paintTickLabels(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  painter.setFont(style.font(FontRole::Small));
  const QFontMetricsF metrics = metricsOf(painter.font());
  const QRectF plot = model.valueRect();
  const double x = std::floor(model.axisX(position));
  const bool first = position == 0;
  double lastY = 1e9;
  auto ticks = model.ticks(position);
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.position < b.position; });
  const double gap = model.order().size() > 1 ? model.axisX(1) - model.axisX(0) : 0;
  const double room = first ? x - 14 : std::min(std::max(90.0, 0.6 * gap), gap - 22);
  const bool dense = ticks.size() > 1 && plot.height() / static_cast<double>(ticks.size()) < 4; // a comb of ticks tells nothing
  for (const Tick& tick : ticks) {
    const double y = plot.bottom() - tick.position * plot.height();
    const bool labelled = lastY - y >= metrics.height();
    if (!labelled && dense) continue;
    drawHairline(painter, {x - 4, std::round(y)}, {x, std::round(y)}, style.text);
    if (!labelled) continue;
    lastY = y;
    // Names may be shortened, numbers never: half a number is a wrong one.
    const bool name = !model.axis(position).categories.isEmpty();
    const QString text = name ? elidedText(painter.font(), tick.label, Qt::ElideMiddle, room) : tick.label;
    const double width = textWidth(painter.font(), text) + 5;
    const double top =
        std::clamp(y - metrics.height() / 2, plot.top() - 7, plot.bottom() - metrics.height() + 7);
    const QRectF box(x - 6 - width, top, width, metrics.height());
    if (!first) painter.fillRect(box, withAlpha(style.background, 190));
    painter.setPen(style.text);
    drawLine(painter, box, Qt::AlignCenter, text);
  }
}

void paintBrushes(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const auto found = model.brushes().find(model.order()[position]);
  if (found == model.brushes().end()) return;
  const double x = model.axisX(position);
  for (const ValueRange& range : found->second) {
    if (range.isMissing()) continue;
    const double a = model.yAt(position, range.low);
    const double b = model.yAt(position, range.high);
    const QRectF box(std::floor(x) - 7.5, std::floor(std::min(a, b)) + 0.5, 15,
                     std::max(3.0, std::round(std::abs(a - b))));
    painter.setPen(QPen(style.focus, 1));
    painter.setBrush(withAlpha(style.focus, 60));
    painter.drawRect(box);
    painter.fillRect(QRectF(box.left(), box.top() - 1, box.width(), 3), style.focus);
    painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 3), style.focus);
  }
}

// "by stream: ■ 7 (1,234) ■ 13 (567)", as many as there is room for.
void paintClasses(QPainter& painter, const ParallelModel& model, const QRectF& rect, const QString& counts, const ViewStyle& style) {
  const QFontMetricsF metrics = metricsOf(painter.font());
  double x = rect.left() + metrics.horizontalAdvance(counts) + 24;
  painter.setPen(style.mutedText);
  const QString by = model.data().colouredBy;
  painter.drawText(QRectF(x, rect.top(), rect.right() - x, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, by);
  x += metrics.horizontalAdvance(by) + 12;
  // Whole names with numbers of rows while there is room for all; then shorter names; then without the numbers.
  struct Form {
    double room;
    bool counted;
  };
  constexpr Form kForms[] = {{400, true}, {130, true}, {90, false}};
  const auto textOf = [&](const ParallelClass& each, const Form& form) {
    const QString name = metrics.elidedText(each.label, Qt::ElideMiddle, form.room);
    return form.counted ? QStringLiteral("%1 (%2)").arg(name, formatCount(each.rows)) : name;
  };
  const auto fits = [&](const Form& form) {
    double wanted = x;
    for (const ParallelClass& each : model.data().classes) wanted += metrics.horizontalAdvance(textOf(each, form)) + 30;
    return wanted <= rect.right();
  };
  const Form form = fits(kForms[0]) ? kForms[0] : fits(kForms[1]) ? kForms[1] : kForms[2];
  int number = 0;
  for (const ParallelClass& each : model.data().classes) {
    const QString text = textOf(each, form);
    const double width = metrics.horizontalAdvance(text) + 30;
    if (x + width > rect.right()) break;
    painter.fillRect(QRectF(x, rect.center().y() - 4, 11, 9), classColour(number++, style));
    painter.setPen(style.text);
    painter.drawText(QRectF(x + 16, rect.top(), width, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += width;
  }
}

void paintFooter(QPainter& painter, const ParallelModel& model, const ViewStyle& style) {
  const ParallelData& data = model.data();
  painter.setFont(style.font(FontRole::Small));
  const QRectF rect(10, model.size().height() - 21, model.size().width() - 20, 18);
  const QString text = model.countText();
  painter.setPen(model.brushes().empty() ? style.mutedText : style.accent);
  drawElided(painter, rect, text);
  if (!data.classes.empty()) return paintClasses(painter, model, rect, text, style);
  // What the colours mean: pale to dense, logarithmic in rows.
  const QString few = QStringLiteral("few rows");
  const QString many = QStringLiteral("many (log)");
  const QFontMetricsF metrics = metricsOf(painter.font());
  const double bar = 70;
  const double width = metrics.horizontalAdvance(few) + metrics.horizontalAdvance(many) + bar + 16;
  if (rect.width() < width + metrics.horizontalAdvance(text) + 24) return;
  double x = rect.right() - width;
  painter.setPen(style.mutedText);
  painter.drawText(QRectF(x, rect.top(), 200, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, few);
  x += metrics.horizontalAdvance(few) + 8;
  QLinearGradient gradient(x, 0, x + bar, 0);
  for (int i = 0; i <= 4; ++i) {
    const QColor plain = sequentialColour(i / 4.0, style.theme);
    const QColor lit = mix(withAlpha(style.accent, 255), style.isDark() ? Qt::white : Qt::black, i * 0.1);
    gradient.setColorAt(i / 4.0, model.brushes().empty()
                                     ? plain
                                     : mix(mix(style.background, style.accent, 0.4), lit, i / 4.0));
  }
  painter.fillRect(QRectF(x, rect.center().y() - 4, bar, 8), gradient);
  painter.drawText(QRectF(x + bar + 8, rect.top(), 200, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   many);
}

} // namespace

void paintAxes(QPainter& painter, const ParallelModel& model, const ViewStyle& style) {
  const QRectF plot = model.valueRect();
  painter.save();
  for (int i = 0; i < model.order().size(); ++i) {
    const double x = std::floor(model.axisX(i));
    painter.fillRect(QRectF(x - 1, plot.top(), 3, plot.height()), withAlpha(style.background, 200));
    painter.fillRect(QRectF(x, plot.top(), 1, plot.height()), style.text);
    paintProfile(painter, model, i, style);
    paintBox(painter, model, i, style);
    paintMissing(painter, model, i, style);
    paintTickLabels(painter, model, i, style);
    paintTitle(painter, model, i, style);
    paintBrushes(painter, model, i, style);
    if (i + 1 < model.order().size() && model.pair(i) == nullptr) {
      painter.setFont(style.font(FontRole::Small));
      painter.setPen(style.mutedText);
      const QRectF gap(x + 8, plot.top(), model.axisX(i + 1) - x - 16, plot.height());
      painter.drawText(gap, Qt::AlignCenter | Qt::TextWordWrap, QStringLiteral("counting…"));
    }
  }
  paintFooter(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::parallel
