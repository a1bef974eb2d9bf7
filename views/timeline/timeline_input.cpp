// Mouse input of the timeline: changes the window and emits requests.

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/timeline/timeline_arrange.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_parts.h"
#include "views/timeline/why_strip.h"

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
    showTrack(model_.selectedTrack);
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
  const bool overMap = model_.mapRect().contains(position);
  const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
  const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
  if (control && (overHeader || overMap || shift)) {
    const int turned = delta.y() != 0 ? delta.y() : delta.x();
    scaleHeights(std::pow(kZoomStep, -turned / 120.0), position.y());
  } else if (control || overHeader || overMap) {
    scrollBar_->setValue(scrollBar_->value() - delta.y() / 2);
  } else if (shift || delta.x() != 0) {
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

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
  if (model_.empty() || event->button() != Qt::LeftButton) return;
  pressed_ = last_ = event->position();
  moved_ = false;
  hideHoverCard();
  if (onNamesEdge(pressed_))
    drag_ = Drag::Names;
  else
    beginDrag(model_.hitTest(pressed_), event->modifiers());
}

void TimelineWidget::beginDrag(const TimelineHit& hit, Qt::KeyboardModifiers modifiers) {
  dragTrack_ = hit.track;
  switch (hit.area) {
  case TimelineArea::Overview:
    drag_ = Drag::Overview;
    moveOverview(pressed_.x());
    return;
  case TimelineArea::Map:
    drag_ = Drag::Map;
    moveMap(pressed_.y());
    return;
  case TimelineArea::Border:
    drag_ = Drag::Height;
    dragHeight_ = model_.rows()[static_cast<std::size_t>(hit.row)].height;
    dragPinned_ = model_.rows()[static_cast<std::size_t>(hit.row)].pinned;
    return;
  case TimelineArea::Header:
    if (model_.merges() && !model_.rows()[static_cast<std::size_t>(hit.row)].pinned) return;
    drag_ = Drag::Order;
    dragPinned_ = model_.rows()[static_cast<std::size_t>(hit.row)].pinned;
    dropBefore_ = -2;
    return;
  case TimelineArea::Axis:
  case TimelineArea::Why:
  case TimelineArea::Lane:
  case TimelineArea::None:
    break;
  default:
    return;
  }
  const bool lane = hit.area == TimelineArea::Lane;
  if (model_.measuring && lane) {
    drag_ = Drag::Measure;
    return;
  }
  drag_ = (modifiers & Qt::ShiftModifier) != 0 || hit.area == TimelineArea::Axis ? Drag::Brush : Drag::Pan;
  brushAnchor_ = model_.timeAtX(std::max(pressed_.x(), model_.geometry.headerWidth));
}

void TimelineWidget::moveOverview(double x) {
  const Nanoseconds middle = model_.overviewTimeAt(x);
  const std::int64_t half = model_.viewport.window().length().count / 2;
  model_.viewport.setWindow(
      {{middle.count - half}, {middle.count - half + model_.viewport.window().length().count}});
  windowMoved(true);
}

void TimelineWidget::moveMap(double y) {
  model_.scrollMapTo(y);
  scrollBar_->setValue(static_cast<int>(std::lround(model_.scroll())));
  contentChanged();
  ensureContent();
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  const bool far = (position - pressed_).manhattanLength() >= kClickSlack;
  if (drag_ != Drag::None && far && !moved_) {
    moved_ = true;
    if (drag_ == Drag::Measure) {
      const SnappedTime from = model_.snap(pressed_);
      model_.measure = Measure{from.time, from.time, from.snapped, false, pressed_.y()};
    }
  }
  if (drag_ == Drag::None || !moved_) {
    last_ = position;
    if (drag_ == Drag::None) hover(position);
    return;
  }
  continueDrag(position);
  last_ = position;
}

void TimelineWidget::continueDrag(QPointF position) {
  const QRectF lanes = model_.lanesRect();
  switch (drag_) {
  case Drag::Pan:
    model_.viewport.panPixels(last_.x() - position.x());
    if (position.y() != last_.y())
      scrollBar_->setValue(scrollBar_->value() + static_cast<int>(last_.y() - position.y()));
    windowMoved(true);
    return;
  case Drag::Overview:
    moveOverview(position.x());
    return;
  case Drag::Map:
    moveMap(position.y());
    return;
  case Drag::Measure:
    measureTo(position);
    return;
  case Drag::Height:
    dragHeight(position.y());
    return;
  case Drag::Names:
    setHeaderWidth(std::max(position.x(), 1.0));
    return;
  case Drag::Order:
    dragOrder(position.y());
    return;
  case Drag::Brush: {
    const Nanoseconds now = model_.timeAtX(std::clamp(position.x(), lanes.left(), lanes.right()));
    model_.brush = Interval{std::min(brushAnchor_, now), std::max(brushAnchor_, now)};
    model_.brushTracks.clear();
    if (lanes.contains(pressed_)) model_.brushTracks = model_.tracksBetween(pressed_.y(), position.y());
    update();
    return;
  }
  case Drag::None:
    return;
  }
}

// Moves the end of the measured interval to the pointer, or to the edge of an event near it.
void TimelineWidget::measureTo(QPointF position) {
  const QRectF lanes = model_.lanesRect();
  const QPointF inside(std::clamp(position.x(), lanes.left(), lanes.right() - 1),
                       std::clamp(position.y(), lanes.top(), lanes.bottom() - 1));
  const SnappedTime to = model_.snap(inside);
  if (!model_.measure || drag_ == Drag::None || !moved_) return;
  model_.measure->to = to.time;
  model_.measure->toSnapped = to.snapped;
  model_.measure->y = inside.y();
  update();
}

void TimelineWidget::finishBrush() {
  if (moved_ && model_.brush && !model_.brush->empty()) {
    const Interval range = *model_.brush;
    const auto tracks = model_.brushTracks;
    emit brushed(range);
    emit areaChosen(range, tracks);
  } else if (!moved_ && model_.brush) {
    setBrush(std::nullopt);
    emit brushCleared();
  }
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Drag drag = std::exchange(drag_, Drag::None);
  if (drag == Drag::Brush && (moved_ || model_.brush)) {
    finishBrush();
  } else if (drag == Drag::Order && moved_) {
    dropOrder();
  } else if (drag == Drag::Names) {
    if (moved_) emit arrangementChanged();
  } else if (drag == Drag::Measure && !moved_) {
    model_.measure.reset();
    update();
  } else if (!moved_ && drag != Drag::Overview && drag != Drag::Map && drag != Drag::Height &&
             !model_.empty()) {
    click(event->position());
  }
}

void TimelineWidget::click(QPointF position) {
  const TimelineHit hit = model_.hitTest(position);
  const auto track = hit.track < 0 ? nullptr : &model_.tracks()[static_cast<std::size_t>(hit.track)];
  if (track != nullptr) model_.trackCursor = track->id;
  if (hit.area == TimelineArea::Toggle) {
    toggle(hit.track);
  } else if (hit.area == TimelineArea::Header) {
    update();
  } else if (hit.area == TimelineArea::Why) {
    const WhyHit part = timeline::whyAt(model_, position.x(), position.y());
    if (part.kind < 0) return;
    const auto& kind = model_.why->kinds[static_cast<std::size_t>(part.kind)];
    emit causeClicked(kind.column, kind.minimum);
  } else if (hit.area == TimelineArea::Legend) {
    if (!timeline::legendChoice(model_).contains(position)) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addColourActions(menu);
    menu->popup(mapToGlobal(timeline::legendChoice(model_).topLeft().toPoint()));
  } else if (hit.area == TimelineArea::Lane && hit.bar != nullptr) {
    const TimelineBar bar = *hit.bar;
    setSelection(hit.contentTrack, bar.row, {bar.begin, bar.end});
    emit launchClicked(hit.contentTrack, bar.row, {bar.begin, bar.end});
  } else if (hit.area == TimelineArea::Lane && hit.cell != nullptr) {
    emit foldClicked(hit.contentTrack, hit.cellInterval);
  } else if (hit.area == TimelineArea::Lane && track != nullptr && track->kind == TrackKind::Counter) {
    emit sampleClicked(track->id, hit.time);
  } else if (hit.area == TimelineArea::Lane || hit.area == TimelineArea::None) {
    clearSelection();
    emit backgroundClicked();
  }
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || model_.empty()) return;
  const TimelineHit hit = model_.hitTest(event->position());
  drag_ = Drag::None;
  if (onNamesEdge(event->position())) {
    setHeaderWidth(0);
    emit arrangementChanged();
    return;
  }
  if (hit.area == TimelineArea::Header && model_.hasChildren(hit.track)) {
    toggle(hit.track);
  } else if (hit.area == TimelineArea::Border) {
    arrange([&](TrackLayout& layout) { layout.setHeight(hit.track, 0); });
  } else if (hit.bar != nullptr) {
    model_.viewport.zoomTo({hit.bar->begin, hit.bar->end}, 1.0);
    windowMoved(true);
  } else if (hit.cell != nullptr) {
    model_.viewport.zoomAt(event->position().x() - model_.geometry.headerWidth, 0.1);
    windowMoved(true);
  } else if (hit.area == TimelineArea::Overview) {
    showAll();
  } else if (hit.mergedRow >= 0 && model_.merges()) {
    scaleHeights(8, event->position().y());
  } else if (hit.area == TimelineArea::Map) {
    fitAllTracks();
  }
}

void TimelineWidget::followPointer() {
  const TimelineHit hit = model_.hitTest(*pointer_);
  const bool timed =
      hit.area == TimelineArea::Lane || hit.area == TimelineArea::Axis || hit.area == TimelineArea::Why;
  moveCursor(timed ? std::optional<Nanoseconds>(hit.time) : std::nullopt, true);
}

void TimelineWidget::hover(QPointF position) {
  if (model_.empty()) return;
  const TimelineHit hit = model_.hitTest(position);
  const WhyHit part = timeline::whyAt(model_, position.x(), position.y());
  pointer_ = position;
  followPointer();
  const Qt::CursorShape shape =
      onNamesEdge(position)              ? Qt::SplitHCursor
      : hit.area == TimelineArea::Border ? Qt::SplitVCursor
      : hit.area == TimelineArea::Toggle || hit.area == TimelineArea::Map || part.kind >= 0
          ? Qt::PointingHandCursor
      : hit.area == TimelineArea::Lane && model_.measuring ? Qt::CrossCursor
                                                           : Qt::ArrowCursor;
  if (cursor().shape() != shape) setCursor(shape);
  if (hit.area == TimelineArea::Header) {
    const TimelineTrack& track = model_.tracks()[static_cast<std::size_t>(hit.track)];
    hoverTrack_ = kNoName;
    const QString text = track.details.isEmpty() ? track.label : track.details;
    if (hoverText() != text) showHoverCard(position, text);
    return;
  }
  if (hit.area == TimelineArea::Why && part.column >= 0) {
    hoverTrack_ = kNoName;
    const QString text = timeline::whyText(model_, part.column);
    if (text.isEmpty())
      hideHoverCard();
    else if (hoverText() != text)
      showHoverCard(position, text);
    return;
  }
  if (hit.area == TimelineArea::Lane && hit.mergedRow >= 0) return hoverMerged(hit, position);
  if (hit.area == TimelineArea::Lane && hit.counter != nullptr) {
    hoverTrack_ = kNoName;
    const QString text = counterText(model_, hit);
    if (hoverText() != text) showHoverCard(position, text);
    return;
  }
  if (hit.area != TimelineArea::Lane || (hit.bar == nullptr && hit.cell == nullptr)) {
    hoverTrack_ = kNoName;
    hideHoverCard();
    return;
  }
  const std::uint64_t row = hit.bar != nullptr ? hit.bar->row : kNoRow;
  // While the pointer is over the same launch, its card stays in place: nothing is repainted.
  if (hit.contentTrack == hoverTrack_ && row == hoverRow_ && row != kNoRow) return;
  hoverTrack_ = hit.contentTrack;
  hoverRow_ = row;
  if (hit.bar == nullptr) {
    showHoverCard(position, columnText(model_, hit));
    return;
  }
  if (const int of = model_.trackIndex(hit.contentTrack);
      of >= 0 && model_.tracks()[static_cast<std::size_t>(of)].kind == TrackKind::Idle) {
    const QString text = idleText(model_, hit);
    if (hoverText() != text) showHoverCard(position, text);
    return;
  }
  hideHoverCard();
  emit hoverDetailsRequested(hit.contentTrack, hit.time, row);
}

void TimelineWidget::hoverMerged(const TimelineHit& hit, QPointF position) {
  hoverTrack_ = kNoName;
  const QString text = mergedText(model_, hit);
  if (text.isEmpty())
    hideHoverCard();
  else
    showHoverCard(position, text);
}

void TimelineWidget::contextMenuEvent(QContextMenuEvent* event) {
  if (model_.empty()) return;
  hideHoverCard();
  hoverTrack_ = kNoName; // otherwise a late answer would appear under the menu
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  const int track = byKey ? cursorTrack() : model_.hitTest(event->pos()).track;
  const TimelineHit hit = byKey ? TimelineHit() : model_.hitTest(event->pos());
  if (hit.area == TimelineArea::Lane && hit.bar != nullptr && hit.bar->row != kNoRow) {
    const TimelineBar bar = *hit.bar;
    emit eventMenuRequested(hit.contentTrack, bar.row, {bar.begin, bar.end}, event->globalPos());
    return;
  }
  auto* menu = makeMenu(track);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QPoint place = event->globalPos();
  if (byKey && track >= 0)
    if (const TrackRow* row = model_.layout().rowOf(track))
      place = mapToGlobal(QPoint(20, static_cast<int>(model_.rowRect(*row).bottom())));
  menu->popup(place);
}

void TimelineWidget::leaveEvent(QEvent* event) {
  pointer_.reset();
  moveCursor(std::nullopt, true);
  hoverTrack_ = kNoName;
  RasterView::leaveEvent(event);
}

} // namespace jitterscope::views
