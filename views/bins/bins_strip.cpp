#include "views/bins/bins_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/painting.h"
#include "views/bins/bins_painter.h"

namespace jitterscope::views {

BinsStrip::BinsStrip(BinsModel* model, QWidget* parent) : RasterView(parent), model_(model) {
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Bins over time"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
}

void BinsStrip::setSelected(std::optional<std::uint32_t> binIndex) {
  if (selected_ == binIndex) return;
  selected_ = binIndex;
  update();
}

QPointF BinsStrip::pointOf(std::uint32_t binIndex) const {
  const auto row = model_->rowOf(binIndex);
  const QRectF plot = bins::stripPlot(rect(), viewStyle());
  if (!row) return plot.center();
  const Interval bin = model_->intervalOf(*row);
  const Interval span = model_->bins().span;
  const double middle =
      static_cast<double>((bin.begin - span.begin).count) + static_cast<double>(bin.length().count) / 2;
  return {plot.left() + plot.width() * middle / static_cast<double>(span.length().count), plot.center().y()};
}

std::optional<std::uint32_t> BinsStrip::binAt(QPointF position) const {
  const QRectF plot = bins::stripPlot(rect(), viewStyle());
  const int columns = std::max(1, static_cast<int>(plot.width()));
  const auto strip = stripColumns(model_->bins(), columns);
  const int x = static_cast<int>(position.x() - plot.left());
  // A kept bin up to two pixels away takes precedence.
  for (const int step : {0, -1, 1, -2, 2}) {
    const int at = x + step;
    if (at >= 0 && at < columns && strip[static_cast<std::size_t>(at)].kept)
      return strip[static_cast<std::size_t>(at)].index;
  }
  if (x < 0 || x >= columns || !strip[static_cast<std::size_t>(x)].present) return {};
  return strip[static_cast<std::size_t>(x)].index;
}

void BinsStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (model_->rowCount() == 0) {
    painter.fillRect(rect(), viewStyle().background);
    paintOverlays(painter, false);
    return;
  }
  bins::paintStrip(painter, rect(), *model_, viewStyle(), selected_);
  if (const auto x = cursorX()) {
    QColor line = viewStyle().text;
    line.setAlpha(140);
    drawHairline(painter, {std::floor(*x), 0}, {std::floor(*x), static_cast<double>(height())}, line);
  }
  paintOverlays(painter, true);
}

bool BinsStrip::onThreshold(QPointF position) const {
  const auto y = bins::thresholdY(rect(), *model_, viewStyle());
  return y && std::abs(position.y() - *y) <= 3;
}

void BinsStrip::moveThreshold(double y) {
  const QRectF plot = bins::stripPlot(rect(), viewStyle());
  const double value = std::clamp((plot.bottom() - y) / plot.height(), 0.0, 1.0) * model_->greatest();
  const auto count = model_->countFrom(value);
  if (count == model_->keptCount()) return;
  model_->setKeptCount(count);
  update();
  emit keptCountMoved();
}

void BinsStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && onThreshold(event->position())) {
    movesThreshold_ = true;
    return;
  }
  const auto bin = event->button() == Qt::LeftButton ? binAt(event->position()) : std::nullopt;
  if (bin) emit binClicked(*bin);
}

void BinsStrip::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !movesThreshold_) return;
  movesThreshold_ = false;
  emit keptCountChosen(static_cast<std::uint32_t>(model_->keptCount()));
}

void BinsStrip::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto bin = event->button() == Qt::LeftButton ? binAt(event->position()) : std::nullopt;
  if (bin) emit binDoubleClicked(*bin);
}

std::optional<double> BinsStrip::cursorX() const {
  if (!cursor_ || model_->rowCount() == 0) return std::nullopt;
  const QRectF plot = bins::stripPlot(rect(), viewStyle());
  const Interval span = model_->bins().span;
  if (span.empty() || *cursor_ < span.begin || *cursor_ > span.end) return std::nullopt;
  return plot.left() + plot.width() * static_cast<double>((*cursor_ - span.begin).count) /
                           static_cast<double>(span.length().count);
}

// Repaints only the columns of the hairline.
void BinsStrip::moveCursor(std::optional<Nanoseconds> time) {
  const auto changed = [&] {
    if (const auto x = cursorX()) update(QRect(static_cast<int>(*x) - 2, 0, 5, height()));
  };
  if (time == cursor_) return;
  changed();
  cursor_ = time;
  changed();
}

void BinsStrip::setCursorTime(std::optional<Nanoseconds> time) {
  moveCursor(time);
}

void BinsStrip::leaveEvent(QEvent* event) {
  moveCursor(std::nullopt);
  emit cursorMoved(std::nullopt);
  RasterView::leaveEvent(event);
}

void BinsStrip::mouseMoveEvent(QMouseEvent* event) {
  if (movesThreshold_) return moveThreshold(event->position().y());
  setCursor(onThreshold(event->position()) ? Qt::SizeVerCursor : Qt::ArrowCursor);
  const QRectF plot = bins::stripPlot(rect(), viewStyle());
  const Interval span = model_->bins().span;
  if (!span.empty() && plot.width() > 0 && event->position().x() >= plot.left() &&
      event->position().x() <= plot.right()) {
    const double share = (event->position().x() - plot.left()) / plot.width();
    moveCursor(span.begin +
               Nanoseconds{static_cast<std::int64_t>(share * static_cast<double>(span.length().count))});
    emit cursorMoved(cursor_);
  }
  const auto bin = binAt(event->position());
  const auto row = bin ? model_->rowOf(*bin) : std::nullopt;
  setToolTip(row ? model_->index(*row, 0).data(Qt::ToolTipRole).toString() : QString());
}

} // namespace jitterscope::views
