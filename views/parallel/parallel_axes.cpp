#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_legend.h"
#include "views/parallel/parallel_painter.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::parallel {

namespace {

QColor withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour;
}

constexpr double kSparse = 0.99; ///< share of missing values above which the title states it

/// Percentage of missing values; 0 % and 100 % are shown only if exact.
QString missingText(double share) {
  if (share < 0.005) return QStringLiteral("< 1 %");
  return share > 0.995 && share < 1 ? QStringLiteral("> 99 %") : formatPercent(share, 0);
}

/// Paints a slanted title from the upper end of the axis: its name, and below (or after) it scale and ends.
void paintTurnedTitle(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const ParallelAxis& axis = model.axis(position);
  const ParallelFrame& frame = model.frame();
  QFont font = style.font(FontRole::Small);
  font.setPixelSize(frame.titlePixels);
  QFont bold = font;
  bold.setBold(true);
  const double height = metricsOf(font).height();
  const bool sparse = axis.hasMissing && axis.missingShare > kSparse;
  const QString second = sparse ? Text::tr("%1 missing").arg(missingText(axis.missingShare))
                                : subtitleOf(model, position, style);
  const QString title = (model.inverted(axis.key) ? QStringLiteral("▾ ") : QString()) + axis.title;
  painter.save();
  painter.translate(std::floor(model.axisX(position)), frame.top - 4 - height * std::cos(frame.angle));
  painter.rotate(-frame.angle * 180 / std::numbers::pi);
  const bool alone = frame.oneLine || second.isEmpty();
  const QRectF first(0, alone ? -height / 2 : -height, frame.longest, height);
  painter.setFont(bold);
  painter.setPen(style.text);
  const double room =
      frame.oneLine && !second.isEmpty() ? frame.longest - textWidth(font, second) - 6 : frame.longest;
  const QString shown = elidedText(bold, title, Qt::ElideMiddle, std::max(room, frame.longest / 3));
  painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, shown);
  if (model.pinned() == axis.key)
    painter.fillRect(QRectF(0, first.bottom() - 1, textWidth(bold, shown), 1.5), style.focus);
  painter.setFont(font);
  painter.setPen(sparse ? style.warning : style.mutedText);
  const double behind = frame.oneLine ? textWidth(bold, shown) + 6 : 0;
  const QRectF rest(behind, frame.oneLine ? -height / 2 : 0, frame.longest - behind, height);
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                   elidedText(font, second, Qt::ElideRight, rest.width()));
  painter.restore();
}

void paintTitle(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  if (model.frame().turned) return paintTurnedTitle(painter, model, position, style);
  const ParallelAxis& axis = model.axis(position);
  constexpr double kLow = 38; // height of two lines and the scale
  QRectF rect = model.titleRect(position);
  rect.setTop(rect.bottom() - kLow);
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  if (model.pinned() == axis.key)
    painter.fillRect(QRectF(rect.left() + 4, rect.bottom() - 2, rect.width() - 8, 2), style.focus);
  const QString title = (model.inverted(axis.key) ? QStringLiteral("▾ ") : QString()) + axis.title;
  QString second = subtitleOf(model, position, style);
  const bool sparse = axis.hasMissing && axis.missingShare > kSparse; // more important than the scale
  if (sparse) second = Text::tr("%1 missing").arg(missingText(axis.missingShare));
  // All titles have the same size: the default if each fits in one line, else smaller in as many lines as
  // needed, with the last lines aligned.
  bool fit = true;
  for (int i = 0; i < model.order().size() && fit; ++i)
    fit = textWidth(painter.font(), (model.inverted(model.order()[i]) ? QStringLiteral("▾ ") : QString()) +
                                        model.axis(i).title) <= model.titleRect(i).width();
  if (fit) {
    drawElided(painter, QRectF(rect.left(), rect.top() + 2, rect.width(), 18), title, Qt::AlignCenter);
  } else {
    const QFont small = titleFont(title, style, rect.width());
    painter.setFont(small);
    const QStringList lines = titleLines(title, small, rect.width());
    const double last = rect.top() - 1 + kTitleLine;
    for (int i = 0; i < lines.size(); ++i)
      drawElided(painter,
                 QRectF(rect.left(), last - kTitleLine * static_cast<double>(lines.size() - 1 - i),
                        rect.width(), 14),
                 lines[i], Qt::AlignCenter, Qt::ElideMiddle);
  }
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(sparse ? style.warning : style.mutedText);
  drawElided(painter, QRectF(rect.left(), rect.top() + (fit ? 20 : 23), rect.width(), 15), second,
             Qt::AlignCenter);
}

// Paints the axis' histogram at its right side: for values a slim logarithmic profile; for categories, which
// all have the same height, bars proportional to their rows.
void paintProfile(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const ParallelAxis& axis = model.axis(position);
  const auto greatest = axis.all.empty() ? 0 : *std::max_element(axis.all.begin(), axis.all.end());
  if (greatest == 0) return;
  const double x = std::floor(model.axisX(position)) + 1;
  const int bins = static_cast<int>(axis.all.size());
  const bool names = !axis.categories.isEmpty();
  const double gap = model.order().size() > 1 ? model.axisX(1) - model.axisX(0) : 100;
  const double longest = names ? std::clamp(0.2 * gap, 5.0, 26.0) : std::clamp(0.3 * gap, 4.0, 12.0);
  const auto share = [&](std::uint64_t count) {
    const auto rows = static_cast<double>(count), maximum = static_cast<double>(greatest);
    return names ? rows / maximum : std::log1p(rows) / std::log1p(maximum);
  };
  const auto bar = [&](std::uint64_t count, int bin, const QColor& colour) {
    if (count == 0) return;
    const auto [a, b] = model.binSpan(position, bin);
    const double length = std::max(1.0, longest * share(count)), height = std::abs(b - a);
    const double inset = names && height > 6 ? 1 : 0; // separates the bars of categories
    painter.fillRect(QRectF(x, std::min(a, b) + inset, length, std::max(1.0, height - 2 * inset)), colour);
  };
  for (int bin = 0; bin < bins; ++bin) {
    const auto i = static_cast<std::size_t>(bin);
    bar(axis.all[i], bin, withAlpha(style.mutedText, 110));
    if (i < axis.selected.size() && axis.selected.size() == axis.all.size() && model.selects()) {
      bar(axis.selected[i], bin, style.accent);
    }
  }
}

// Paints quartiles as a box, the median across it, whiskers from the 5th to the 95th percentile; precise to
// one bin.
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
  painter.fillRect(QRectF(x - 1, std::min(y[0], y[4]), 3, std::max(1.0, std::abs(y[4] - y[0]))), ink);
  for (const double end : {y[0], y[4]}) painter.fillRect(QRectF(x - 4, end - 1, 9, 2), ink);
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
  const QString share = missingText(axis.missingShare);
  QString text = Text::tr("missing %1").arg(share);
  const double gap = position > 0 ? x - model.axisX(position - 1) : x;
  if (metrics.horizontalAdvance(text) + 22 > gap)
    text = share; // if axes are close, so that it does not cover the next axis
  if (metrics.horizontalAdvance(text) + 8 > gap) return;
  const double width = metrics.horizontalAdvance(text) + 5;
  const QRectF box(x - 6 - width, (top + bottom) / 2 - metrics.height() / 2, width, metrics.height());
  painter.fillRect(box, withAlpha(style.background, 215));
  painter.setPen(style.mutedText);
  painter.drawText(box, Qt::AlignCenter, text);
}

void paintTickLabels(QPainter& painter, const ParallelModel& model, int position, const ViewStyle& style) {
  const QRectF plot = model.valueRect();
  const bool names = !model.axis(position).categories.isEmpty();
  CategoryNames chosen;
  if (names) chosen = categoryNames(model, position, style);
  QFont font = style.font(FontRole::Small);
  if (model.frame().turned) font.setPixelSize(model.frame().titlePixels);
  painter.setFont(names ? chosen.font : font);
  const QFontMetricsF metrics = metricsOf(painter.font());
  const double height = names ? chosen.line : metrics.height();
  const double x = std::floor(model.axisX(position));
  const bool first = position == 0;
  double lastY = 1e9;
  const auto ticks = model.ticks(position);
  std::vector<int> upwards(ticks.size());
  std::iota(upwards.begin(), upwards.end(), 0);
  std::sort(upwards.begin(), upwards.end(), [&](int a, int b) {
    return ticks[static_cast<std::size_t>(a)].position < ticks[static_cast<std::size_t>(b)].position;
  });
  const double gap = model.order().size() > 1 ? model.axisX(1) - model.axisX(0) : 0;
  const double room = first ? x - 14 : std::min(std::max(90.0, 0.6 * gap), gap - 22);
  const bool unlabelled =
      model.frame().turned && !labelsFit(model, position, style); // the title contains the ends
  QStringList labels;
  for (const Tick& tick : ticks) labels << tick.label;
  if (names) labels = distinctNames(labels, painter.font(), room);
  const bool dense =
      ticks.size() > 1 && plot.height() / static_cast<double>(ticks.size()) < 4; // too dense to be useful
  for (const int i : upwards) {
    const Tick& tick = ticks[static_cast<std::size_t>(i)];
    const double y = plot.bottom() - tick.position * plot.height();
    const bool labelled =
        !unlabelled && (names ? chosen.named[static_cast<std::size_t>(i)] : lastY - y >= height - 0.01);
    if (!labelled && dense && !unlabelled) continue;
    const bool quiet = names && !labelled && !unlabelled; // a category without a label
    drawHairline(painter, {x - (quiet ? 2 : 4), std::round(y)}, {x, std::round(y)},
                 quiet ? style.mutedText : style.text);
    if (!labelled) continue;
    lastY = y;
    // Names may be shortened, numbers never: a truncated number is wrong.
    const QString& text = labels[i];
    const double width = textWidth(painter.font(), text) + 5;
    const double top =
        std::clamp(y - metrics.height() / 2, plot.top() - 7, plot.bottom() - metrics.height() + 7);
    const QRectF box(x - 6 - width, top + (metrics.height() - height) / 2, width, height);
    if (!first) painter.fillRect(box, withAlpha(style.background, 190));
    painter.setPen(style.text);
    drawLine(painter, QRectF(box.left(), top, width, metrics.height()), Qt::AlignCenter,
             text); // includes descenders
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

// Paints "by stream: ■ 7 (1,234) ■ 13 (567)" in separate rows.
void paintLegend(QPainter& painter, const ParallelModel& model, const QRectF& footer,
                 const ViewStyle& style) {
  const auto entries = legendOf(model.data(), footer.width(), style);
  const double top = footer.top() - kLegendRow * (entries.empty() ? 1 : entries.back().row + 1);
  painter.setPen(style.mutedText);
  drawLine(painter, QRectF(footer.left(), top, footer.width(), footer.height()),
           Qt::AlignLeft | Qt::AlignVCenter,
           model.data().selectedRows == 0 ? Text::tr("%1 no row is selected").arg(model.data().colouredBy)
                                          : model.data().colouredBy);
  for (const LegendEntry& entry : entries) {
    const QRectF row(footer.left() + entry.x, top + kLegendRow * entry.row, footer.width(), footer.height());
    painter.fillRect(QRectF(row.left(), row.center().y() - 4, 11, 9), classColour(entry.colour, style));
    painter.setPen(style.text);
    drawLine(painter, row.adjusted(16, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, entry.text);
  }
}

// Paints the legend of density colours: pale to dense, logarithmic in rows.
void paintDensityBar(QPainter& painter, const ParallelModel& model, const QRectF& bar,
                     const ViewStyle& style) {
  QLinearGradient gradient(bar.left(), 0, bar.right(), 0);
  for (int i = 0; i <= 4; ++i) {
    const QColor plain = sequentialColour(i / 4.0, style.theme);
    const QColor lit = mix(withAlpha(style.accent, 255), style.isDark() ? Qt::white : Qt::black, i * 0.1);
    gradient.setColorAt(i / 4.0, model.selects() ? mix(mix(style.background, style.accent, 0.4), lit, i / 4.0)
                                                 : plain);
  }
  painter.fillRect(bar, gradient);
}

void paintFooter(QPainter& painter, const ParallelModel& model, const ViewStyle& style) {
  const ParallelData& data = model.data();
  painter.setFont(style.font(FontRole::Small));
  const QRectF rect(10, model.size().height() - 21, model.size().width() - 20, 18);
  const QString text = model.countText();
  painter.setPen(model.selects() ? style.accent : style.mutedText);
  drawElided(painter, rect, text);
  if (!data.colouredBy.isEmpty() || !data.classes.empty()) paintLegend(painter, model, rect, style);
  // From the right: meaning of the bars at the axes, then of the tones, as far as they fit.
  double right = rect.right(), left = rect.left() + textWidth(painter.font(), text) + 24;
  const auto put = [&](const QString& words) {
    const double width = textWidth(painter.font(), words);
    if (right - width < left) return false;
    painter.setPen(style.mutedText);
    drawLine(painter, QRectF(right - width, rect.top(), width + 2, rect.height()),
             Qt::AlignLeft | Qt::AlignVCenter, words);
    right -= width + 8;
    return true;
  };
  const QString few = Text::tr("few rows"), many = Text::tr("many (log)");
  constexpr double kBar = 70;
  const double tones =
      data.classes.empty() ? textWidth(painter.font(), few) + textWidth(painter.font(), many) + kBar + 30 : 0;
  const bool names = std::any_of(data.axes.begin(), data.axes.end(),
                                 [](const ParallelAxis& axis) { return !axis.categories.isEmpty(); });
  const QString bars = names ? Text::tr("bars at the axes: rows, logarithmic; for names linear")
                             : Text::tr("bars at the axes: rows, logarithmic");
  if (right - tones - textWidth(painter.font(), bars) > left && put(bars)) right -= 14;
  if (tones == 0 || right - tones < left || !put(many)) return;
  paintDensityBar(painter, model, QRectF(right - kBar, rect.center().y() - 4, kBar, 8), style);
  right -= kBar + 8;
  put(few);
}

} // namespace

void paintAxes(QPainter& painter, const ParallelModel& model, const ViewStyle& style) {
  const QRectF plot = model.valueRect();
  painter.save();
  for (int i = 0; i < model.order().size(); ++i) {
    const double x = std::floor(model.axisX(i));
    painter.fillRect(QRectF(x - 1, plot.top(), 3, plot.height()), withAlpha(style.background, 200));
    painter.fillRect(QRectF(x, plot.top(), 1, plot.height()),
                     mix(style.background, style.text, 0.55)); // paler than box and whiskers
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
      painter.drawText(gap, Qt::AlignCenter | Qt::TextWordWrap, Text::tr("counting…"));
    }
  }
  paintFooter(painter, model, style);
  painter.restore();
}

} // namespace jitterscope::views::parallel
