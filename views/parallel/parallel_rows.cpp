// Rows at the pointer or reached by keyboard, and the cursor time for other views.

#include <QPainter>
#include <QPolygonF>
#include <cmath>

#include "views/parallel/parallel_widget.h"

namespace jitterscope::views {

void ParallelWidget::probe(QPointF position) {
  const auto requested = probeAt(model_, position);
  if (requested && probe_ == requested) {
    if (answered_ && !near_.empty()) showCardOfNear(); // a card without rows may have replaced it
    return;
  }
  if (!requested) return forgetNear();
  probe_ = requested;
  answered_ = clickWaits_ = false;
  if (!near_.empty() && !late_.isActive()) late_.start();
  emit rowsRequested(*probe_);
}

// Drops the rows of the previous position, which stay drawn for a limited time while a request is running, to
// avoid flicker.
void ParallelWidget::dropLateNear() {
  if (near_.empty()) return;
  near_.clear();
  update();
  const ParallelHit hit = model_.hitTest(last_);
  if (hit.area != ParallelArea::Axis || !model_.axis(hit.axis).time) reportCursor(std::nullopt);
}

void ParallelWidget::forgetNear() {
  const bool asked = probe_.has_value();
  probe_.reset();
  answered_ = clickWaits_ = false;
  late_.stop();
  if (!near_.empty()) {
    near_.clear();
    hideHoverCard();
    update();
    reportCursor(std::nullopt);
  }
  if (asked) emit rowsAbandoned();
}

void ParallelWidget::setNearRows(std::vector<ParallelLine> lines, quint64 near) {
  if (!probe_) return; // the pointer left meanwhile
  answered_ = true;
  late_.stop();
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].nearby = i > 0;
  if (!near_.empty() || !lines.empty()) update();
  near_ = std::move(lines);
  nearCount_ = near;
  showCardOfNear();
  const ParallelHit hit = model_.hitTest(last_);
  if (hit.area != ParallelArea::Axis || !model_.axis(hit.axis).time)
    reportCursor(near_.empty() ? std::nullopt : near_.front().start);
  if (clickWaits_) chooseNear();
}

void ParallelWidget::setSteppedRow(ParallelLine line) {
  line.faint = line.nearby = false;
  near_.assign(1, line);
  nearCount_ = 1;
  probe_.reset();
  late_.stop();
  reportCursor(near_.front().start);
  showCardOfStep();
  update();
}

void ParallelWidget::showCardOfNear() {
  const QString rows = rowsText(model_, near_, nearCount_);
  if (rows.isEmpty()) return;
  // The card of the nearest row also has the value of the axis; the content of a brush is added.
  const bool brush = model_.hitTest(last_).brush >= 0;
  showHoverCard(last_, brush ? hoverBase_ + QLatin1Char('\n') + rows : rows);
}

void ParallelWidget::showCardOfStep() {
  if (focusedAxis_ >= model_.order().size()) return;
  const auto found = near_.front().values.find(model_.order()[focusedAxis_]);
  const double value = found == near_.front().values.end() ? std::nan("") : found->second;
  showHoverCard({model_.axisX(focusedAxis_), model_.yAt(focusedAxis_, value)},
                rowsText(model_, near_, nearCount_));
}

void ParallelWidget::chooseNear() {
  clickWaits_ = false;
  QList<qint64> rows;
  for (const auto& line : near_) rows << line.row;
  emit rowsChosen(rows);
}

bool ParallelWidget::stepKey(int key, bool far) {
  if (key == Qt::Key_Space) {
    if (!near_.empty()) chooseNear();
    return true;
  }
  if (key != Qt::Key_Up && key != Qt::Key_Down) return false;
  const QString axis = model_.order().value(focusedAxis_);
  // On an inverted axis larger values are lower on the screen: keys follow the screen.
  const int by = (key == Qt::Key_Up) == model_.inverted(axis) ? -1 : 1;
  emit rowStepRequested(axis, far ? by * kFarthest : by);
  return true;
}

void ParallelWidget::leaveEvent(QEvent* event) {
  forgetNear();
  reportCursor(std::nullopt);
  RasterView::leaveEvent(event);
}

void ParallelWidget::reportCursor(std::optional<Nanoseconds> time) {
  if (time == reported_) return;
  reported_ = time;
  emit cursorMoved(time);
}

QRect ParallelWidget::cursorStrip(int position) const {
  if (!cursor_ || position >= model_.order().size() || !model_.axis(position).time) return {};
  const auto value = static_cast<double>(cursor_->count);
  const ParallelAxis& axis = model_.axis(position);
  if (value < axis.minimum || value > axis.maximum) return {};
  return {static_cast<int>(model_.axisX(position)) - 14,
          static_cast<int>(std::floor(model_.yAt(position, value))) - 5, 29, 11};
}

// Repaints only the marks on time axes.
void ParallelWidget::setCursorTime(std::optional<Nanoseconds> time) {
  if (time == cursor_) return;
  const auto repaint = [this] {
    for (int i = 0; i < model_.order().size(); ++i)
      if (const QRect strip = cursorStrip(i); !strip.isEmpty()) update(strip);
  };
  repaint();
  cursor_ = time;
  repaint();
}

void ParallelWidget::paintCursor(QPainter& painter) const {
  for (int i = 0; i < model_.order().size(); ++i) {
    const QRectF strip = cursorStrip(i);
    if (strip.isEmpty()) continue;
    const double y = strip.top() + 5.5, x = std::floor(model_.axisX(i));
    painter.fillRect(QRectF(x - 13, y - 1.5, 27, 3), viewStyle().background);
    painter.fillRect(QRectF(x - 13, y - 0.5, 27, 1), viewStyle().text);
    painter.setPen(Qt::NoPen);
    painter.setBrush(viewStyle().text);
    painter.drawPolygon(QPolygonF({{x - 14, y - 4}, {x - 14, y + 4}, {x - 7, y}}));
  }
}

} // namespace jitterscope::views
