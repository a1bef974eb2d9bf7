#include "views/metrics/metric_histogram.h"

#include <QComboBox>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "views/base/colour_maps.h"
#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"
#include "views/base/ticks.h"

namespace jitterscope::views {
namespace metrics {
namespace {

struct Limits {
  double low = 0, high = 0;
};

/// Values of the ends of the colour scale: amounts begin at 0.
Limits coloursOf(const MetricHistogram& data) {
  Limits limits{data.amounts ? 0 : std::numeric_limits<double>::infinity(),
                data.amounts ? 0 : -std::numeric_limits<double>::infinity()};
  for (const double value : data.values) {
    if (std::isnan(value)) continue;
    limits.low = std::min(limits.low, value);
    limits.high = std::max(limits.high, value);
  }
  return limits.low <= limits.high ? limits : Limits{};
}

} // namespace

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
  const auto [low, high] = coloursOf(data);
  drawElided(painter,
             QRectF(rect.left() + 10, rect.top() + 2, rect.width() - 20, plot.top() - rect.top() - 4),
             Text::tr("%1 · %2 · colour: %3, %4")
                 .arg(data.title.isEmpty() ? Text::tr("metric") : data.title, data.rangeText, data.shown,
                      formatRange(low, high, data.shownUnit)));
  const int rows = static_cast<int>(data.objects.size()),
            lanes = std::max(1, std::min(rows, static_cast<int>(plot.height())));
  QImage image(data.bins, lanes, QImage::Format_RGB32);
  for (int lane = 0; lane < lanes; ++lane)
    for (int bin = 0; bin < data.bins; ++bin) {
      double value = std::numeric_limits<double>::quiet_NaN();
      for (int object = rows * lane / lanes; object < rows * (lane + 1) / lanes; ++object)
        if (data.at(object, bin) > 0) value = std::fmax(value, data.values[data.place(object, bin)]);
      const double share = high > low ? (value - low) / (high - low) : 1;
      // Of amounts the square root, so that rare values stay visible.
      image.setPixelColor(
          bin, lane,
          std::isnan(value)
              ? style.lane
              : sequentialColour(0.12 + 0.88 * (data.amounts ? std::sqrt(share) : share), style.theme));
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
  const auto cells = static_cast<std::size_t>(data.bins) * static_cast<std::size_t>(data.objects.size());
  if (data.time.size() != cells || data.values.size() != cells) data = {};
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
  const double value = data_.values[data_.place(cell.object, cell.bin)];
  QString text =
      tr("%1\nvalue\t%2\ntime\t%3, %4 of the range\n")
          .arg(data_.objects[cell.object],
               formatRange(data_.edge(cell.bin), data_.edge(cell.bin + 1), data_.unit),
               formatDuration(Nanoseconds{time}),
               formatPercent(static_cast<double>(time) /
                             static_cast<double>(std::max<std::int64_t>(data_.range.length().count, 1))));
  if (!std::isnan(value)) text += tr("%1\t%2\n").arg(data_.shown, formatValue(value, data_.shownUnit));
  text += totalsOf(cell.bin);
  return time > 0 ? text + tr("A click selects these moments.") : text.trimmed();
}

/// Paraver's totals of a column over the objects; average / maximum is the load balance.
QString MetricHistogramWidget::totalsOf(int bin) const {
  double sum = 0, maximum = -std::numeric_limits<double>::infinity();
  int counted = 0;
  for (int object = 0; object < static_cast<int>(data_.objects.size()); ++object) {
    double value = data_.values[data_.place(object, bin)];
    if (data_.amounts && std::isnan(value)) value = 0;
    if (std::isnan(value)) continue;
    sum += value;
    maximum = std::max(maximum, value);
    ++counted;
  }
  if (counted < 2) return {};
  const double average = sum / counted;
  QString text = tr("average of %1\t%2\nmaximum\t%3\n")
                     .arg(formatCount(static_cast<std::uint64_t>(counted)),
                          formatValue(average, data_.shownUnit), formatValue(maximum, data_.shownUnit));
  if (data_.amounts && maximum > 0)
    text += tr("average / maximum\t%1\n").arg(formatPercent(average / maximum));
  return text;
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

MetricHistogramView::MetricHistogramView(QWidget* parent)
    : QWidget(parent), plot_(new MetricHistogramWidget(this)), statistic_(new QComboBox(this)),
      data_(new QComboBox(this)) {
  statistic_->setToolTip(tr("What the colour of a cell shows"));
  statistic_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  data_->setToolTip(tr("Metric of which the colour shows the average, minimum or maximum"));
  data_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  data_->setMinimumContentsLength(12);
  auto* colour = new QLabel(tr("Colour"), this);
  colour->setBuddy(statistic_);
  auto* of = new QLabel(tr("of"), this);
  of->setBuddy(data_);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(6, 4, 6, 4);
  tools->setSpacing(6);
  for (QWidget* widget : std::initializer_list<QWidget*>{colour, statistic_, of, data_})
    tools->addWidget(widget);
  tools->addStretch(1);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(tools);
  all->addWidget(plot_, 1);
}

} // namespace jitterscope::views
