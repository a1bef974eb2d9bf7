// Keys of parallel coordinates.

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "views/parallel/parallel_widget.h"

namespace jitterscope::views {

namespace {

/// A range in positions along its axis: 0 at the lower end of the values, 1 at the upper one; for categories,
/// their numbers.
struct Places {
  double low = 0, high = 0;
};

struct Scale {
  const ParallelAxis& axis;
  bool names() const { return !axis.categories.isEmpty(); }
  double minimum() const { return names() ? -0.4 : 0; }
  double maximum() const { return names() ? static_cast<double>(axis.categories.size()) - 0.6 : 1; }
  double step() const { return names() ? 1 : 0.02; }
  Places of(const ValueRange& range) const {
    if (names()) return {range.low, range.high};
    return {ParallelModel::fraction(axis, range.low), ParallelModel::fraction(axis, range.high)};
  }
  ValueRange values(const Places& places) const {
    if (names()) return {places.low, places.high};
    return {ParallelModel::valueAt(axis, places.low), ParallelModel::valueAt(axis, places.high)};
  }
};

} // namespace

void ParallelWidget::invert(int position) {
  const QString key = model_.order()[position];
  model_.setInverted(key, !model_.inverted(key));
  stale();
  emit axisInverted(key, model_.inverted(key));
}

void ParallelWidget::moveFocusedAxis(int by) {
  const int to = std::clamp(focusedAxis_ + by, 0, static_cast<int>(model_.order().size()) - 1);
  if (to == focusedAxis_) return;
  model_.moveAxis(focusedAxis_, to);
  focusedAxis_ = to;
  stale();
  emit axesReordered(model_.order());
  askForMissingPairs();
}

void ParallelWidget::focusAxis(int by) {
  focusedAxis_ = std::clamp(focusedAxis_ + by, 0, static_cast<int>(model_.order().size()) - 1);
  keyBrush_ = 0;
  if (!near_.empty()) showCardOfStep();
  update();
}

// Index of the range that keys move: the first of the focused axis, or the one selected by B; −1 if none.
int ParallelWidget::rangeOfKeys() const {
  const auto found = model_.brushes().find(model_.order()[focusedAxis_]);
  if (found == model_.brushes().end()) return -1;
  std::vector<int> numbers;
  for (std::size_t i = 0; i < found->second.size(); ++i)
    if (!found->second[i].isMissing()) numbers.push_back(static_cast<int>(i));
  return numbers.empty() ? -1 : numbers[static_cast<std::size_t>(keyBrush_) % numbers.size()];
}

// A tenth of the axis around the current row, else around the middle; for categories, the category at that
// place.
ValueRange ParallelWidget::firstRange() const {
  const QString key = model_.order()[focusedAxis_];
  const Scale scale{model_.axis(focusedAxis_)};
  double middle = scale.names() ? std::floor((scale.minimum() + scale.maximum()) / 2 + 0.5) : 0.5;
  if (!near_.empty())
    if (const auto value = near_.front().values.find(key);
        value != near_.front().values.end() && std::isfinite(value->second))
      middle =
          scale.names() ? value->second : ParallelModel::fraction(model_.axis(focusedAxis_), value->second);
  const double half = scale.names() ? 0.4 : 0.05;
  return scale.values({std::max(middle - half, scale.minimum()), std::min(middle + half, scale.maximum())});
}

// Shift moves the upper end on the screen, Ctrl+Shift the lower one, Alt the whole range.
bool ParallelWidget::brushKey(QKeyEvent* event) {
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  const bool upper = modifiers == Qt::ShiftModifier,
             lower = modifiers == (Qt::ShiftModifier | Qt::ControlModifier),
             whole = modifiers == Qt::AltModifier;
  if ((event->key() != Qt::Key_Up && event->key() != Qt::Key_Down) || !(upper || lower || whole))
    return false;
  const QString key = model_.order()[focusedAxis_];
  const int number = rangeOfKeys();
  if (number < 0) {
    keyBrush_ = 0;
    model_.addBrush(key, firstRange());
  } else {
    const Scale scale{model_.axis(focusedAxis_)};
    Places places = scale.of(model_.brushes().at(key)[static_cast<std::size_t>(number)]);
    const bool inverted = model_.inverted(key); // on an inverted axis, larger values are lower on the screen
    double by = (event->key() == Qt::Key_Up) == inverted ? -scale.step() : scale.step();
    if (whole)
      by = std::clamp(by, std::min(0.0, scale.minimum() - places.low),
                      std::max(0.0, scale.maximum() - places.high));
    const double narrow = scale.names() ? 0.8 : 0.005;
    if (whole || (lower != inverted))
      places.low =
          std::clamp(places.low + by, scale.minimum(), whole ? scale.maximum() : places.high - narrow);
    if (whole || (upper != inverted))
      places.high =
          std::clamp(places.high + by, whole ? scale.minimum() : places.low + narrow, scale.maximum());
    model_.replaceBrush(key, number, scale.values(places));
  }
  nudged_ = true;
  stale();
  emit brushesChanged(model_.brushes(), false);
  return true;
}

// All moves while a modifier is held are one step of the history.
void ParallelWidget::keyReleaseEvent(QKeyEvent* event) {
  const bool modifier =
      event->key() == Qt::Key_Shift || event->key() == Qt::Key_Control || event->key() == Qt::Key_Alt;
  if (modifier && nudged_) endNudge();
  RasterView::keyReleaseEvent(event);
}

void ParallelWidget::focusOutEvent(QFocusEvent* event) {
  if (nudged_) endNudge();
  RasterView::focusOutEvent(event);
}

void ParallelWidget::endNudge() {
  nudged_ = false;
  emit brushesChanged(model_.brushes(), true);
}

// B selects the next range of the axis, Shift+B starts a new one in the widest free part.
void ParallelWidget::nextRange(bool another) {
  const QString key = model_.order()[focusedAxis_];
  const auto found = model_.brushes().find(key);
  if (!another || found == model_.brushes().end()) {
    if (rangeOfKeys() < 0) {
      model_.addBrush(key, firstRange());
      stale();
      return emit brushesChanged(model_.brushes(), true);
    }
    ++keyBrush_;
    return update();
  }
  const Scale scale{model_.axis(focusedAxis_)};
  double from = scale.minimum(), widest = 0, middle = 0;
  const auto free = [&](double to) {
    if (to - from > widest) widest = to - from, middle = (from + to) / 2;
  };
  for (const ValueRange& range : found->second) {
    if (range.isMissing()) continue;
    free(scale.of(range).low);
    from = scale.of(range).high;
  }
  free(scale.maximum());
  if (scale.names()) middle = std::round(middle);
  const double half = scale.names() ? 0.4 : std::min(0.05, widest / 4);
  if (widest <= 2 * half) return;
  keyBrush_ = model_.addBrush(key, scale.values({middle - half, middle + half}));
  stale();
  emit brushesChanged(model_.brushes(), true);
}

bool ParallelWidget::axisKey(QKeyEvent* event) {
  const QString key = model_.order()[focusedAxis_];
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  if (event->key() == Qt::Key_B && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)) {
    nextRange(modifiers == Qt::ShiftModifier);
    return true;
  }
  if (modifiers != Qt::NoModifier) return false;
  switch (event->key()) {
  case Qt::Key_I:
    invert(focusedAxis_);
    return true;
  case Qt::Key_P:
    emit axisPinRequested(key);
    focusedAxis_ = std::max(0, model_.position(key));
    update();
    return true;
  case Qt::Key_H:
    emit axisHideRequested(key);
    return true;
  case Qt::Key_K:
  case Qt::Key_X:
    emit keepRequested(event->key() == Qt::Key_X);
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    emit brushEntryRequested(key, rangeOfKeys());
    return true;
  default:
    return false;
  }
}

// Left/Right select an axis, Ctrl+Left/Right move it. Up/Down step through its rows, with Ctrl to the first
// or last one; the space bar selects the rows shown. Shift or Alt with Up/Down create and move a range
// (brushKey). M brushes the missing values, Delete clears the brushes of the axis, Escape all brushes.
void ParallelWidget::keyPressEvent(QKeyEvent* event) {
  if (model_.order().isEmpty()) {
    RasterView::keyPressEvent(event);
    return;
  }
  const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
  if (brushKey(event) || axisKey(event) || stepKey(event->key(), control)) return;
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right: {
    const int by = event->key() == Qt::Key_Left ? -1 : 1;
    return control ? moveFocusedAxis(by) : focusAxis(by);
  }
  case Qt::Key_M: {
    const QString key = model_.order()[focusedAxis_];
    if (!model_.axis(focusedAxis_).hasMissing) return;
    model_.brushMissing(key, !model_.missingBrushed(key));
    break;
  }
  case Qt::Key_Delete:
  case Qt::Key_Backspace:
    model_.clearBrushes(model_.order()[focusedAxis_]);
    break;
  case Qt::Key_Escape:
    if (model_.brushes().empty() && !near_.empty()) return forgetNear();
    if (model_.brushes().empty()) {
      RasterView::keyPressEvent(event);
      return;
    }
    model_.setBrushes({});
    break;
  default:
    RasterView::keyPressEvent(event);
    return;
  }
  stale();
  emit brushesChanged(model_.brushes(), true);
}

} // namespace jitterscope::views
