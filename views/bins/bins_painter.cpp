#include "views/bins/bins_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/ticks.h"

namespace jitterscope::views::bins {

namespace {

constexpr double kRowHeight = 22, kStripHeight = 90, kGap = 4;
constexpr int kSmallest = 300; // the headline and the strip have their full heights

/// Height of the headline where there is room for it.
double headHeight(double width, const BinsModel& model, const ViewStyle& style) {
  const QRectF room(0, 0, width - 20, 1e4);
  return 10 + std::ceil(metricsOf(style.font())
                            .boundingRect(room, Qt::AlignLeft | Qt::TextWordWrap, model.headline())
                            .height());
}

struct Columns {
  std::array<double, BinsModel::ColumnCount + 1> x{};
  QRectF cell(int column, double top) const {
    const auto c = static_cast<std::size_t>(column);
    return {x[c], top, x[c + 1] - x[c], kRowHeight};
  }
};

// Numbers are never truncated: the bar and the reasons share the remaining width; if it is small, the reasons
// are omitted, then the counts.
Columns layoutColumns(const QRectF& rect, const BinsModel& model, const ViewStyle& style) {
  constexpr double kSides = 16, kBar = 60, kReasons = 150;
  const QFontMetricsF header = metricsOf(style.font(FontRole::Small)),
                      number = metricsOf(style.font(FontRole::Emphasis));
  const int rows = std::min(model.rowCount(), static_cast<int>(rect.height() / kRowHeight));
  const auto preferred = [&](int column) {
    double widest =
        column == BinsModel::Value
            ? 0
            : header.horizontalAdvance(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < rows; ++row)
      widest = std::max(widest,
                        number.horizontalAdvance(model.index(row, column).data(Qt::DisplayRole).toString()));
    return std::ceil(widest) + kSides;
  };
  std::array<double, BinsModel::ColumnCount> widths{};
  for (const int column : {BinsModel::Rank, BinsModel::Start, BinsModel::Launches, BinsModel::Value})
    widths[static_cast<std::size_t>(column)] = preferred(column);
  const auto needed = [&] { return std::accumulate(widths.begin(), widths.end(), 0.0); };
  auto& value = widths[BinsModel::Value];
  value += kBar;
  if (needed() > rect.width()) widths[BinsModel::Launches] = 0;
  const double left = std::max(rect.width() - needed(), 0.0);
  if (left > kReasons) widths[BinsModel::Why] = 0.6 * left;
  value += left - widths[BinsModel::Why];
  Columns columns;
  columns.x[0] = rect.left();
  for (std::size_t i = 0; i < widths.size(); ++i) columns.x[i + 1] = columns.x[i] + widths[i];
  return columns;
}

void paintRow(QPainter& painter, const Columns& columns, double top, const BinsModel& model, int row,
              bool selected, const ViewStyle& style) {
  const auto at = [&](int column) { return model.index(row, column); };
  const bool kept = at(0).data(BinsModel::KeptRole).toBool();
  for (int c = 0; c < BinsModel::ColumnCount; ++c) {
    const QRectF cell = columns.cell(c, top);
    if (cell.width() <= 0) continue;
    const QString text = at(c).data(Qt::DisplayRole).toString();
    if (c == BinsModel::Value) {
      paintValueCell(painter, cell, at(c).data(BinsModel::BarRole).toDouble(), text, kept, selected, style);
      continue;
    }
    painter.setFont(style.font());
    painter.setPen(kept ? style.text : style.mutedText);
    const bool left = c == BinsModel::Why;
    drawElided(painter, cell.adjusted(8, 0, -8, 0), text,
               (left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
}

} // namespace

QRectF stripPlot(const QRectF& rect, const ViewStyle& style) {
  const double axis = std::ceil(metricsOf(style.font(FontRole::Small)).height()) + 6;
  return rect.adjusted(10, 8, -10, -axis);
}

std::optional<double> thresholdY(const QRectF& rect, const BinsModel& model, const ViewStyle& style) {
  const double value = model.threshold();
  if (!std::isfinite(value) || model.greatest() <= 0) return std::nullopt;
  const QRectF plot = stripPlot(rect, style);
  return plot.bottom() - std::clamp(value / model.greatest(), 0.0, 1.0) * plot.height();
}

void paintStrip(QPainter& painter, const QRectF& rect, const BinsModel& model, const ViewStyle& style,
                std::optional<std::uint32_t> selected) {
  const BinsData& data = model.bins();
  const QRectF plot = stripPlot(rect, style);
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  drawHairline(painter, plot.bottomLeft(), plot.bottomRight(), style.border);
  const int columns = std::max(1, static_cast<int>(plot.width()));
  const auto strip = stripColumns(data, columns);
  const auto heightOf = [&](const StripColumn& column) {
    return column.present && column.value > 0 ? std::max(1.0, std::round(column.value * plot.height())) : 0.0;
  };
  for (int x = 0;
       x < columns;) { // equal columns as one rectangle: programs that smooth edges show a seam between two
    const StripColumn& column = strip[static_cast<std::size_t>(x)];
    const int from = x;
    const double height = heightOf(column);
    while (x < columns && heightOf(strip[static_cast<std::size_t>(x)]) == height &&
           strip[static_cast<std::size_t>(x)].kept == column.kept)
      ++x;
    if (height > 0)
      painter.fillRect(QRectF(plot.left() + from, plot.bottom() - height, x - from, height),
                       column.kept ? style.accent : style.quiet);
  }
  if (const auto row = selected ? model.rowOf(*selected) : std::nullopt; row && !data.span.empty()) {
    const Interval bin = model.intervalOf(*row);
    const double perNs = plot.width() / static_cast<double>(data.span.length().count);
    const double left = plot.left() + static_cast<double>((bin.begin - data.span.begin).count) * perNs;
    const double width = std::max(3.0, static_cast<double>(bin.length().count) * perNs);
    painter.setPen(QPen(style.focus, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(std::floor(left) - 1.5, plot.top() - 2, width + 3, plot.height() + 3));
  }
  painter.setFont(style.font(FontRole::Small));
  if (const auto y = thresholdY(rect, model, style)) {
    painter.setPen(QPen(style.text, 1, Qt::DashLine));
    const double at = std::round(*y) + 0.5;
    painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
  }
  painter.setPen(style.mutedText);
  for (const Tick& tick : axisTicks(data.span, std::max(2, static_cast<int>(plot.width() / 70)), data.axis)) {
    const double x = std::floor(plot.left() + tick.position * plot.width());
    drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + 4}, style.mutedText);
    const double width = metricsOf(painter.font()).horizontalAdvance(tick.label) + 2;
    const double left = std::clamp(x - width / 2, rect.left() + 2, rect.right() - width - 2);
    painter.drawText(QRectF(left, plot.bottom() + 3, width, rect.bottom() - plot.bottom() - 3),
                     Qt::AlignCenter, tick.label);
  }
  painter.restore();
}

void paintValueCell(QPainter& painter, const QRectF& cell, double share, const QString& text, bool kept,
                    bool selected, const ViewStyle& style) {
  painter.save();
  painter.setFont(style.font(kept ? FontRole::Emphasis : FontRole::Normal));
  const double number =
      std::min(cell.width() - 16,
               metricsOf(style.font(FontRole::Emphasis)).horizontalAdvance(QStringLiteral("888.88 µs")) + 10);
  const QRectF track(cell.left() + 8, cell.center().y() - 5, std::max(0.0, cell.width() - number - 16), 10);
  if (track.width() > 8) {
    painter.fillRect(track, selected ? mix(style.background, style.grid, 0.7) : style.grid);
    const double length = share > 0 ? std::max(1.0, share * track.width()) : 0;
    painter.fillRect(QRectF(track.left(), track.top(), length, track.height()),
                     kept ? style.accent : style.quiet);
  }
  painter.setPen(kept ? style.text : style.mutedText);
  drawElided(painter, QRectF(cell.right() - number - 4, cell.top(), number - 4, cell.height()), text,
             Qt::AlignRight | Qt::AlignVCenter);
  painter.restore();
}

int pictureHeight(int width, const BinsModel& model, const ViewStyle& style) {
  const double above = std::max(28.0, headHeight(width, model, style)) + kStripHeight + kGap;
  const auto rows = std::min(model.rowCount(), static_cast<int>(model.keptCount()));
  return std::max(static_cast<int>(std::ceil(above + (rows + 1) * kRowHeight)), kSmallest);
}

void paint(QPainter& painter, const QRectF& rect, const BinsModel& model, const ViewStyle& style,
           std::optional<std::uint32_t> selected) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  if (model.rowCount() == 0) {
    drawMessage(
        painter, rect,
        BinsModel::tr("No selected launch has a value to rank. Change the range, the filter or the metric."),
        style);
    painter.restore();
    return;
  }
  painter.setFont(style.font());
  painter.setPen(style.text);
  const double head = std::max(28.0, std::min(headHeight(rect.width(), model, style), rect.height() / 3));
  painter.drawText(QRectF(rect.left() + 10, rect.top() + 4, rect.width() - 20, head - 8),
                   Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, model.headline());
  const QRectF strip(rect.left(), rect.top() + head, rect.width(),
                     std::min(kStripHeight, rect.height() * 0.35));
  paintStrip(painter, strip, model, style, selected);
  const Columns columns = layoutColumns(rect, model, style);
  double top = strip.bottom() + kGap;
  painter.fillRect(QRectF(rect.left(), top, rect.width(), kRowHeight), style.surface);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  for (int c = 0; c < BinsModel::ColumnCount; ++c) {
    const bool left = c == BinsModel::Why || c == BinsModel::Value;
    if (columns.cell(c, top).width() <= 0) continue;
    drawElided(painter, columns.cell(c, top).adjusted(8, 0, -8, 0),
               model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(),
               (left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  top += kRowHeight;
  for (int row = 0; row < model.rowCount() && top + kRowHeight <= rect.bottom(); ++row, top += kRowHeight) {
    const bool chosen = selected && model.rowOf(*selected) == row;
    if (chosen)
      painter.fillRect(QRectF(rect.left(), top, rect.width(), kRowHeight),
                       mix(style.background, style.focus, 0.14));
    paintRow(painter, columns, top, model, row, chosen, style);
    drawHairline(painter, {rect.left(), top + kRowHeight - 1}, {rect.right(), top + kRowHeight - 1},
                 style.grid);
  }
  painter.restore();
}

} // namespace jitterscope::views::bins
