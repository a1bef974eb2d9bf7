#include "views/bins/bins_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/bins/bins_painter.h"

namespace jitterscope::views {

BinsStrip::BinsStrip(BinsModel* model, QWidget* parent) : RasterView(parent), model_(model) {
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Bins over time"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
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
  // A kept bin two pixels away is what was meant.
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
  paintOverlays(painter, true);
}

void BinsStrip::mousePressEvent(QMouseEvent* event) {
  const auto bin = event->button() == Qt::LeftButton ? binAt(event->position()) : std::nullopt;
  if (bin) emit binClicked(*bin);
}

void BinsStrip::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto bin = event->button() == Qt::LeftButton ? binAt(event->position()) : std::nullopt;
  if (bin) emit binDoubleClicked(*bin);
}

void BinsStrip::mouseMoveEvent(QMouseEvent* event) {
  const auto bin = binAt(event->position());
  const auto row = bin ? model_->rowOf(*bin) : std::nullopt;
  setToolTip(row ? model_->index(*row, 0).data(Qt::ToolTipRole).toString() : QString());
}

} // namespace jitterscope::views
