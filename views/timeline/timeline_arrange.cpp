// Arranging tracks: filter, folding, heights, order.

#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_arrange.h"

namespace jitterscope::views {

void TimelineWidget::setTrackCollapsed(std::uint32_t trackId, bool collapsed) {
  model_.setCollapsed(trackId, collapsed);
  updateScrollBar();
  contentChanged();
  ensureContent();
}

void TimelineWidget::showTrack(std::uint32_t trackId) {
  const int track = model_.trackIndex(trackId);
  if (track < 0) return;
  const TrackLayout& layout = model_.layout();
  if (const TrackRow* row = layout.rowOf(track);
      row != nullptr && row->track == track && model_.visible(*row))
    return;
  std::vector<int> folded;
  for (int up = layout.tracks()[static_cast<std::size_t>(track)].parent; up >= 0;
       up = layout.tracks()[static_cast<std::size_t>(up)].parent)
    if (layout.collapsed(up)) folded.push_back(up);
  if (!folded.empty())
    arrange([&](TrackLayout& all) {
      for (const int each : folded) all.setCollapsed(each, false);
    });
  model_.scrollTo(track);
  scrollBar_->setValue(static_cast<int>(model_.scroll()));
  update();
}

// Creates on the first call: the filter box in the corner above the headers, with the menu button next to it.
void TimelineWidget::placeFilterBox() {
  if (filterBox_->objectName().isEmpty()) {
    filterBox_->setObjectName(QStringLiteral("timeline.filter"));
    filterBox_->setPlaceholderText(tr("filter tracks"));
    filterBox_->setToolTip(
        tr("Only tracks whose label matches this regular expression, e.g.  GPU [01]|MPI  (key T)"));
    filterBox_->setClearButtonEnabled(true);
    // The T key focuses the box. With the initial focus, its blinking cursor would cause repaints.
    filterBox_->setFocusPolicy(Qt::ClickFocus);
    filterBox_->hide();
    connect(filterBox_, &QLineEdit::textChanged, this, [this](const QString& text) {
      arrange([&](TrackLayout& layout) { layout.setFilter(text); });
      const bool good = model_.layout().filterIsGood();
      filterBox_->setToolTip(
          good ? tr("Only tracks whose label matches this regular expression, e.g.  GPU [01]|MPI  (key T)")
               : tr("This is not a regular expression: all tracks are shown"));
      filterBox_->setProperty("bad", !good);
      styleChanged(); // updates the border
    });
    connect(filterBox_, &QLineEdit::returnPressed, this, [this] { setFocus(Qt::ShortcutFocusReason); });
    menuButton_->setObjectName(QStringLiteral("timeline.menu"));
    menuButton_->setText(QStringLiteral("⋯"));
    menuButton_->setToolTip(tr("Tracks, colours, marks (also by a right click on a track)"));
    menuButton_->setFocusPolicy(Qt::NoFocus);
    menuButton_->hide();
    connect(menuButton_, &QToolButton::clicked, this, [this] {
      auto* menu = makeMenu(-1);
      menu->setAttribute(Qt::WA_DeleteOnClose);
      menu->popup(menuButton_->mapToGlobal(QPoint(0, menuButton_->height())));
    });
  }
  const int button = 20, edge = 6;
  const int wide = static_cast<int>(model_.geometry.headerWidth) - 2 * edge - button - 2;
  filterBox_->setGeometry(edge, 5, std::max(wide, 30), static_cast<int>(model_.geometry.overviewHeight) - 10);
  menuButton_->setGeometry(edge + wide + 2, 5, button, static_cast<int>(model_.geometry.overviewHeight) - 10);
}

bool TimelineWidget::onNamesEdge(QPointF position) const {
  constexpr double kReach = 4; // pixels left of the border: right of it, axis and lanes begin
  const double edge = model_.geometry.headerWidth;
  return !model_.empty() && position.x() <= edge && position.x() >= edge - kReach &&
         position.y() > model_.geometry.top();
}

void TimelineWidget::setHeaderWidth(double width) {
  if (width == headerWidth_) return;
  headerWidth_ = width;
  placeHeader();
}

void TimelineWidget::placeHeader() {
  const double maximum = std::max(90.0, width() * 0.6);
  model_.geometry.headerWidth =
      headerWidth_ > 0 ? std::round(std::clamp(headerWidth_, 90.0, maximum)) : defaultHeaderWidth(width());
  model_.setSize(size());
  placeFilterBox();
  updateScrollBar();
  contentChanged();
  windowMoved(false);
}

void TimelineWidget::toggle(int track) {
  if (track < 0 || !model_.hasChildren(track)) return;
  const auto id = model_.tracks()[static_cast<std::size_t>(track)].id;
  const bool collapse = !model_.layout().collapsed(track);
  arrange([&](TrackLayout& layout) { layout.setCollapsed(track, collapse); });
  emit trackToggled(id, collapse);
}

void TimelineWidget::dragHeight(double y) {
  const double height = std::max(8.0, dragHeight_ + y - pressed_.y());
  arrange([&](TrackLayout& layout) {
    layout.setHeight(dragTrack_, dragPinned_ ? height : height / layout.scale());
  });
}

// Finds the drop position among the siblings of the dragged track that is nearest to the pointer.
void TimelineWidget::dragOrder(double y) {
  const auto& tracks = model_.tracks();
  const int parent = tracks[static_cast<std::size_t>(dragTrack_)].parent;
  dropBefore_ = -2;
  double nearest = 1e9, end = -1;
  for (const TrackRow* each : model_.drawnRows()) {
    const TrackRow& row = *each;
    if (row.pinned != dragPinned_) continue;
    const bool sibling = dragPinned_ || tracks[static_cast<std::size_t>(row.track)].parent == parent;
    const QRectF rect = model_.rowRect(row);
    if (sibling && std::abs(rect.top() - y) < nearest) {
      nearest = std::abs(rect.top() - y);
      dropBefore_ = row.track;
      dropLine_ = rect.top();
    }
    // The last sibling ends at the bottom of its last descendant row.
    int top = row.track;
    while (top >= 0 && !dragPinned_ && tracks[static_cast<std::size_t>(top)].parent != parent)
      top = tracks[static_cast<std::size_t>(top)].parent;
    if (top >= 0) end = rect.bottom();
  }
  if (end >= 0 && std::abs(end - y) < nearest) {
    dropBefore_ = -1;
    dropLine_ = end;
  }
  update();
}

void TimelineWidget::dropOrder() {
  const int before = std::exchange(dropBefore_, -2);
  if (before == -2 || before == dragTrack_) return update();
  if (!dragPinned_) return arrange([&](TrackLayout& layout) { layout.moveBefore(dragTrack_, before); });
  arrange([&](TrackLayout& layout) {
    layout.setPinned(dragTrack_, false);
    QStringList pinned = layout.arrangement().pinned;
    auto requested = layout.arrangement();
    const auto at = before < 0 ? requested.pinned.size() : requested.pinned.indexOf(layout.key(before));
    requested.pinned.insert(std::max<qsizetype>(at, 0), layout.key(dragTrack_));
    layout.setArrangement(requested);
  });
}

} // namespace jitterscope::views
