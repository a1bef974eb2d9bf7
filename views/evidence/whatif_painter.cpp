#include "views/evidence/whatif_painter.h"

#include <QFontMetricsF>
#include <QObject>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/ticks.h"
#include "views/evidence/whatif_curve.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::what_if {

namespace {

constexpr double kMargin = 16;

/// A value before and after, with the interval of the latter.
struct Estimate {
  double before = 0, after = 0, low = 0, high = 0;
};

/// "which has it", "which does not have it", "gap before launch 3.2 µs there".
QString valueThere(const WhatIfFeature& f, double value) {
  if (f.event) return value > 0.5 ? Text::tr("which has it") : Text::tr("which does not have it");
  return Text::tr("%1 %2 there").arg(f.label, formatValue(value, f.unit, 3));
}

QString change(double before, double after) {
  if (before == 0) return {};
  const double percent = (after / before - 1) * 100;
  return QStringLiteral(" (%1%2 %)")
      .arg(percent > 0 ? QStringLiteral("+") : QString(),
           formatFixed(percent, std::abs(percent) < 10 ? 1 : 0));
}

QString durationWords(const WhatIfChange& c) {
  if (c.low <= 0 && c.high >= 0) return QObject::tr("The mean duration does not clearly change.");
  const QString words = c.mean > 0
                            ? QObject::tr("Launches take %1 longer on average (95 % interval %2 to %3).")
                            : QObject::tr("Launches take %1 less on average (95 % interval %2 to %3).");
  const double a = std::abs(c.low), b = std::abs(c.high);
  return words.arg(formatDuration(std::abs(c.mean), 3), formatDuration(std::min(a, b), 3),
                   formatDuration(std::max(a, b), 3));
}

// Paints a scale with the value before as a ring, the one after as a dot with its interval.
double paintScale(QPainter& painter, const QRectF& rect, double top, const QStringList& names,
                  const QString& unit, const Estimate& of, const ViewStyle& style) {
  const auto& [before, after, low, high] = of;
  const double left = rect.left() + kMargin, right = rect.right() - kMargin;
  double from = std::min({0.0, before, after, low}), to = std::max({before, after, high, 1e-12});
  const double margin = (to - from) * 0.04;
  from -= margin, to += margin;
  const auto xAt = [&](double v) { return left + (v - from) / (to - from) * (right - left); };
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  drawElided(painter, QRectF(left, top, right - left, 16),
             firstThatFits(names, painter.font(), right - left));
  const double y = top + 28;
  drawHairline(painter, {left, y}, {right, y}, style.border);
  const QFontMetricsF metrics = metricsOf(painter.font());
  double last = -1e9;
  for (const Tick& tick : niceTicks(from, to, std::max(2, static_cast<int>(rect.width() / 110)), unit)) {
    const double x = std::round(left + tick.position * (right - left));
    drawHairline(painter, {x, y}, {x, y + 4}, style.mutedText);
    const double half = metrics.horizontalAdvance(tick.label) / 2 + 2;
    if (x - half < last || x - half < left - 14 || x + half > right + 14) continue;
    last = x + half;
    painter.setPen(style.mutedText);
    painter.drawText(QRectF(x - half, y + 5, 2 * half, 15), Qt::AlignCenter, tick.label);
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.quiet, 2));
  painter.drawLine(QPointF(xAt(before), y), QPointF(xAt(after), y));
  painter.setPen(QPen(style.accent, 3));
  painter.drawLine(QPointF(xAt(low), y), QPointF(xAt(high), y));
  painter.setPen(QPen(style.text, 1.5));
  painter.setBrush(style.background);
  painter.drawEllipse(QPointF(xAt(before), y), 5, 5);
  painter.setPen(QPen(style.background, 1));
  painter.setBrush(style.accent);
  painter.drawEllipse(QPointF(xAt(after), y), 5.5, 5.5);
  painter.setRenderHint(QPainter::Antialiasing, false);
  return top + 52;
}

/// Reasons to distrust an answer.
QStringList warnings(const WhatIfFeature& f, const WhatIfAnswer& a) {
  QStringList lines;
  if (a.outside)
    lines << QObject::tr("Extrapolation: %1 was only observed between %2 and %3. The line may not hold "
                         "outside this range.")
                 .arg(f.label, formatValue(f.minimum, f.unit, 3), formatValue(f.maximum, f.unit, 3));
  if (a.meanAfter < 0 && a.meanBefore > 0)
    lines << QObject::tr("The expected value is below 0: the linear model does not apply here.");
  return lines;
}

} // namespace

QStringList words(const WhatIfShown& shown) {
  QStringList lines;
  if (shown.feature < 0 || !shown.answer) return lines;
  const WhatIfFeature& f = shown.data.features[static_cast<std::size_t>(shown.feature)];
  const QString &unit = shown.data.unit, &target = shown.data.target;
  const QString name = targetName(shown);
  const WhatIfAnswer& a = *shown.answer;
  const auto& row = shown.row;
  const QString condition =
      f.event && shown.value == 0 ? QObject::tr("Without %1 in any row").arg(f.label)
      : f.event && shown.value == 1
          ? QObject::tr("With %1 in every row").arg(f.label)
          : QObject::tr("With %1 = %2 in every row").arg(f.label, formatValue(shown.value, f.unit, 3));
  lines << QObject::tr("%1, the mean of %2 changes from %3 to %4%5 (95 % interval %6 to %7).")
               .arg(condition, name, formatValue(a.meanBefore, unit, 3), formatValue(a.meanAfter, unit, 3),
                    change(a.meanBefore, a.meanAfter), formatValue(a.low, unit, 3),
                    formatValue(a.high, unit, 3));
  const QString deviation = formatValue(a.stdAfter, unit, 3);
  const QString after =
      a.stdHigh > 0 ? QObject::tr("%1 (95 % interval %2 to %3)")
                          .arg(deviation, formatValue(a.stdLow, unit, 3), formatValue(a.stdHigh, unit, 3))
                    : deviation;
  lines << QObject::tr("Its standard deviation changes from %1 to %2; its variance changes accordingly%3.")
               .arg(formatValue(a.stdBefore, unit, 3), after,
                    change(a.stdBefore * a.stdBefore, a.stdAfter * a.stdAfter));
  if (a.longer) lines << durationWords(*a.longer);
  lines << warnings(f, a);
  if (row)
    lines << QObject::tr("%1 (%2): %3 %4 → %5 (95 % interval %6 to %7)%8")
                 .arg(row->name, valueThere(f, row->from), target, formatValue(row->before, unit, 3),
                      formatValue(row->after, unit, 3), formatValue(row->low, unit, 3),
                      formatValue(row->high, unit, 3),
                      row->sentence.isEmpty() ? QStringLiteral(".") : QStringLiteral("; ") + row->sentence);
  return lines;
}

void paint(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style,
           bool hint) {
  painter.fillRect(rect, style.background);
  if (shown.feature < 0 || !shown.answer)
    return drawMessage(painter, rect, QObject::tr("Nothing to set"), style);
  const WhatIfAnswer& answer = *shown.answer;
  const QString& unit = shown.data.unit;
  double y = rect.top() + 6;
  y = paintScale(painter, rect, y,
                 {QObject::tr("mean of %1: before ○, after ● with its 95 % interval").arg(targetName(shown)),
                  QObject::tr("mean: before ○, after ● with its 95 % interval"),
                  QObject::tr("mean: before ○, after ● (95 %)")},
                 unit, {answer.meanBefore, answer.meanAfter, answer.low, answer.high}, style);
  if (const auto& row = shown.row)
    y = paintScale(painter, rect, y,
                   {QObject::tr("%1: measured ○, expected ●").arg(row->name),
                    QObject::tr("%1: measured ○, expected ●").arg(row->name)},
                   unit, {row->before, row->after, row->low, row->high}, style);
  painter.setFont(style.font());
  const QStringList lines = words(shown),
                    doubts = warnings(shown.data.features[static_cast<std::size_t>(shown.feature)], answer);
  for (const QString& line : lines) {
    painter.setPen(doubts.contains(line) ? style.warning : style.text);
    QRectF used;
    painter.drawText(QRectF(rect.left() + kMargin, y, rect.width() - 2 * kMargin, 400),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, forLines(line), &used);
    y += std::ceil(used.height()) + 5;
  }
  if (!shown.row && hint) {
    painter.setPen(style.mutedText);
    QRectF used;
    painter.drawText(
        QRectF(rect.left() + kMargin, y, rect.width() - 2 * kMargin, 400),
        Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
        QObject::tr(
            "Select a launch in the timeline, the table or the evidence to see its own expected value."),
        &used);
    y += std::ceil(used.height()) + 5;
  }
  const QRectF rest(rect.left() + kMargin, y + 6, rect.width() - 2 * kMargin,
                    std::min(rect.bottom() - y - 12, 320.0));
  paintCurve(painter, rest, shown, style);
}

} // namespace jitterscope::views::what_if
