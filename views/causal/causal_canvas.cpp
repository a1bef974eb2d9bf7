#include "views/causal/causal_canvas.h"

#include <vtkContextScene.h>

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/base/painting.h"
#include "views/base/table_style.h"
#include "views/causal/causal_item.h"
#include "views/causal/causal_painter.h"

namespace jitterscope::views {

namespace {

constexpr int kBar = 10; // as wide as the margin around the graph

const CausalGraph& shownGraph(const CausalGraph* graph) {
  static const CausalGraph kNone;
  return graph ? *graph : kNone;
}

} // namespace

CausalCanvas::CausalCanvas(QWidget* parent) : VtkHost(parent, 4) {
  setMinimumSize(minimumSizeHint());
  setAccessibleName(tr("Causal graph"));
  const auto bar = [this](Qt::Orientation orientation, const QString& name) {
    auto* made = new QScrollBar(orientation, this);
    made->hide();
    made->setFocusPolicy(Qt::NoFocus);
    made->setCursor(Qt::ArrowCursor);
    made->setSingleStep(40);
    made->setAccessibleName(name);
    made->setToolTip(tr("Part of the graph: dragging it moves it too, 0 shows all"));
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

// From the first to the last of the graph and of what is in sight, which may be empty ground.
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

// The margins beside the nodes are not missed when they are out of sight.
double CausalCanvas::missed() const {
  constexpr double kMargin = 12;
  return 2 + 2 * kMargin * placement().m11();
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

CausalCanvas::~CausalCanvas() = default;

void CausalCanvas::setGraph(const CausalGraph* graph) {
  graph_ = graph;
  selected_ = {};
  if (graph_ == nullptr || graph_->empty()) {
    viewChosen_ = false;
  }
  graphChanged();
}

void CausalCanvas::graphChanged() {
  layoutGraph();
  hideHoverCard();
  viewMoved();
}

void CausalCanvas::layoutAnew() {
  memory_ = {};
  shown_.clear();
  viewChosen_ = false;
  graphChanged();
}

void CausalCanvas::setSelected(CausalHit selected) {
  selected_ = selected;
  sceneChanged();
}

// All that the places of a picture hang on.
static QString fingerprint(const CausalGraph& graph) {
  QStringList parts;
  for (const CausalNode& node : graph.nodes)
    parts << QStringLiteral("%1|%2|%3|%4|%5").arg(node.id).arg(node.key, nodeTitle(node)).arg(node.tier).arg(openMembers(node).join(QLatin1Char(',')));
  for (const CausalEdge& edge : graph.edges)
    parts << QStringLiteral("%1>%2|%3|%4|%5").arg(edge.from).arg(edge.to).arg(edge.directed).arg(edge.stability).arg(edgeLabel(edge));
  return parts.join(QLatin1Char('\n'));
}

void CausalCanvas::layoutGraph() {
  constexpr std::size_t kMostShown = 16;
  layout_ = {};
  if (graph_ == nullptr || graph_->empty()) {
    showFirst();
    return;
  }
  const QString what = fingerprint(*graph_);
  const auto known = std::find_if(shown_.begin(), shown_.end(), [&](const auto& each) { return each.first == what; });
  if (known != shown_.end()) {
    layout_ = known->second;
    memory_ = {};
    memory_.keep(*graph_, layout_);
    showFirst();
    return;
  }
  memory_.room = graphRect().size();
  auto layout = layoutCausal(*graph_, causalMeasure(viewStyle()), memory_);
  if (layout) {
    layout_ = std::move(*layout);
    memory_.keep(*graph_, layout_);
    shown_.emplace_back(what, layout_);
    if (shown_.size() > kMostShown) shown_.pop_front();
    showFirst();
  } else {
    setMessage(QString::fromStdString(describe(layout.error())));
  }
}

// Until the user moves or zooms it: the whole where its names can be read, else the target with as much as there is room for.
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
    if (graph_->nodes[static_cast<std::size_t>(placed.node)].role != NodeRole::Target || whole.height() <= room.height()) continue;
    const double wanted = room.center().y() - placement().map(placed.rect.center()).y();
    pan_.setY(std::clamp(wanted, room.bottom() - whole.bottom(), room.top() - whole.top()));
  }
}

void CausalCanvas::resizeEvent(QResizeEvent* event) {
  VtkHost::resizeEvent(event);
  showFirst();
  viewMoved();
}

void CausalCanvas::styleChanged() {
  shown_.clear(); // other fonts
  for (QScrollBar* bar : {across_, down_}) bar->setStyleSheet(scrollBarSheet(viewStyle()));
  layoutGraph();
  viewMoved();
  VtkHost::styleChanged();
}

bool CausalCanvas::hasContent() const {
  return graph_ != nullptr && !layout_.nodes.empty();
}

QRectF CausalCanvas::graphRect() const {
  return QRectF(rect()).adjusted(10, 10, -10, -causal::legendHeight(width(), viewStyle(), shownGraph(graph_)) - 4);
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

void CausalCanvas::prepareScene(const QSize& size) {
  if (item_ == nullptr) {
    item_ = CausalItem::New();
    scene()->AddItem(item_);
    item_->Delete(); // the scene keeps it
  }
  const double ratio = devicePixelRatioF();
  item_->show(buildScene(*graph_, layout_, viewStyle(), selected_), viewStyle(),
              placement() * QTransform::fromScale(ratio, ratio), size.height(), ratio);
}

void CausalCanvas::paintFallback(QPainter& painter, const QRectF& /*rect*/) {
  causal::paintScene(painter, placement(), buildScene(*graph_, layout_, viewStyle(), selected_), viewStyle());
}

void CausalCanvas::paintOver(QPainter& painter) {
  const double below = causal::legendHeight(width(), viewStyle(), shownGraph(graph_));
  const QRectF legend(0, height() - below, width(), below);
  painter.fillRect(legend, viewStyle().background);
  causal::paintLegend(painter, legend, viewStyle(), *graph_);
  if (!graph_->nothingFound.isEmpty()) drawNote(painter, rect(), tr("nothing found"), viewStyle());
}

CausalHit CausalCanvas::hitAt(QPointF position) const {
  if (!hasContent()) return {};
  const QTransform placed = placement();
  return hitTest(layout_, placed.inverted().map(position), 6 / placed.m11());
}

void CausalCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !hasContent()) return;
  pressed_ = last_ = event->position();
  dragging_ = true;
  moved_ = false;
}

void CausalCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (dragging_) {
    moved_ = moved_ || (position - pressed_).manhattanLength() > 4;
    if (moved_) {
      viewChosen_ = true;
      pan_ += position - last_;
      hideHoverCard();
      viewMoved();
    }
    last_ = position;
    return;
  }
  const CausalHit hit = hitAt(position);
  setCursor(hit.none() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  if (hit.none())
    hideHoverCard();
  else
    showHoverCard(position, detailsOf(hit));
}

QString CausalCanvas::detailsOf(CausalHit hit) const {
  if (hit.node >= 0) return nodeDetails(*graph_, graph_->nodes[static_cast<std::size_t>(hit.node)]);
  if (hit.edge >= 0) return edgeDetails(*graph_, graph_->edges[static_cast<std::size_t>(hit.edge)]);
  return {};
}

QPointF CausalCanvas::anchorOf(CausalHit hit) const {
  const QTransform placed = placement();
  for (const PlacedNode& node : layout_.nodes)
    if (node.node == hit.node) return placed.map(node.rect.center());
  for (const PlacedEdge& edge : layout_.edges)
    if (edge.edge == hit.edge) return placed.map(edge.label);
  return graphRect().center();
}

void CausalCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !dragging_) return;
  dragging_ = false;
  if (moved_) return;
  selected_ = hitAt(event->position());
  sceneChanged();
  if (selected_.node >= 0) {
    emit nodeClicked(selected_.node);
  } else if (selected_.edge >= 0) {
    emit edgeClicked(selected_.edge);
  } else {
    emit backgroundClicked();
  }
}

void CausalCanvas::activate(CausalHit hit) {
  if (hit.node >= 0)
    emit nodeActivated(hit.node);
  else if (hit.edge >= 0)
    emit edgeActivated(hit.edge);
}

void CausalCanvas::contextMenuEvent(QContextMenuEvent* event) {
  if (!hasContent()) return;
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  const CausalHit hit = byKey ? selected_ : hitAt(event->pos());
  const QPoint global = byKey ? mapToGlobal(anchorOf(hit).toPoint()) : event->globalPos();
  if (!byKey && !hit.none()) setSelected(hit);
  hideHoverCard();
  emit menuRequested(hit, global);
}

void CausalCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  dragging_ = false;
  if (hasContent()) {
    if (const CausalHit hit = hitAt(event->position()); !hit.none()) {
      activate(hit);
      return;
    }
  }
  showWhole();
}

void CausalCanvas::showWhole() {
  viewChosen_ = true;
  zoom_ = 1;
  pan_ = {};
  hideHoverCard();
  viewMoved();
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

// Plus and minus zoom where the chosen edge or node is, 0 shows the whole, Shift and arrows move it.
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
    showWhole();
    return true;
  default:
    return false;
  }
}

void CausalCanvas::stepEdge(int by) {
  std::vector<int> order;
  for (const PlacedEdge& edge : layout_.edges) order.push_back(edge.edge);
  if (order.empty()) return;
  std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
    return graph_->edges[static_cast<std::size_t>(a)].percent >
           graph_->edges[static_cast<std::size_t>(b)].percent;
  });
  const auto found = std::find(order.begin(), order.end(), selected_.edge);
  const int count = static_cast<int>(order.size());
  int at = static_cast<int>(found - order.begin()) + by;
  if (found == order.end()) at = by > 0 ? 0 : count - 1;
  selected_ = {-1, order[static_cast<std::size_t>((at + count) % count)]};
  sceneChanged();
  showHoverCard(anchorOf(selected_), detailsOf(selected_));
  emit edgeClicked(selected_.edge);
}

// Through the nodes as they stand: lane after lane, each from top to bottom.
void CausalCanvas::stepNode(int by) {
  std::vector<const PlacedNode*> order;
  for (const PlacedNode& node : layout_.nodes) order.push_back(&node);
  std::stable_sort(order.begin(), order.end(), [](const PlacedNode* a, const PlacedNode* b) {
    const QPointF p = a->rect.center(), q = b->rect.center();
    return std::abs(p.x() - q.x()) > 1.5 ? p.x() < q.x() : p.y() < q.y();
  });
  const int count = static_cast<int>(order.size());
  int at = by > 0 ? -1 : count;
  for (int i = 0; i < count; ++i)
    if (order[static_cast<std::size_t>(i)]->node == selected_.node) at = i;
  selected_ = {order[static_cast<std::size_t>(std::clamp(at + by, 0, count - 1))]->node, -1};
  sceneChanged();
  showHoverCard(anchorOf(selected_), detailsOf(selected_));
  emit nodeClicked(selected_.node);
}

void CausalCanvas::focusOutEvent(QFocusEvent* event) {
  hideHoverCard(); // that of the keyboard has no pointer to leave with
  VtkHost::focusOutEvent(event);
}

void CausalCanvas::keyPressEvent(QKeyEvent* event) {
  if (!hasContent()) {
    VtkHost::keyPressEvent(event);
    return;
  }
  if (viewKey(event)) return;
  switch (event->key()) {
  case Qt::Key_Down:
    stepEdge(1);
    return;
  case Qt::Key_Up:
    stepEdge(-1);
    return;
  case Qt::Key_Left:
    stepNode(-1);
    return;
  case Qt::Key_Right:
    stepNode(1);
    return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (selected_.none()) break;
    activate(selected_);
    return;
  case Qt::Key_Escape:
    if (selected_.none()) break;
    hideHoverCard();
    setSelected({});
    emit backgroundClicked();
    return;
  default:
    break;
  }
  VtkHost::keyPressEvent(event);
}

} // namespace jitterscope::views
