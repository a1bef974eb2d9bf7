#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>

#include "views/model/model_widget.h"

namespace jitterscope::views {

using model::Chart;

ModelCanvas::ModelCanvas(QWidget* parent) : RasterView(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Performance model"));
}

void ModelCanvas::setData(ModelData data) {
  data_ = std::move(data);
  marked_ = {};
  if (device_ >= data_.devices.size()) device_ = 0;
  relayout();
}

void ModelCanvas::setChart(Chart chart, std::size_t device) {
  if (chart != chart_) first_ = 0, marked_.current.reset(), hideHoverCard();
  const bool kinds = (chart == Chart::Messages || chart == Chart::Run) !=
                     (chart_ == Chart::Messages || chart_ == Chart::Run);
  if (kinds) marked_.chosen.clear();
  chart_ = chart, device_ = device;
  relayout();
}

void ModelCanvas::setChosen(std::vector<int> chosen) {
  marked_.chosen = std::move(chosen);
  update();
}

void ModelCanvas::setCurrent(std::optional<int> index) {
  if (index == marked_.current) return;
  marked_.current = index;
  if (!index) hideHoverCard();
  update();
}

void ModelCanvas::relayout() {
  layout_ = model::layoutOf(data_, chart_, rect(), viewStyle(), device_, first_);
  update();
}

void ModelCanvas::styleChanged() {
  relayout();
}

void ModelCanvas::resizeEvent(QResizeEvent*) {
  relayout();
}

void ModelCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const bool content = !layout_.marks.empty();
  if (content || message().isEmpty())
    model::paint(painter, rect(), data_, chart_, viewStyle(), device_, first_, marked_);
  else
    painter.fillRect(rect(), viewStyle().background);
  paintOverlays(painter, content);
}

void ModelCanvas::mouseMoveEvent(QMouseEvent* event) {
  const auto mark = layout_.at(event->position());
  setCursor(mark ? Qt::PointingHandCursor : Qt::ArrowCursor);
  setCurrent(mark ? std::optional(layout_.marks[*mark].index) : std::nullopt);
  if (mark) showHoverCard(event->position(), model::cardOf(data_, chart_, layout_.marks[*mark].index));
}

void ModelCanvas::leaveEvent(QEvent* event) {
  setCurrent({});
  RasterView::leaveEvent(event);
}

void ModelCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto mark = layout_.at(event->position()))
    emit chosen(layout_.marks[*mark].index);
  else
    emit cleared();
}

void ModelCanvas::scroll(int lines) {
  const int maximum = first_ + layout_.hidden;
  const int first = std::clamp(first_ + lines, 0, maximum);
  if (first == first_) return;
  first_ = first;
  relayout();
}

void ModelCanvas::wheelEvent(QWheelEvent* event) {
  if (chart_ != Chart::Errors) return RasterView::wheelEvent(event);
  scroll(event->angleDelta().y() < 0 ? 3 : -3);
  event->accept();
}

// Steps in layout order: from the left for points, from the top for lines.
void ModelCanvas::step(int by) {
  if (layout_.marks.empty()) return;
  std::vector<std::size_t> order(layout_.marks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const bool lines = !layout_.marks.front().line.isEmpty();
  if (!lines)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return layout_.marks[a].at.x() < layout_.marks[b].at.x();
    });
  int at = by > 0 ? -1 : static_cast<int>(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (marked_.current == layout_.marks[order[i]].index) at = static_cast<int>(i);
  at += by;
  if (lines && (at < 0 || at >= static_cast<int>(order.size()))) {
    scroll(by);
    at = std::clamp(at, 0, static_cast<int>(layout_.marks.size()) - 1);
  }
  at = std::clamp(at, 0, static_cast<int>(order.size()) - 1);
  const auto& mark = layout_.marks[order[static_cast<std::size_t>(at)]];
  setCurrent(mark.index);
  showHoverCard(mark.at, model::cardOf(data_, chart_, mark.index));
  emit reached(mark.index);
}

void ModelCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Right) return step(1);
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Left) return step(-1);
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && marked_.current)
    return void(emit chosen(*marked_.current));
  RasterView::keyPressEvent(event);
}

} // namespace jitterscope::views
