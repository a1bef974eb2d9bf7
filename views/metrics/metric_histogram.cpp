#include "views/metrics/metric_histogram.h"

#include <QFontMetricsF>
#include <QImage>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/ticks.h"

namespace jitterscope::views {
namespace metrics {

QRectF histogramPlot(const QRectF& rect, const MetricHistogram& data, const ViewStyle& style) {
  const auto small = metricsOf(style.font(FontRole::Small));
  double names = 60;
  for (int i = 0; i < std::min<int>(static_cast<int>(data.objects.size()), 200); ++i)
    names = std::max(names, small.horizontalAdvance(data.objects[i]) + 20);
  names = std::min(names, rect.width() * 0.35);
  return rect.adjusted(names, std::ceil(metricsOf(style.font()).height()) + 10, -12,
                       -std::ceil(small.height()) - 10);
}

void paintHistogram(QPainter& painter, const QRectF& rect, const MetricHistogram& data,
                    const ViewStyle& style) {
  painter.save();
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.fillRect(rect, style.background);
  const QRectF plot = histogramPlot(rect, data, style);
  painter.setFont(style.font(FontRole::Emphasis));
  painter.setPen(style.text);
  const auto maximum = data.time.empty() ? 0 : *std::ranges::max_element(data.time);
  drawElided(painter,
             QRectF(rect.left() + 10, rect.top() + 2, rect.width() - 20, plot.top() - rect.top() - 4),
             Text::tr("%1 · %2 · colour: time at a value, up to %3")
                 .arg(data.title.isEmpty() ? Text::tr("metric") : data.title, data.rangeText,
                      formatDuration(Nanoseconds{maximum}, 3)));
  const int rows = static_cast<int>(data.objects.size()),
            lanes = std::max(1, std::min(rows, static_cast<int>(plot.height())));
  QImage image(data.bins, lanes, QImage::Format_RGB32);
  for (int lane = 0; lane < lanes; ++lane)
    for (int bin = 0; bin < data.bins; ++bin) {
      std::int64_t time = 0;
      for (int object = rows * lane / lanes; object < rows * (lane + 1) / lanes; ++object)
        time = std::max(time, data.at(object, bin));
      const double share = maximum > 0 ? std::sqrt(static_cast<double>(time) / static_cast<double>(maximum))
                                       : 0; // square root, so that rare values stay visible
      image.setPixelColor(bin, lane,
                          time > 0 ? sequentialColour(0.12 + 0.88 * share, style.theme) : style.lane);
    }
  painter.drawImage(plot, image);
  painter.setFont(style.font(FontRole::Small));
  painter.setPen(style.mutedText);
  const double height = plot.height() / std::max(rows, 1), line = metricsOf(painter.font()).height();
  const int step = std::max(1, static_cast<int>(std::ceil(line / height)));
  for (int object = 0; object < rows; object += step)
    drawElided(painter,
               QRectF(rect.left() + 10, plot.top() + object * height, plot.left() - rect.left() - 16,
                      std::max(height, line)),
               data.objects[object]);
  for (const auto& tick : niceTicks(data.low, data.high > data.low ? data.high : data.low + 1,
                                    std::max(2, static_cast<int>(plot.width() / 90)), data.unit)) {
    const double x = std::floor(plot.left() + tick.position * plot.width());
    drawHairline(painter, {x, plot.bottom()}, {x, plot.bottom() + 4}, style.mutedText);
    painter.setPen(style.mutedText);
    const double width = metricsOf(painter.font()).horizontalAdvance(tick.label) + 2;
    painter.drawText(
        QRectF(std::clamp(x - width / 2, rect.left(), std::max(rect.left(), rect.right() - width - 2)),
               plot.bottom() + 5, width, line + 2),
        Qt::AlignCenter, tick.label);
  }
  painter.setPen(style.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plot);
  painter.restore();
}

} // namespace metrics

MetricHistogramWidget::MetricHistogramWidget(QWidget* parent) : RasterView(parent) {
  setAccessibleName(tr("Histogram of a metric"));
  setMessage(tr("Choose Histogram in the menu of a metric"));
}

void MetricHistogramWidget::setData(MetricHistogram data) {
  if (data.time.size() != static_cast<std::size_t>(data.bins) * static_cast<std::size_t>(data.objects.size()))
    data = {};
  data_ = std::move(data);
  current_.reset();
  update();
}

QRectF MetricHistogramWidget::plot() const {
  return metrics::histogramPlot(rect(), data_, viewStyle());
}

QPointF MetricHistogramWidget::pointOf(int object, int bin) const {
  const auto area = plot();
  return {area.left() + (bin + 0.5) * area.width() / data_.bins,
          area.top() + (object + 0.5) * area.height() / static_cast<double>(data_.objects.size())};
}

std::optional<MetricHistogramWidget::Cell> MetricHistogramWidget::cellAt(QPointF at) const {
  const auto area = plot();
  if (data_.empty() || !area.contains(at)) return {};
  const auto rows = static_cast<int>(data_.objects.size());
  return Cell{std::min(static_cast<int>((at.y() - area.top()) / area.height() * rows), rows - 1),
              std::min(static_cast<int>((at.x() - area.left()) / area.width() * data_.bins), data_.bins - 1)};
}

QString MetricHistogramWidget::textOf(const Cell& cell) const {
  const auto time = data_.at(cell.object, cell.bin);
  return tr("%1\nvalue\t%2\ntime\t%3, %4 of the range\nA click selects these moments.")
      .arg(data_.objects[cell.object],
           formatRange(data_.edge(cell.bin), data_.edge(cell.bin + 1), data_.unit),
           formatDuration(Nanoseconds{time}),
           formatPercent(static_cast<double>(time) /
                         static_cast<double>(std::max<std::int64_t>(data_.range.length().count, 1))));
}

void MetricHistogramWidget::choose(const Cell& cell) {
  current_ = cell;
  update();
  if (data_.at(cell.object, cell.bin) > 0)
    emit cellChosen(cell.object, data_.edge(cell.bin),
                    cell.bin + 1 == data_.bins ? data_.high : data_.edge(cell.bin + 1));
}

void MetricHistogramWidget::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), viewStyle().background);
  if (data_.empty()) return paintOverlays(painter, false);
  metrics::paintHistogram(painter, rect(), data_, viewStyle());
  if (current_) {
    const auto area = plot();
    const double wide = area.width() / data_.bins,
                 high = area.height() / static_cast<double>(data_.objects.size());
    painter.setPen(QPen(viewStyle().focus, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(
        QRectF(area.left() + current_->bin * wide, area.top() + current_->object * high, wide, high));
  }
  paintOverlays(painter, true);
}

void MetricHistogramWidget::mouseMoveEvent(QMouseEvent* event) {
  if (const auto cell = cellAt(event->position()))
    showHoverCard(event->position(), textOf(*cell));
  else
    hideHoverCard();
}

void MetricHistogramWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position())) choose(*cell);
}

void MetricHistogramWidget::keyPressEvent(QKeyEvent* event) {
  if (data_.empty()) return RasterView::keyPressEvent(event);
  Cell cell = current_.value_or(Cell{});
  switch (event->key()) {
  case Qt::Key_Left:
    --cell.bin;
    break;
  case Qt::Key_Right:
    ++cell.bin;
    break;
  case Qt::Key_Up:
    --cell.object;
    break;
  case Qt::Key_Down:
    ++cell.object;
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    return choose(cell);
  default:
    return RasterView::keyPressEvent(event);
  }
  current_ = Cell{std::clamp(cell.object, 0, static_cast<int>(data_.objects.size()) - 1),
                  std::clamp(cell.bin, 0, data_.bins - 1)};
  showHoverCard(pointOf(current_->object, current_->bin), textOf(*current_));
  update();
}

} // namespace jitterscope::views
