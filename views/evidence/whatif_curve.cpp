#include "views/evidence/whatif_curve.h"

#include <QFontMetricsF>
#include <QObject>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text_cache.h"
#include "views/base/ticks.h"

namespace jitterscope::views::what_if {

namespace {

constexpr double kTitle = 20, kBelow = 34; // heights above the plot (sentence) and below (ticks, name)

/// Maps values to pixels.
struct Scales {
  QRectF plot;
  double left = 0, right = 1, bottom = 0, top = 1;

  double x(double value) const { return plot.left() + (value - left) / (right - left) * plot.width(); }
  double y(double value) const { return plot.bottom() - (value - bottom) / (top - bottom) * plot.height(); }
};

Scales scalesOf(const WhatIfShown& shown, const WhatIfFeature& feature, const QRectF& rect,
                const ViewStyle& style) {
  Scales scales;
  scales.left = feature.event ? -0.5 : shown.curve.front().value;
  scales.right = feature.event ? 1.5 : shown.curve.back().value;
  if (!feature.event && !feature.values.few.empty()) { // separate values, with a margin at both ends
    const double aside = 0.06 * (scales.right - scales.left);
    scales.left -= aside, scales.right += aside;
  }
  const CurveRange range = curveRange(shown);
  scales.bottom = range.low - (range.low < 0 ? 0.04 * (range.high - range.low) : 0);
  scales.top = range.high + 0.06 * (range.high - range.low);
  double labels = 0;
  for (const Tick& tick : niceTicks(scales.bottom, scales.top, 4, shown.data.unit))
    labels = std::max(labels, textWidth(style.font(FontRole::Small), tick.label));
  scales.plot = rect.adjusted(std::ceil(labels) + 8, kTitle, -8, -kBelow);
  return scales;
}

void paintFrame(QPainter& painter, const Scales& scales, const WhatIfShown& shown,
                const WhatIfFeature& feature, const ViewStyle& style) {
  const QRectF& plot = scales.plot;
  painter.fillRect(plot, style.lane);
  if (!feature.event && feature.values.few.empty()) {
    const QColor unseen = mix(style.background, style.quiet, 0.35);
    painter.fillRect(QRectF(plot.topLeft(), QPointF(scales.x(feature.minimum), plot.bottom())), unseen);
    painter.fillRect(QRectF(QPointF(scales.x(feature.maximum), plot.top()), plot.bottomRight()), unseen);
  }
  painter.setFont(style.font(FontRole::Small));
  for (const Tick& tick : niceTicks(scales.bottom, scales.top,
                                    std::max(2, static_cast<int>(plot.height() / 34)), shown.data.unit)) {
    const double y = std::round(scales.y(tick.value));
    drawHairline(painter, {plot.left(), y}, {plot.right(), y}, style.grid);
    painter.setPen(style.mutedText);
    drawLine(painter, QRectF(plot.left() - 205, y - 8, 200, 16), Qt::AlignRight | Qt::AlignVCenter,
             tick.label);
  }
  double last = -1e9;
  const auto below = [&](double value, const QString& text) {
    const double x = scales.x(value), half = textWidth(painter.font(), text) / 2 + 3;
    if (x - half < last) return;
    last = x + half;
    drawHairline(painter, {std::round(x), plot.bottom()}, {std::round(x), plot.bottom() + 3},
                 style.mutedText);
    painter.setPen(style.mutedText);
    drawLine(painter, QRectF(x - half, plot.bottom() + 3, 2 * half, 15), Qt::AlignCenter, text);
  };
  if (feature.event) {
    below(0, QObject::tr("without"));
    below(1, QObject::tr("with"));
  } else if (!feature.values.few.empty()) {
    for (const double value : feature.values.few) below(value, formatValue(value, feature.unit, 4));
  } else {
    for (const Tick& tick :
         niceTicks(scales.left, scales.right, std::max(2, static_cast<int>(plot.width() / 90)), feature.unit))
      below(tick.value, tick.label);
  }
  drawElided(painter, QRectF(plot.left(), plot.bottom() + 17, plot.width(), 16), feature.label,
             Qt::AlignCenter);
}

// States in the nearest corner how far values extend beyond the plot.
void paintBeyond(QPainter& painter, const Scales& scales, const WhatIfShown& shown, const ViewStyle& style) {
  const CurveRange range = curveRange(shown);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  const auto say = [&](const QString& text, double top) {
    drawElided(painter, QRectF(scales.plot.left() + 6, top, scales.plot.width() - 12, 16), text,
               Qt::AlignRight | Qt::AlignVCenter);
  };
  if (range.beyondHigh)
    say(QObject::tr("↑ the interval goes up to %1").arg(formatValue(*range.beyondHigh, shown.data.unit, 3)),
        scales.plot.top() + 2);
  if (range.beyondLow)
    say(QObject::tr("↓ the interval goes down to %1").arg(formatValue(*range.beyondLow, shown.data.unit, 3)),
        scales.plot.bottom() - 18);
}

} // namespace

QString targetName(const WhatIfShown& shown) {
  return shown.answer && shown.answer->aroundMedian
             ? QObject::tr("%1 around the median").arg(shown.data.target)
             : shown.data.target;
}

CurveRange curveRange(const WhatIfShown& shown) {
  constexpr double kMaxTimes = 0.6; // maximum extension beyond the required range, as a factor of it
  const WhatIfAnswer& answer = *shown.answer;
  double low = std::min({0.0, answer.meanBefore, answer.low, answer.meanAfter}),
         high = std::max({answer.meanBefore, answer.high, answer.meanAfter});
  double lowest = low, highest = high;
  for (const WhatIfPoint& point : shown.curve) {
    low = std::min(low, point.mean), high = std::max(high, point.mean);
    lowest = std::min(lowest, point.low), highest = std::max(highest, point.high);
  }
  if (!(high > low)) high = low + 1;
  CurveRange range;
  const double maximum = kMaxTimes * (high - low);
  range.low = std::max(std::min(lowest, low), low - maximum);
  range.high = std::min(std::max(highest, high), high + maximum);
  if (lowest < range.low) range.beyondLow = lowest;
  if (highest > range.high) range.beyondHigh = highest;
  return range;
}

void paintCurve(QPainter& painter, const QRectF& rect, const WhatIfShown& shown, const ViewStyle& style) {
  if (shown.feature < 0 || !shown.answer || shown.curve.size() < 2 || rect.height() < kMinCurveHeight) return;
  const WhatIfFeature& feature = shown.data.features[static_cast<std::size_t>(shown.feature)];
  const Scales scales = scalesOf(shown, feature, rect, style);
  paintFrame(painter, scales, shown, feature, style);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  const bool points = feature.event || !feature.values.few.empty();
  drawElided(painter, QRectF(rect.left(), rect.top(), rect.width(), 16),
             (points ? QObject::tr("expected mean of %1, 95 % interval; dashed: measured mean")
                     : QObject::tr("expected mean of %1, 95 % interval; dashed: measured mean; grey "
                                   "background: never observed"))
                 .arg(targetName(shown)));
  painter.save();
  painter.setClipRect(scales.plot.adjusted(-6, -1, 6, 6)); // the mark at 0 is on the border
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(QPen(style.mutedText, 1, Qt::DashLine));
  painter.drawLine(QPointF(scales.plot.left(), scales.y(shown.answer->meanBefore)),
                   QPointF(scales.plot.right(), scales.y(shown.answer->meanBefore)));
  QColor band = style.accent;
  band.setAlpha(60);
  QPolygonF line, around;
  for (const WhatIfPoint& point : shown.curve) {
    line << QPointF(scales.x(point.value), scales.y(point.mean));
    around << QPointF(scales.x(point.value), scales.y(point.high));
  }
  for (auto point = shown.curve.rbegin(); point != shown.curve.rend(); ++point)
    around << QPointF(scales.x(point->value), scales.y(point->low));
  if (points) {
    painter.setPen(QPen(style.accent, 3));
    for (const WhatIfPoint& point : shown.curve)
      painter.drawLine(QPointF(scales.x(point.value), scales.y(point.low)),
                       QPointF(scales.x(point.value), scales.y(point.high)));
    painter.setPen(QPen(style.background, 1));
    painter.setBrush(style.accent);
    for (const QPointF& point : line) painter.drawEllipse(point, 4, 4);
  } else {
    painter.setPen(Qt::NoPen);
    painter.setBrush(band);
    painter.drawPolygon(around);
    painter.setPen(QPen(style.accent, 2));
    painter.drawPolyline(line);
  }
  if (shown.value >= scales.left && shown.value <= scales.right) { // a typed value may be outside
    painter.setPen(QPen(style.text, 1.5));
    painter.setBrush(style.accent);
    painter.drawEllipse(QPointF(scales.x(shown.value), scales.y(shown.answer->meanAfter)), 5.5, 5.5);
  }
  painter.restore();
  paintBeyond(painter, scales, shown, style);
}

} // namespace jitterscope::views::what_if
