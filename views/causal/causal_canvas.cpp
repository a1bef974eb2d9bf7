#include "views/causal/causal_canvas.h"

#include <vtkContextScene.h>

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/base/painting.h"
#include "views/causal/causal_item.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_painter.h"
#include "views/table_parts/table_style.h"

namespace jitterscope::views {

namespace {

const CausalGraph& shownGraph(const CausalGraph* graph) {
  static const CausalGraph kNone;
  return graph ? *graph : kNone;
}

} // namespace

CausalCanvas::CausalCanvas(QWidget* parent) : VtkHost(parent, 4) {
  setMinimumSize(minimumSizeHint());
  setAccessibleName(tr("Causal graph"));
  makeBars();
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

void CausalCanvas::resetLayout() {
  memory_ = {};
  shown_.clear();
  viewChosen_ = false;
  graphChanged();
}

void CausalCanvas::setSelected(CausalHit selected) {
  selected_ = selected;
  sceneChanged();
}

// Everything that determines the layout of a graph.
static QString fingerprint(const CausalGraph& graph) {
  QStringList parts;
  for (const CausalNode& node : graph.nodes)
    parts << QStringLiteral("%1|%2|%3|%4|%5")
                 .arg(node.id)
                 .arg(node.key, nodeTitle(node))
                 .arg(node.tier)
                 .arg(openMembers(node).join(QLatin1Char(',')));
  for (const CausalEdge& edge : graph.edges)
    parts << QStringLiteral("%1>%2|%3|%4|%5")
                 .arg(edge.from)
                 .arg(edge.to)
                 .arg(edge.directed)
                 .arg(edge.stability)
                 .arg(edgeLabel(edge));
  return parts.join(QLatin1Char('\n'));
}

void CausalCanvas::layoutGraph() {
  constexpr std::size_t kMaxShown = 16;
  layout_ = {};
  if (graph_ == nullptr || graph_->empty()) {
    showFirst();
    return;
  }
  const QString what = fingerprint(*graph_);
  const auto known =
      std::find_if(shown_.begin(), shown_.end(), [&](const auto& each) { return each.first == what; });
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
    if (shown_.size() > kMaxShown) shown_.pop_front();
    showFirst();
  } else {
    setMessage(QString::fromStdString(describe(layout.error())));
  }
}

void CausalCanvas::resizeEvent(QResizeEvent* event) {
  VtkHost::resizeEvent(event);
  showFirst();
  viewMoved();
}

void CausalCanvas::styleChanged() {
  shown_.clear(); // the fonts changed
  for (QScrollBar* bar : {across_, down_}) bar->setStyleSheet(scrollBarSheet(viewStyle()));
  layoutGraph();
  viewMoved();
  VtkHost::styleChanged();
}

bool CausalCanvas::hasContent() const {
  return graph_ != nullptr && !layout_.nodes.empty();
}

double CausalCanvas::legendHeight() const {
  constexpr double kMaxPart = 0.4;
  const double full = causal::legendHeight(width(), viewStyle(), shownGraph(graph_));
  return full <= kMaxPart * height() ? full : 0;
}

QRectF CausalCanvas::graphRect() const {
  return QRectF(rect()).adjusted(10, 10, -10, -legendHeight() - 4);
}

void CausalCanvas::prepareScene(const QSize& size) {
  if (item_ == nullptr) {
    item_ = CausalItem::New();
    scene()->AddItem(item_);
    item_->Delete(); // the scene holds a reference
  }
  const double ratio = devicePixelRatioF();
  item_->show(buildScene(*graph_, layout_, viewStyle(), selected_), viewStyle(),
              placement() * QTransform::fromScale(ratio, ratio), size.height(), ratio);
}

void CausalCanvas::paintFallback(QPainter& painter, const QRectF& /*rect*/) {
  causal::paintScene(painter, placement(), buildScene(*graph_, layout_, viewStyle(), selected_), viewStyle());
}

void CausalCanvas::paintOver(QPainter& painter) {
  causal::paintScrolled(painter, graphRect(), layout_, placement(), viewStyle());
  if (const double below = legendHeight(); below > 0) {
    const QRectF legend(0, height() - below, width(), below);
    painter.fillRect(legend, viewStyle().background);
    causal::paintLegend(painter, legend, viewStyle(), *graph_);
  }
  if (!graph_->nothingFound.isEmpty()) drawNote(painter, rect(), tr("no cause found"), viewStyle());
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
  fitGraph();
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

// Order of the nodes as displayed: lane after lane, each from top to bottom.
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
  hideHoverCard(); // a card shown by keyboard does not disappear with the pointer
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
