// Keys of the timeline.

#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <algorithm>

#include "views/timeline/timeline_arrange.h"

namespace jitterscope::views {

std::span<const int> TimelineWidget::travelKeys() {
  static constexpr int kKeys[] = {
      Qt::Key_W,     Qt::Key_S,      Qt::Key_A, Qt::Key_D, Qt::Key_BracketLeft, Qt::Key_BracketRight,
      Qt::Key_Comma, Qt::Key_Period, Qt::Key_R, Qt::Key_N};
  return kKeys;
}

// Overrides window shortcuts for keys that the timeline currently uses.
bool TimelineWidget::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool ends =
        key->key() == Qt::Key_Escape && (model_.measuring || model_.measure || drag_ != Drag::None);
    const auto own = travelKeys();
    if (ends ||
        (key->modifiers() == Qt::NoModifier && std::find(own.begin(), own.end(), key->key()) != own.end())) {
      event->accept();
      return true;
    }
  }
  return RasterView::event(event);
}

void TimelineWidget::keyPressEvent(QKeyEvent* event) {
  if (model_.empty() || !(measureKey(event) || markKey(event) || trackKey(event) || plainKey(event)))
    RasterView::keyPressEvent(event);
}

int TimelineWidget::cursorTrack() const {
  return model_.trackCursor ? model_.trackIndex(*model_.trackCursor) : -1;
}

void TimelineWidget::moveTrackCursor(int step) {
  const auto& rows = model_.rows();
  if (rows.empty()) return;
  int at = -1;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].track == cursorTrack() && (at < 0 || !rows[i].pinned)) at = static_cast<int>(i);
  if (at < 0) { // starts at the first visible track
    const auto first =
        std::find_if(rows.begin(), rows.end(), [&](const TrackRow& row) { return model_.visible(row); });
    at = static_cast<int>(first - rows.begin()) - step;
  }
  at = std::clamp(at + step, 0, static_cast<int>(rows.size()) - 1);
  const int track = rows[static_cast<std::size_t>(at)].track;
  model_.trackCursor = model_.tracks()[static_cast<std::size_t>(track)].id;
  model_.scrollTo(track);
  scrollBar_->setValue(static_cast<int>(model_.scroll()));
  setAccessibleDescription(model_.layout().key(track)); // read by screen readers
  update();
}

// Keys that act on the track with the keyboard cursor.
bool TimelineWidget::trackKey(QKeyEvent* event) {
  const int key = event->key(), track = cursorTrack();
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  if (modifiers == Qt::NoModifier && (key == Qt::Key_Up || key == Qt::Key_Down)) {
    moveTrackCursor(key == Qt::Key_Up ? -1 : 1);
    return true;
  }
  if (modifiers == Qt::ShiftModifier && key == Qt::Key_H) {
    arrange([](TrackLayout& layout) { layout.showAll(); });
    return true;
  }
  if (modifiers == Qt::ShiftModifier && key == Qt::Key_F) {
    TrackHeights heights = model_.heights();
    heights.fit = !heights.fit;
    setHeights(heights);
    return true;
  }
  if (track < 0) return false;
  if (modifiers == Qt::AltModifier && (key == Qt::Key_Up || key == Qt::Key_Down)) {
    arrange([&](TrackLayout& layout) { layout.move(track, key == Qt::Key_Up ? -1 : 1); });
    model_.scrollTo(track);
    scrollBar_->setValue(static_cast<int>(model_.scroll()));
    return true;
  }
  if (modifiers == Qt::AltModifier && (key == Qt::Key_Plus || key == Qt::Key_Minus || key == Qt::Key_Equal)) {
    const TrackRow* row = model_.layout().rowOf(track);
    const double height = row == nullptr ? 24 : row->height / (row->pinned ? 1 : model_.layout().scale());
    arrange([&](TrackLayout& layout) {
      layout.setHeight(track, key == Qt::Key_Minus ? height / 1.25 : height * 1.25);
    });
    return true;
  }
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    const auto kind = model_.tracks()[static_cast<std::size_t>(track)].kind;
    const bool collapse = !model_.layout().collapsed(track);
    if (modifiers == Qt::ShiftModifier)
      arrange([&](TrackLayout& layout) { layout.collapseKind(kind, collapse); });
    else
      toggle(track);
    return true;
  }
  if (modifiers != Qt::NoModifier) return false;
  if (key == Qt::Key_P) {
    arrange([&](TrackLayout& layout) { layout.setPinned(track, !layout.pinned(track)); });
    return true;
  }
  if (key == Qt::Key_H) {
    moveTrackCursor(1);
    if (cursorTrack() == track) moveTrackCursor(-1);
    arrange([&](TrackLayout& layout) { layout.setHidden(track, true); });
    return true;
  }
  return false;
}

bool TimelineWidget::markKey(QKeyEvent* event) {
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  if (event->key() >= Qt::Key_1 && event->key() <= Qt::Key_9) {
    const int number = event->key() - Qt::Key_0;
    if (modifiers == Qt::ControlModifier)
      setFlagNumber(number);
    else if (modifiers == Qt::NoModifier)
      goToMark(number);
    else
      return false;
    return true;
  }
  if (modifiers != Qt::NoModifier) return false;
  switch (event->key()) {
  case Qt::Key_M:
    emit flagRequested(model_.cursor.value_or(model_.viewport.timeAt(model_.viewport.width() / 2)));
    return true;
  case Qt::Key_N:
    nameRange();
    return true;
  case Qt::Key_R:
    setMeasuring(!model_.measuring);
    return true;
  case Qt::Key_BracketRight:
    step(StepBy::Kernel, 1);
    return true;
  case Qt::Key_BracketLeft:
    step(StepBy::Kernel, -1);
    return true;
  case Qt::Key_Period:
    step(StepBy::Stream, 1);
    return true;
  case Qt::Key_Comma:
    step(StepBy::Stream, -1);
    return true;
  default:
    return false;
  }
}

// Steps from the selected launch to another; without a selection, to the first or last visible one.
void TimelineWidget::step(StepBy by, int direction) {
  const auto found = model_.selectedRow ? std::nullopt : model_.visibleLaunch(direction);
  if (!found) {
    emit stepRequested(by, direction);
    return;
  }
  const auto& [track, bar] = *found;
  setSelection(track, bar.row, {bar.begin, bar.end});
  emit launchClicked(track, bar.row, {bar.begin, bar.end});
}

// While measuring, Left and Right move the end of the measure to the next edge of an event, with Shift both
// ends; Enter starts a new measure at the same place.
bool TimelineWidget::measureKey(QKeyEvent* event) {
  if (!model_.measuring) return false;
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && modifiers == Qt::NoModifier &&
      model_.measure) {
    model_.measure->from = model_.measure->to;
    model_.measure->fromSnapped = model_.measure->toSnapped;
    update();
    return true;
  }
  if ((event->key() != Qt::Key_Left && event->key() != Qt::Key_Right) ||
      (modifiers & ~Qt::ShiftModifier) != 0)
    return false;
  const int direction = event->key() == Qt::Key_Right ? 1 : -1;
  const Nanoseconds from = model_.measure
                               ? model_.measure->to
                               : model_.cursor.value_or(model_.viewport.timeAt(model_.viewport.width() / 2));
  const auto edge = model_.adjacentEdge(from, direction);
  if (!edge) return true; // none is visible; the window does not move
  if (!model_.measure) {
    const TrackRow* row = cursorTrack() < 0 ? nullptr : model_.layout().rowOf(cursorTrack());
    model_.measure = Measure{*edge, *edge, true, true,
                             row ? model_.rowRect(*row).center().y() : model_.lanesRect().center().y()};
  }
  model_.measure->to = *edge;
  model_.measure->toSnapped = true;
  if (modifiers == Qt::ShiftModifier) model_.measure->from = *edge, model_.measure->fromSnapped = true;
  moveCursor(*edge, true); // the M key sets a flag at the cursor
  update();
  return true;
}

bool TimelineWidget::escape() {
  if (drag_ != Drag::None) {
    drag_ = Drag::None;
    dropBefore_ = -2;
    update();
  } else if (model_.measuring) {
    setMeasuring(false);
  } else if (model_.brush) {
    setBrush(std::nullopt);
    emit brushCleared();
  } else {
    return false;
  }
  return true;
}

bool TimelineWidget::plainKey(QKeyEvent* event) {
  if ((event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0) return false;
  const double step = model_.viewport.width() / 8;
  switch (event->key()) {
  case Qt::Key_W:
  case Qt::Key_Plus:
    zoomIn();
    return true;
  case Qt::Key_S:
  case Qt::Key_Minus:
    zoomOut();
    return true;
  case Qt::Key_A:
  case Qt::Key_Left:
    model_.viewport.panPixels(-step);
    windowMoved(true);
    return true;
  case Qt::Key_D:
  case Qt::Key_Right:
    model_.viewport.panPixels(step);
    windowMoved(true);
    return true;
  case Qt::Key_F:
    focusSelection();
    return true;
  case Qt::Key_Home:
    showAll();
    return true;
  case Qt::Key_PageUp:
    scrollBar_->setValue(scrollBar_->value() - scrollBar_->pageStep());
    return true;
  case Qt::Key_PageDown:
    scrollBar_->setValue(scrollBar_->value() + scrollBar_->pageStep());
    return true;
  case Qt::Key_T:
    filterBox_->setFocus(Qt::ShortcutFocusReason);
    filterBox_->selectAll();
    return true;
  case Qt::Key_B: { // like Shift+drag: the visible time, on the current track or on all
    model_.brush = model_.viewport.window();
    model_.brushTracks.clear();
    if (const TrackRow* row = cursorTrack() < 0 ? nullptr : model_.layout().rowOf(cursorTrack()))
      model_.brushTracks = {model_.tracks()[static_cast<std::size_t>(row->track)].id};
    update();
    const auto tracks = model_.brushTracks;
    emit brushed(*model_.brush);
    emit areaChosen(*model_.brush, tracks);
    return true;
  }
  case Qt::Key_C:
    chooseColour(model_.colour.by == ColourBy::Kernel           ? ColourBy::RelativeToMean
                 : model_.colour.by == ColourBy::RelativeToMean ? ColourBy::Stream
                                                                : ColourBy::Kernel);
    return true;
  case Qt::Key_Escape:
    return escape();
  default:
    return false;
  }
}

void TimelineWidget::setMeasuring(bool on) {
  if (on == model_.measuring) return;
  model_.measuring = on;
  if (!on) model_.measure.reset();
  setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor);
  update();
  emit measuringChanged(on);
}

void TimelineWidget::nameRange() {
  const auto range = model_.brush              ? model_.brush
                     : model_.selectedInterval ? model_.selectedInterval
                                               : model_.selectedBin;
  if (!range) return;
  model_.ranges.push_back({*range, tr("range %1").arg(model_.ranges.size() + 1)});
  update();
  emit marksChanged();
}

void TimelineWidget::goToMark(int number) {
  for (const NumberedMark& mark : numberedMarks(model_.flags, model_.ranges))
    if (mark.number == number) return showMark(mark.range);
}

void TimelineWidget::showMark(Interval mark) {
  if (mark.empty()) { // a flag is centred
    const std::int64_t half = model_.viewport.window().length().count / 2;
    model_.viewport.setWindow(
        {{mark.begin.count - half}, {mark.begin.count - half + model_.viewport.window().length().count}});
  } else {
    model_.viewport.zoomTo(mark, 0.1);
  }
  windowMoved(true);
}

void TimelineWidget::setFlagNumber(int number) {
  const Nanoseconds time = model_.cursor.value_or(model_.viewport.timeAt(model_.viewport.width() / 2));
  const QString label = QString::number(number);
  std::erase_if(model_.flags, [&](const TimelineFlag& flag) { return flag.label == label; });
  model_.flags.push_back({time, label});
  update();
  emit marksChanged();
}

} // namespace jitterscope::views
