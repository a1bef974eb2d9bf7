#include "views/heatmap/heat_map_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <algorithm>

#include "views/base/painting.h"
#include "views/heatmap/heat_map_chart.h"
#include "views/heatmap/heat_map_painter.h"

namespace jitterscope::views {

HeatMapWidget::HeatMapWidget(QWidget* parent) : VtkHost(parent) {
  setAccessibleName(tr("Heat map"));
  setFocusPolicy(Qt::StrongFocus);
  setMessage(tr("Open a trace to begin"));
}

HeatMapWidget::~HeatMapWidget() = default;

bool HeatMapWidget::hasContent() const {
  return !model_.data.empty();
}

QSize HeatMapWidget::cells() const {
  return {std::clamp(width() / 3, 20, 1'000), std::clamp(height() / 5, 10, 200)};
}

void HeatMapWidget::setData(HeatMapData content) {
  model_.data = std::move(content);
  brushed_ = false;
  setMessage(
      model_.data.empty()
          ? tr("No selected launch has values of both columns. Change the range, the filter or a column.")
          : QString());
  model_.plot = heat_map::plotRect(rect(), model_.data, viewStyle());
  cells_ = cells();
  sceneChanged();
}

void HeatMapWidget::styleChanged() {
  model_.plot = heat_map::plotRect(rect(), model_.data, viewStyle());
  VtkHost::styleChanged();
}

void HeatMapWidget::resizeEvent(QResizeEvent* event) {
  model_.plot = heat_map::plotRect(rect(), model_.data, viewStyle());
  VtkHost::resizeEvent(event);
  if (cells() != cells_) emit cellsChanged();
}

void HeatMapWidget::prepareScene(const QSize& /*size*/) {
  if (!chart_) chart_ = std::make_unique<HeatMapChart>(scene());
  chart_->build(model_, viewStyle(), devicePixelRatioF(), height());
}

void HeatMapWidget::paintFallback(QPainter& painter, const QRectF& rect) {
  heat_map::paint(painter, rect, model_.data, viewStyle());
}

void HeatMapWidget::paintOver(QPainter& painter) {
  if (vtkAvailable()) heat_map::paintLegend(painter, rect(), model_, viewStyle());
  if (const auto x = cursorX()) {
    QColor line = viewStyle().text;
    line.setAlpha(140);
    drawHairline(painter, {std::floor(*x), model_.plot.top()}, {std::floor(*x), model_.plot.bottom()}, line);
  }
  if (!brushed_) return;
  QColor fill = viewStyle().focus;
  fill.setAlpha(46);
  painter.fillRect(brushRect(), fill);
  painter.setPen(QPen(viewStyle().focus, 1));
  painter.drawRect(brushRect());
}

std::optional<double> HeatMapWidget::cursorX() const {
  if (!cursor_ || !hasContent() || *cursor_ < model_.data.window.begin || *cursor_ > model_.data.window.end)
    return std::nullopt;
  return model_.xAt(*cursor_);
}

// Repaints only the columns of the hairline.
void HeatMapWidget::setCursorTime(std::optional<Nanoseconds> time) {
  if (time == cursor_) return;
  const auto repaint = [&] {
    if (const auto x = cursorX()) update(QRect(static_cast<int>(*x) - 2, 0, 5, height()));
  };
  repaint();
  cursor_ = time;
  repaint();
}

void HeatMapWidget::leaveEvent(QEvent* event) {
  setCursorTime(std::nullopt);
  emit cursorMoved(std::nullopt);
  VtkHost::leaveEvent(event);
}

QRectF HeatMapWidget::brushRect() const {
  return QRectF(from_, to_).normalized().intersected(model_.plot);
}

// Starts a rectangle around the cell with the most launches, a tenth of the plot wide and high.
void HeatMapWidget::beginKeyBrush() {
  const auto& counts = model_.data.counts;
  const int densest = static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const int columns = model_.data.columns, row = densest / columns;
  const QRectF& plot = model_.plot;
  const QPointF middle(plot.left() + (densest % columns + 0.5) / columns * plot.width(),
                       plot.bottom() - (row + 0.5) / model_.data.rows() * plot.height());
  const QPointF half(plot.width() / 20, plot.height() / 20);
  from_ = middle - half;
  to_ = middle + half;
  brushed_ = true;
}

// Arrow keys move the rectangle, with Shift its upper right corner; Enter selects its content.
bool HeatMapWidget::brushKey(int key, bool corner) {
  const QPointF step = QPointF(model_.plot.width(), model_.plot.height()) / 40;
  const QPointF by = key == Qt::Key_Left    ? QPointF(-step.x(), 0)
                     : key == Qt::Key_Right ? QPointF(step.x(), 0)
                     : key == Qt::Key_Up    ? QPointF(0, -step.y())
                     : key == Qt::Key_Down  ? QPointF(0, step.y())
                                            : QPointF();
  if (by.isNull()) return false;
  if (!brushed_) {
    beginKeyBrush();
  } else {
    QRectF area = QRectF(from_, to_).normalized();
    if (corner)
      area = QRectF(QPointF(area.left(), std::min(area.top() + by.y(), area.bottom() - step.y())),
                    QPointF(std::max(area.right() + by.x(), area.left() + step.x()), area.bottom()));
    else if (model_.plot.adjusted(-1, -1, 1, 1).contains(area.translated(by)))
      area.translate(by);
    from_ = area.topLeft();
    to_ = area.bottomRight();
  }
  update();
  return true;
}

void HeatMapWidget::reportBrush() {
  const QRectF area = brushRect();
  emit areaBrushed({model_.timeAt(area.left()), model_.timeAt(area.right())}, model_.valueAt(area.bottom()),
                   model_.valueAt(area.top()));
}

void HeatMapWidget::keyPressEvent(QKeyEvent* event) {
  const auto others = event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
  if (hasContent() && others == 0 && brushKey(event->key(), (event->modifiers() & Qt::ShiftModifier) != 0))
    return;
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && brushed_ && hasContent())
    return reportBrush();
  if (event->key() == Qt::Key_L && event->modifiers() == Qt::NoModifier && hasContent()) {
    emit logScaleRequested(!model_.data.logScale);
  } else if (event->key() == Qt::Key_Escape && brushed_) {
    brushed_ = false;
    update();
    emit brushCleared();
  } else {
    VtkHost::keyPressEvent(event);
  }
}

void HeatMapWidget::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !hasContent() || !model_.plot.contains(event->position())) return;
  dragging_ = true;
  hideHoverCard();
  from_ = to_ = event->position();
}

void HeatMapWidget::mouseMoveEvent(QMouseEvent* event) {
  if (!hasContent()) return;
  if (event->position().x() >= model_.plot.left() && event->position().x() <= model_.plot.right()) {
    setCursorTime(model_.timeAt(event->position().x()));
    emit cursorMoved(cursor_);
  }
  if (dragging_) {
    to_ = event->position();
    brushed_ = std::abs(to_.x() - from_.x()) >= 3 && std::abs(to_.y() - from_.y()) >= 3;
    update();
  } else if (const auto cell = model_.cellAt(event->position()); cell && model_.countAt(*cell) > 0) {
    showHoverCard(event->position(), model_.cellText(*cell));
  } else {
    hideHoverCard();
  }
}

void HeatMapWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !dragging_) return;
  dragging_ = false;
  if (brushed_) {
    reportBrush();
  } else {
    update();
    emit brushCleared();
  }
}

} // namespace jitterscope::views
