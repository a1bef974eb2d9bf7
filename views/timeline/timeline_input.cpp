// Mouse and keys of the timeline: turns them into moves of the window and into intents.

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_widget.h"

namespace jitterscope::views {

namespace {
constexpr double kZoomStep = 0.8;
constexpr double kClickSlack = 4;
} // namespace

void TimelineWidget::zoomAtPointer(double factor) {
  const double left = model_.geometry.headerWidth;
  const bool inside = last_.x() >= left && underMouse();
  model_.viewport.zoomAt(inside ? last_.x() - left : model_.viewport.width() / 2, factor);
  windowMoved(true);
}

void TimelineWidget::zoomIn() {
  zoomAtPointer(kZoomStep * kZoomStep);
}

void TimelineWidget::zoomOut() {
  zoomAtPointer(1 / (kZoomStep * kZoomStep));
}

void TimelineWidget::focusSelection() {
  if (model_.selectedInterval) {
    model_.viewport.zoomTo(*model_.selectedInterval, 1.0);
  } else if (model_.brush) {
    model_.viewport.zoomTo(*model_.brush, 0);
  } else if (model_.selectedBin) {
    model_.viewport.zoomTo(*model_.selectedBin, 0);
  } else {
    return;
  }
  windowMoved(true);
}

void TimelineWidget::showAll() {
  model_.viewport.setWindow(model_.viewport.span());
  windowMoved(true);
}

void TimelineWidget::wheelEvent(QWheelEvent* event) {
  if (model_.empty()) return;
  const QPointF position = event->position();
  const QPoint delta = event->angleDelta();
  last_ = position;
  const bool overHeader = position.x() < model_.geometry.headerWidth;
  if ((event->modifiers() & Qt::ControlModifier) != 0 || overHeader) {
    scrollBar_->setValue(scrollBar_->value() - delta.y() / 2);
  } else if ((event->modifiers() & Qt::ShiftModifier) != 0 || delta.x() != 0) {
    const int by = delta.x() != 0 ? delta.x() : delta.y();
    model_.viewport.panPixels(-by);
    windowMoved(true);
  } else if (delta.y() != 0) {
    model_.viewport.zoomAt(position.x() - model_.geometry.headerWidth,
                           std::pow(kZoomStep, delta.y() / 120.0));
    windowMoved(true);
  }
  event->accept();
}

void TimelineWidget::keyPressEvent(QKeyEvent* event) {
  if (model_.empty() || (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0) {
    RasterView::keyPressEvent(event);
    return;
  }
  const double step = model_.viewport.width() / 8;
  switch (event->key()) {
  case Qt::Key_W:
  case Qt::Key_Plus:
    zoomIn();
    return;
  case Qt::Key_S:
  case Qt::Key_Minus:
    zoomOut();
    return;
  case Qt::Key_A:
  case Qt::Key_Left:
    model_.viewport.panPixels(-step);
    break;
  case Qt::Key_D:
  case Qt::Key_Right:
    model_.viewport.panPixels(step);
    break;
  case Qt::Key_F:
    focusSelection();
    return;
  case Qt::Key_Home:
    showAll();
    return;
  case Qt::Key_Up:
    scrollBar_->setValue(scrollBar_->value() - scrollBar_->singleStep());
    return;
  case Qt::Key_Down:
    scrollBar_->setValue(scrollBar_->value() + scrollBar_->singleStep());
    return;
  case Qt::Key_PageUp:
    scrollBar_->setValue(scrollBar_->value() - scrollBar_->pageStep());
    return;
  case Qt::Key_PageDown:
    scrollBar_->setValue(scrollBar_->value() + scrollBar_->pageStep());
    return;
  case Qt::Key_M:
    emit flagRequested(model_.cursor.value_or(model_.viewport.timeAt(model_.viewport.width() / 2)));
    return;
  case Qt::Key_Escape:
    if (!model_.brush) break;
    model_.brush.reset();
    update();
    emit brushCleared();
    return;
  default:
    RasterView::keyPressEvent(event);
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    RasterView::keyPressEvent(event);
    return;
  }
  windowMoved(true);
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
  if (model_.empty() || event->button() != Qt::LeftButton) return;
  pressed_ = last_ = event->position();
  moved_ = false;
  hideHoverCard();
  const TimelineHit hit = model_.hitTest(pressed_);
  if (hit.area == TimelineArea::Overview) {
    drag_ = Drag::Overview;
    moveOverview(pressed_.x());
  } else if (hit.area == TimelineArea::Axis || hit.area == TimelineArea::Lane ||
             hit.area == TimelineArea::None) {
    const bool brush = (event->modifiers() & Qt::ShiftModifier) != 0 || hit.area == TimelineArea::Axis;
    drag_ = brush ? Drag::Brush : Drag::Pan;
    brushAnchor_ = model_.timeAtX(std::max(pressed_.x(), model_.geometry.headerWidth));
  }
}

void TimelineWidget::moveOverview(double x) {
  const Nanoseconds middle = model_.overviewTimeAt(x);
  const std::int64_t half = model_.viewport.window().length().count / 2;
  model_.viewport.setWindow(
      {{middle.count - half}, {middle.count - half + model_.viewport.window().length().count}});
  windowMoved(true);
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  const bool far = (position - pressed_).manhattanLength() >= kClickSlack;
  if (drag_ != Drag::None && far) moved_ = true;
  if (drag_ == Drag::None || !moved_) {
    last_ = position;
    if (drag_ == Drag::None) hover(position);
    return;
  }
  if (drag_ == Drag::Pan) {
    model_.viewport.panPixels(last_.x() - position.x());
    if (position.y() != last_.y())
      scrollBar_->setValue(scrollBar_->value() + static_cast<int>(last_.y() - position.y()));
    windowMoved(true);
  } else if (drag_ == Drag::Overview) {
    moveOverview(position.x());
  } else {
    const QRectF lanes = model_.lanesRect();
    const Nanoseconds now = model_.timeAtX(std::clamp(position.x(), lanes.left(), lanes.right()));
    model_.brush = Interval{std::min(brushAnchor_, now), std::max(brushAnchor_, now)};
    update();
  }
  last_ = position;
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Drag drag = drag_;
  drag_ = Drag::None;
  if (drag == Drag::Brush && moved_ && model_.brush && !model_.brush->empty()) {
    emit brushed(*model_.brush);
  } else if (drag == Drag::Brush && !moved_ && model_.brush) {
    model_.brush.reset();
    update();
    emit brushCleared();
  } else if (!moved_ && drag != Drag::Overview && !model_.empty()) {
    click(event->position());
  }
}

void TimelineWidget::click(QPointF position) {
  const TimelineHit hit = model_.hitTest(position);
  const auto track = hit.track < 0 ? nullptr : &model_.tracks()[static_cast<std::size_t>(hit.track)];
  if (hit.area == TimelineArea::Toggle) {
    const bool collapse = !model_.collapsed(track->id);
    setTrackCollapsed(track->id, collapse);
    emit trackToggled(track->id, collapse);
  } else if (hit.area == TimelineArea::Lane && hit.bar != nullptr) {
    const TimelineBar bar = *hit.bar;
    setSelection(track->id, bar.row, {bar.begin, bar.end});
    emit launchClicked(track->id, bar.row, {bar.begin, bar.end});
  } else if (hit.area == TimelineArea::Lane && hit.cell != nullptr) {
    emit foldClicked(track->id, hit.cellInterval);
  } else if (hit.area == TimelineArea::Lane || hit.area == TimelineArea::None) {
    clearSelection();
    emit backgroundClicked();
  }
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || model_.empty()) return;
  const TimelineHit hit = model_.hitTest(event->position());
  drag_ = Drag::None;
  if (hit.area == TimelineArea::Header && model_.hasChildren(hit.track)) {
    const std::uint32_t id = model_.tracks()[static_cast<std::size_t>(hit.track)].id;
    setTrackCollapsed(id, !model_.collapsed(id));
    emit trackToggled(id, model_.collapsed(id));
  } else if (hit.bar != nullptr) {
    model_.viewport.zoomTo({hit.bar->begin, hit.bar->end}, 1.0);
    windowMoved(true);
  } else if (hit.cell != nullptr) {
    model_.viewport.zoomAt(event->position().x() - model_.geometry.headerWidth, 0.1);
    windowMoved(true);
  } else if (hit.area == TimelineArea::Overview) {
    showAll();
  }
}

void TimelineWidget::hover(QPointF position) {
  if (model_.empty()) return;
  const TimelineHit hit = model_.hitTest(position);
  const bool timed = hit.area == TimelineArea::Lane || hit.area == TimelineArea::Axis;
  model_.cursor = timed ? std::optional<Nanoseconds>(hit.time) : std::nullopt;
  setCursor(hit.area == TimelineArea::Toggle ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
  if (hit.area == TimelineArea::Header) {
    const TimelineTrack& track = model_.tracks()[static_cast<std::size_t>(hit.track)];
    hoverTrack_ = kNoName;
    showHoverCard(position, track.details.isEmpty() ? track.label : track.details);
    return;
  }
  if (hit.area != TimelineArea::Lane || (hit.bar == nullptr && hit.cell == nullptr)) {
    hoverTrack_ = kNoName;
    hideHoverCard();
    return;
  }
  const std::uint32_t track = model_.tracks()[static_cast<std::size_t>(hit.track)].id;
  const std::uint64_t row = hit.bar != nullptr ? hit.bar->row : kNoRow;
  if (track == hoverTrack_ && row == hoverRow_ && hit.bar != nullptr) {
    if (!hoverText().isEmpty()) showHoverCard(position, hoverText());
    return;
  }
  hideHoverCard();
  hoverTrack_ = track;
  hoverRow_ = row;
  emit hoverDetailsRequested(track, hit.time, row);
}

void TimelineWidget::leaveEvent(QEvent* event) {
  model_.cursor.reset();
  hoverTrack_ = kNoName;
  update();
  RasterView::leaveEvent(event);
}

} // namespace jitterscope::views
