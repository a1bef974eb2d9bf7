#include "views/metrics/metrics_canvas.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/base/painting.h"
#include "views/metrics/metrics_painter.h"

namespace jitterscope::views {

MetricsCanvas::MetricsCanvas(QWidget* parent) : RasterView(parent) {
  setAccessibleName(tr("Metrics"));
  highlight_.setSingleShot(true);
  highlight_.setInterval(1500);
  connect(&highlight_, &QTimer::timeout, this, [this] {
    highlighted_ = -1;
    update();
  });
}

void MetricsCanvas::relayout() {
  const int before = pixelColumns();
  model_.layout(rect(), viewStyle());
  emit laidOut();
  if (pixelColumns() != before) emit columnsChanged();
  update();
}

int MetricsCanvas::pixelColumns() const {
  return std::max(1, static_cast<int>(model_.viewport.width() * devicePixelRatioF()));
}

void MetricsCanvas::setSpan(Interval span) {
  model_.viewport.setSpan(span);
  update();
}

void MetricsCanvas::setWindow(Interval window) {
  if (window == model_.viewport.window()) return;
  model_.viewport.setWindow(window);
  if (drag_ == Drag::None) hideHoverCard(); // other content is below a resting pointer
  if (pointer_ && drag_ == Drag::None) moveCursor(timeAt(pointer_->x()));
  update();
}

void MetricsCanvas::setBrush(std::optional<Interval> brush) {
  if (brush == model_.brush) return;
  model_.brush = brush;
  update();
}

void MetricsCanvas::setMoments(std::vector<Interval> moments) {
  if (moments == model_.moments) return;
  model_.moments = std::move(moments);
  update();
}

void MetricsCanvas::setPanels(std::vector<MetricPanel> panels) {
  model_.panels = std::move(panels);
  shown_ = highlighted_ = -1;
  current_ = std::clamp(current_, 0, std::max(0, static_cast<int>(model_.panels.size()) - 1));
  relayout();
}

void MetricsCanvas::setPanel(int panel, MetricPanel content) {
  model_.panels[static_cast<std::size_t>(panel)] = std::move(content);
  relayout();
  if (panel != shown_) return;
  shown_ = -1;
  scrollTo(panel);
}

void MetricsCanvas::setScroll(double scroll) {
  if (scroll == model_.scroll) return;
  model_.scroll = scroll;
  relayout();
}

void MetricsCanvas::setCurrent(int panel) {
  if (panel == current_ || panel < 0 || panel >= static_cast<int>(model_.panels.size())) return;
  current_ = panel;
  update();
  emit currentChanged(panel);
}

void MetricsCanvas::scrollTo(int panel) {
  setScroll(model_.scrollTo(panel, height()));
}

void MetricsCanvas::showPanel(int panel) {
  if (panel < 0 || panel >= static_cast<int>(model_.panels.size())) return;
  setCurrent(panel);
  shown_ = highlighted_ = panel;
  highlight_.start();
  scrollTo(panel);
  update();
}

void MetricsCanvas::setStale(bool stale) {
  if (stale == stale_) return;
  stale_ = stale;
  hideHoverCard();
  update();
}

QPointF MetricsCanvas::pointOf(int panel, int lane) const {
  const auto& place = model_.places[static_cast<std::size_t>(panel)];
  return {model_.gutter + model_.viewport.width() / 2,
          place.top + place.header + (lane + 0.5) * place.lane() - model_.scroll};
}

bool MetricsCanvas::inPlot(QPointF at) const {
  return at.x() >= model_.gutter;
}

void MetricsCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (model_.panels.empty()) {
    painter.fillRect(rect(), viewStyle().background);
    return paintOverlays(painter, false);
  }
  metrics::paint(painter, rect(), model_, viewStyle());
  if (current_ < static_cast<int>(model_.places.size()) && model_.panels.size() > 1) {
    const auto& place = model_.places[static_cast<std::size_t>(current_)];
    painter.setClipRect(model_.plot(rect()).adjusted(-model_.gutter, 0, 0, 0));
    painter.fillRect(QRectF(0, place.top - model_.scroll, 3, place.bottom() - place.top), viewStyle().focus);
    if (highlighted_ == current_) {
      QColor tint = viewStyle().focus;
      tint.setAlpha(48);
      painter.fillRect(QRectF(0, place.top - model_.scroll, width(), place.header), tint);
    }
    painter.setClipping(false);
  }
  if (stale_) painter.fillRect(rect(), viewStyle().veil());
  paintOverlays(painter, true);
}

void MetricsCanvas::resizeEvent(QResizeEvent* event) {
  RasterView::resizeEvent(event);
  relayout();
}

void MetricsCanvas::zoom(double pixel, double factor) {
  model_.viewport.zoomAt(pixel, factor);
  update();
  emit windowChosen(model_.viewport.window());
}

void MetricsCanvas::wheelEvent(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  if (steps == 0 || model_.panels.empty()) return event->ignore();
  event->accept();
  if (inPlot(event->position())) return zoom(event->position().x() - model_.gutter, std::pow(0.8, steps));
  setScroll(model_.scroll - steps * 60);
}

void MetricsCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  setCurrent(model_.panelAt(event->position().y()));
  pressed_ = last_ = event->position();
  if (!inPlot(pressed_) || model_.laneAt(model_.panelAt(pressed_.y()), pressed_.y()) < 0) return;
  drag_ = event->modifiers() & Qt::ShiftModifier ? Drag::Brush : Drag::Pan;
}

void MetricsCanvas::mouseMoveEvent(QMouseEvent* event) {
  const auto at = event->position();
  if (drag_ == Drag::Pan) {
    if (at.x() == last_.x()) return;
    model_.viewport.panPixels(last_.x() - at.x());
    last_ = at;
    hideHoverCard();
    update();
    emit windowChosen(model_.viewport.window());
    return;
  }
  if (drag_ == Drag::Brush) {
    const auto a = timeAt(std::min(pressed_.x(), at.x())), b = timeAt(std::max(pressed_.x(), at.x()));
    model_.brush = Interval{a, std::max(b, a + Nanoseconds{1})};
    return update();
  }
  if (!inPlot(at) || model_.panels.empty()) {
    pointer_.reset();
    moveCursor(std::nullopt);
    const auto name = metrics::nameText(model_, at.y());
    return name.isEmpty() ? hideHoverCard() : showHoverCard(at, name);
  }
  pointer_ = at;
  moveCursor(timeAt(at.x()));
  const int panel = model_.panelAt(at.y());
  const auto text = metrics::hoverText(model_, panel, model_.laneAt(panel, at.y()), timeAt(at.x()));
  if (text.isEmpty())
    hideHoverCard();
  else
    showHoverCard(at, text);
}

void MetricsCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const auto drag = std::exchange(drag_, Drag::None);
  const bool moved = std::abs(event->position().x() - pressed_.x()) > 3;
  if (drag == Drag::Brush && moved && model_.brush) emit brushed(*model_.brush);
  if (drag == Drag::Brush && !moved) emit brushCleared();
}

void MetricsCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const int panel = model_.panelAt(event->position().y()), lane = model_.laneAt(panel, event->position().y());
  if (panel >= 0 && lane < 0) emit editRequested(panel);
  if (panel >= 0 && lane >= 0) emit objectChosen(panel, model_.objectsOf(panel, lane).first);
}

void MetricsCanvas::contextMenuEvent(QContextMenuEvent* event) {
  const bool keyboard = event->reason() == QContextMenuEvent::Keyboard;
  const int panel = keyboard ? current_ : model_.panelAt(event->pos().y());
  if (panel >= 0) setCurrent(panel);
  hideHoverCard();
  emit menuRequested(model_.panels.empty() ? -1 : panel, event->globalPos());
}

void MetricsCanvas::keyPressEvent(QKeyEvent* event) {
  const double middle = model_.viewport.width() / 2;
  switch (event->key()) {
  case Qt::Key_W:
    return zoom(middle, 0.7);
  case Qt::Key_S:
    return zoom(middle, 1 / 0.7);
  case Qt::Key_A:
  case Qt::Key_Left:
  case Qt::Key_D:
  case Qt::Key_Right: {
    const bool back = event->key() == Qt::Key_A || event->key() == Qt::Key_Left;
    model_.viewport.panPixels((back ? -0.2 : 0.2) * model_.viewport.width());
    update();
    return emit windowChosen(model_.viewport.window());
  }
  case Qt::Key_Up:
  case Qt::Key_Down: {
    const int panel = current_ + (event->key() == Qt::Key_Up ? -1 : 1);
    if (panel < 0 || panel >= static_cast<int>(model_.panels.size())) return;
    setCurrent(panel);
    return scrollTo(panel);
  }
  case Qt::Key_PageUp:
  case Qt::Key_PageDown:
    return setScroll(model_.scroll + (event->key() == Qt::Key_PageUp ? -1 : 1) * height() * 0.8);
  case Qt::Key_Delete:
    if (!model_.panels.empty()) emit removeRequested(current_);
    return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (!model_.panels.empty()) emit editRequested(current_);
    return;
  default:
    RasterView::keyPressEvent(event);
  }
}

void MetricsCanvas::moveCursor(std::optional<Nanoseconds> time) {
  if (time == model_.cursor) return;
  setCursorTime(time);
  emit cursorMoved(time);
}

void MetricsCanvas::setCursorTime(std::optional<Nanoseconds> time) {
  if (time == model_.cursor) return;
  model_.cursor = time;
  update();
}

void MetricsCanvas::leaveEvent(QEvent* event) {
  pointer_.reset();
  moveCursor(std::nullopt);
  RasterView::leaveEvent(event);
}

} // namespace jitterscope::views
