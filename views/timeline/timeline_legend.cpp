#include <QLinearGradient>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/text_cache.h"
#include "views/table_parts/brief_names.h"
#include "views/table_parts/distinct_names.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views::timeline {

namespace {

constexpr double kEntryGap = 14, kSwatch = 10;
constexpr std::size_t kMaxEntries = 12;

/// Puts texts and marks side by side until the strip is full.
class Strip {
public:
  Strip(QPainter& painter, const QRectF& rect, const ViewStyle& style)
      : painter_(painter), rect_(rect), style_(style), x_(rect.left()) {
    painter.setFont(style.font(FontRole::Small));
  }
  double left() const { return rect_.right() - x_; }
  double width(const QString& text) const { return std::ceil(textWidth(painter_.font(), text)) + 2; }
  bool fits(double width) const { return x_ + width <= rect_.right(); }

  void text(const QString& text, const QColor& colour, double maximum = 1e9) {
    const double wide = std::min({width(text), maximum, left()});
    painter_.setPen(colour);
    drawElided(painter_, QRectF(x_, rect_.top(), wide, rect_.height()), text,
               Qt::AlignLeft | Qt::AlignVCenter);
    x_ += wide;
  }
  void space(double width) { x_ += width; }
  void swatch(const QColor& colour) {
    painter_.fillRect(QRectF(std::round(x_), std::round(rect_.center().y() - kSwatch / 2), kSwatch, kSwatch),
                      colour);
    x_ += kSwatch + 5;
  }
  template <class ColourAt>
  void scale(double width, ColourAt&& colourAt) {
    const int steps = static_cast<int>(width);
    for (int i = 0; i < steps; ++i)
      painter_.fillRect(QRectF(std::round(x_) + i, std::round(rect_.center().y() - kSwatch / 2), 1, kSwatch),
                        colourAt(static_cast<double>(i) / std::max(steps - 1, 1)));
    x_ += width + 6;
  }
  void foldMark() {
    paintFoldMark(painter_, {std::round(x_), std::round(rect_.center().y() - 7)}, style_);
    x_ += 18;
  }

private:
  QPainter& painter_;
  QRectF rect_;
  const ViewStyle& style_;
  double x_;
};

void paintDeviation(Strip& strip, const ViewStyle& style) {
  strip.text(Text::tr("≥ 50 % shorter"), style.mutedText);
  strip.space(6);
  strip.scale(120, [&](double t) { return deviationColour(2 * t - 1, style); });
  strip.text(Text::tr("≥ 50 % longer than the configuration's mean"), style.mutedText);
  strip.space(kEntryGap);
  if (!strip.fits(150)) return;
  strip.swatch(style.quiet);
  strip.text(Text::tr("ran once: no mean"), style.mutedText);
}

void paintColumn(Strip& strip, const TimelineColour& colour, const ViewStyle& style) {
  strip.text(formatValue(colour.low, colour.unit, 3), style.mutedText);
  strip.space(6);
  strip.scale(120, [&](double t) { return sequentialColour(0.12 + 0.88 * t, style.theme); });
  const QString high = formatValue(colour.high, colour.unit, 3);
  strip.text(colour.logarithmic ? Text::tr("%1, logarithmic").arg(high) : high, style.mutedText);
  strip.space(kEntryGap);
  if (!strip.fits(90)) return;
  strip.swatch(style.quiet);
  strip.text(Text::tr("no value"), style.mutedText);
}

void paintEntries(Strip& strip, const TimelineModel& model, const ViewStyle& style, double reserve) {
  constexpr double kMax = 150;
  const auto entries = legendEntries(model, style, kMaxEntries);
  QStringList names;
  for (const auto& entry : entries) names << entry.text;
  const auto shorten = model.colour.by == ColourBy::Kernel ? briefNames : distinctNames;
  names = shorten(names, style.font(FontRole::Small), kMax - 4);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const QString& name = names[static_cast<int>(i)];
    const double wide = std::min(strip.width(name), kMax);
    if (strip.left() < wide + kSwatch + kEntryGap + reserve) return;
    strip.swatch(entries[i].colour);
    strip.text(name, style.text, kMax);
    strip.space(kEntryGap);
  }
}

} // namespace

QColor deviationColour(double place, const ViewStyle& style) {
  return mix(divergingColour(place, style.theme), style.mutedText, 0.14 * (1 - std::abs(place)));
}

QString foldMeaning(const TimelineModel& model) {
  if (model.merges()) return mergedMeaning(model);
  return model.axis == AxisUnit::Time ? Text::tr("folded: height = share of time; dots: several events")
                                      : Text::tr("folded: dots: several events");
}

void paintFoldMark(QPainter& painter, QPointF corner, const ViewStyle& style) {
  const QRectF box(corner, QSizeF(13, 14));
  const QColor base = style.mutedText;
  painter.fillRect(box, mix(style.background, base, 0.26));
  painter.fillRect(box.adjusted(0, 7, 0, 0), base);
  for (int i = 0; i < 13; i += 2)
    painter.fillRect(QRectF(box.left() + i, box.top(), 1, 1), mix(base, style.background, 0.3));
}

void paintColourScale(QPainter& painter, const QRectF& rect, const TimelineModel& model,
                      const ViewStyle& style) {
  Strip strip(painter, rect, style);
  if (model.colour.by == ColourBy::RelativeToMean) return paintDeviation(strip, style);
  paintColumn(strip, model.colour, style);
}

QRectF legendChoice(const TimelineModel& model) {
  const QRectF rect = model.legendRect();
  return {rect.left(), rect.top(), model.geometry.headerWidth, rect.height()};
}

void paintLegend(QPainter& painter, const TimelineModel& model, const ViewStyle& style) {
  const QRectF rect = model.legendRect();
  painter.fillRect(rect, style.surface);
  drawHairline(painter, rect.topLeft(), rect.topRight(), style.border);
  const QRectF choice = legendChoice(model);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.text);
  drawElided(painter, choice.adjusted(10, 0, -18, 0), colourTitle(model));
  painter.setRenderHint(QPainter::Antialiasing, true);
  painter.setPen(Qt::NoPen);
  painter.setBrush(style.mutedText);
  const QPointF c(choice.right() - 11, choice.center().y() + 0.5);
  painter.drawPolygon(
      QPolygonF({c + QPointF(-4, -2), c + QPointF(4, -2), c + QPointF(0, 2.5)})); // indicates a menu
  painter.setRenderHint(QPainter::Antialiasing, false);
  const QString meaning = foldMeaning(model);
  const QString aggregate = foldedMeaning(model);
  Strip measure(painter, rect, style);
  QString messages;
  if (model.data().messageCount > 0 && model.data().messages.empty())
    messages = Text::tr("%1 messages: zoom in for lines")
                   .arg(formatCount(static_cast<std::uint64_t>(model.data().messageCount)));
  const QRectF right(choice.right() + 8, rect.top(), rect.width() - choice.width() - 16, rect.height());
  const double preferred =
      measure.width(meaning) + 24 + (messages.isEmpty() ? 0 : measure.width(messages) + kEntryGap);
  const double reserve = right.width() > preferred + 200 ? preferred : 0;
  Strip strip(painter, right, style);
  if (model.colour.by == ColourBy::RelativeToMean)
    paintDeviation(strip, style);
  else if (model.colour.by == ColourBy::Column)
    paintColumn(strip, model.colour, style);
  else
    paintEntries(strip, model, style, reserve);
  if (const double need = measure.width(aggregate) + kEntryGap;
      !aggregate.isEmpty() && model.colour.by != ColourBy::Kernel && strip.left() > need + reserve) {
    strip.space(kEntryGap);
    strip.text(aggregate, style.mutedText);
  }
  if (reserve == 0 || strip.left() < preferred) return;
  Strip end(painter, QRectF(right.right() - preferred, right.top(), preferred, right.height()), style);
  if (!messages.isEmpty()) {
    end.text(messages, style.text);
    end.space(kEntryGap);
  }
  end.foldMark();
  end.text(meaning, style.mutedText);
}

} // namespace jitterscope::views::timeline
