// Visible part of the graph: fitting, zooming, panning, scroll bars.

#include <QKeyEvent>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/causal/causal_canvas.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_painter.h"

namespace jitterscope::views {

namespace {

constexpr int kBar = 10; // as wide as the margin around the graph

} // namespace

void CausalCanvas::makeBars() {
  const auto bar = [this](Qt::Orientation orientation, const QString& name) {
    auto* made = new QScrollBar(orientation, this);
    made->hide();
    made->setFocusPolicy(Qt::NoFocus);
    made->setCursor(Qt::ArrowCursor);
    made->setSingleStep(40);
    made->setAccessibleName(name);
    made->setToolTip(tr("Part of the graph: drag to move it, 0 shows all"));
    return made;
  };
  across_ = bar(Qt::Horizontal, tr("Part of the graph, from left to right"));
  down_ = bar(Qt::Vertical, tr("Part of the graph, from top to bottom"));
  const auto scrolled = [this](bool across) {
    const QRectF room = graphRect(), whole = placement().mapRect(QRectF(QPointF(0, 0), layout_.size));
    viewChosen_ = true;
    if (across)
      pan_.rx() += room.left() - across_->value() - std::min(whole.left(), room.left());
    else
      pan_.ry() += room.top() - down_->value() - std::min(whole.top(), room.top());
    hideHoverCard();
    viewMoved();
  };
  connect(across_, &QScrollBar::valueChanged, this, [scrolled] { scrolled(true); });
  connect(down_, &QScrollBar::valueChanged, this, [scrolled] { scrolled(false); });
}

QTransform CausalCanvas::placement() const {
  const QTransform fitted = causal::fit(layout_.size, graphRect());
  const QPointF centre = graphRect().center();
  QTransform view;
  view.translate(centre.x() + pan_.x(), centre.y() + pan_.y());
  view.scale(zoom_, zoom_);
  view.translate(-centre.x(), -centre.y());
  return fitted * view;
}

// Initial view until the user pans or zooms: the whole graph if its names are readable, else the target with
// as much of the graph as fits.
void CausalCanvas::showFirst() {
  if (viewChosen_) return;
  zoom_ = 1;
  pan_ = {};
  if (!hasContent()) return;
  const double fitted = placement().m11();
  if (fitted >= kReadableScale) return;
  zoom_ = kReadableScale / fitted;
  const QRectF room = graphRect();
  const QRectF whole = placement().mapRect(QRectF(QPointF(0, 0), layout_.size));
  if (whole.width() > room.width() + missed()) pan_.setX(room.right() - whole.right());
  for (const PlacedNode& placed : layout_.nodes) {
    if (graph_->nodes[static_cast<std::size_t>(placed.node)].role != NodeRole::Target ||
        whole.height() <= room.height())
      continue;
    const double preferred = room.center().y() - placement().map(placed.rect.center()).y();
    pan_.setY(std::clamp(preferred, room.bottom() - whole.bottom(), room.top() - whole.top()));
  }
}

void CausalCanvas::fitGraph() {
  viewChosen_ = true;
  zoom_ = 1;
  pan_ = {};
  hideHoverCard();
  viewMoved();
}

// Tolerance for scroll bars: the margins next to the nodes need not be visible.
double CausalCanvas::missed() const {
  constexpr double kMarginOfNodes = 12;
  return 2 + 2 * kMarginOfNodes * placement().m11();
}

// The scroll bar covers the graph and the visible range, which may be empty background.
void CausalCanvas::setBar(QScrollBar& bar, double low, double high, double roomLow, double roomHigh) {
  const double first = std::min(low, roomLow), last = std::max(high, roomHigh), room = roomHigh - roomLow;
  const bool all = !hasContent() || last - first < room + missed();
  bar.setVisible(!all);
  if (all) return;
  const QSignalBlocker quiet(bar);
  bar.setPageStep(static_cast<int>(room));
  bar.setRange(0, static_cast<int>(std::lround(last - first - room)));
  bar.setValue(static_cast<int>(std::lround(roomLow - first)));
}

void CausalCanvas::viewMoved() {
  const QRectF room = graphRect(), whole = placement().mapRect(QRectF(QPointF(0, 0), layout_.size));
  setBar(*across_, whole.left(), whole.right(), room.left(), room.right());
  setBar(*down_, whole.top(), whole.bottom(), room.top(), room.bottom());
  const int below = static_cast<int>(room.bottom()) + 4;
  across_->setGeometry(0, below - kBar, width() - kBar, kBar);
  down_->setGeometry(width() - kBar, 0, kBar, below - kBar);
  sceneChanged();
}

void CausalCanvas::zoomAt(QPointF place, double factor) {
  const double zoom = std::clamp(zoom_ * factor, 1.0, std::max(6.0, 1.25 / placement().m11() * zoom_));
  viewChosen_ = true;
  const QPointF offset = place - graphRect().center() - pan_;
  pan_ -= offset * (zoom / zoom_ - 1);
  if (zoom == 1.0) pan_ = {};
  zoom_ = zoom;
  hideHoverCard();
  viewMoved();
}

void CausalCanvas::wheelEvent(QWheelEvent* event) {
  if (!hasContent()) return;
  zoomAt(event->position(), std::pow(1.2, event->angleDelta().y() / 120.0));
  event->accept();
}

// Plus and minus zoom at the selected edge or node, 0 shows the whole graph, Shift and arrows pan.
bool CausalCanvas::viewKey(QKeyEvent* event) {
  constexpr double kStep = 40, kZoom = 1.2;
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  if (modifiers == Qt::ShiftModifier) {
    const QPointF by = event->key() == Qt::Key_Left    ? QPointF(kStep, 0)
                       : event->key() == Qt::Key_Right ? QPointF(-kStep, 0)
                       : event->key() == Qt::Key_Up    ? QPointF(0, kStep)
                       : event->key() == Qt::Key_Down  ? QPointF(0, -kStep)
                                                       : QPointF();
    if (!by.isNull()) {
      viewChosen_ = true;
      pan_ += by;
      hideHoverCard();
      viewMoved();
      return true;
    }
  }
  switch (event->key()) {
  case Qt::Key_Plus:
  case Qt::Key_Equal:
    zoomAt(anchorOf(selected_), kZoom);
    return true;
  case Qt::Key_Minus:
    zoomAt(anchorOf(selected_), 1 / kZoom);
    return true;
  case Qt::Key_0:
    fitGraph();
    return true;
  default:
    return false;
  }
}

} // namespace jitterscope::views
