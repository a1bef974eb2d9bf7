#include "views/causal/causal_widget.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/causal/causal_canvas.h"
#include "views/causal/causal_panel.h"
#include "views/table_parts/table_style.h"

namespace jitterscope::views {

CausalWidget::CausalWidget(QWidget* parent)
    : QWidget(parent), style_(ViewStyle::light()), canvas_(new CausalCanvas), panel_(new CausalPanel),
      scroll_(new QScrollArea) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSizeConstraint(QLayout::SetNoConstraint); // narrow docks stack graph and text, see resizeEvent
  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  splitter_->addWidget(canvas_);
  scroll_->setWidget(panel_);
  connect(panel_, &CausalPanel::confidenceRequested, this, [this](bool whole) {
    graph_.brief = !whole;
    panel_->setGraph(&graph_);
  });
  connect(panel_, &CausalPanel::exampleRequested, this, &CausalWidget::exampleRequested);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setMinimumWidth(240);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  splitter_->addWidget(scroll_);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 0);
  splitter_->setSizes({700, 340});
  layout->addWidget(splitter_);
  connect(splitter_, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
  connect(canvas_, &CausalCanvas::nodeClicked, this,
          [this](int index) { emit nodeSelected(graph_.nodes[static_cast<std::size_t>(index)].id); });
  connect(canvas_, &CausalCanvas::edgeClicked, this, [this](int index) {
    const CausalEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
    emit edgeSelected(edge.from, edge.to);
  });
  connect(canvas_, &CausalCanvas::backgroundClicked, this, &CausalWidget::selectionCleared);
  connect(canvas_, &CausalCanvas::edgeActivated, this, [this](int index) {
    const CausalEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
    emit evidenceRequested(edge.from, edge.to);
  });
  connect(canvas_, &CausalCanvas::nodeActivated, this,
          [this](int index) { toggleFamily(graph_.nodes[static_cast<std::size_t>(index)].id); });
  connect(canvas_, &CausalCanvas::menuRequested, this, [this](CausalHit hit, QPoint global) {
    const auto* edge = hit.edge >= 0 ? &graph_.edges[static_cast<std::size_t>(hit.edge)] : nullptr;
    emit menuRequested(hit.node >= 0 ? graph_.nodes[static_cast<std::size_t>(hit.node)].id : -1,
                       edge ? edge->from : -1, edge ? edge->to : -1, global);
  });
  setMessage(tr("Open a trace to see why its launches vary"));
  setViewStyle(style_);
}

// The text is next to the graph in wide docks and below it in tall ones and where both do not fit side by
// side.
void CausalWidget::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool fits = width() > canvas_->minimumWidth() + scroll_->minimumWidth();
  const auto requested = fits && width() >= height() ? Qt::Horizontal : Qt::Vertical;
  if (splitter_->orientation() != requested) {
    splitter_->setOrientation(requested);
    moved_ = false;
  }
  share();
}

// Divides the space again after every resize, until the user moves the border.
void CausalWidget::share() {
  if (moved_) return;
  if (splitter_->orientation() == Qt::Vertical)
    splitter_->setSizes({height() / 2, height() / 2});
  else
    splitter_->setSizes({width() - 340, 340});
}

void CausalWidget::setViewStyle(const ViewStyle& style) {
  style_ = style;
  QPalette palette = this->palette();
  palette.setColor(QPalette::Window, style.border);
  setPalette(palette);
  setAutoFillBackground(true);
  QPalette ground = scroll_->palette();
  ground.setColor(QPalette::Window, style.background);
  scroll_->setPalette(ground);
  scroll_->viewport()->setPalette(ground);
  scroll_->setStyleSheet(scrollBarSheet(style));
  canvas_->setViewStyle(style);
  panel_->setViewStyle(style);
}

void CausalWidget::setMessage(const QString& message) {
  canvas_->setMessage(message);
}

void CausalWidget::setOutdated() {
  panel_->setOutdated(CausalPanel::Outdated::All);
}

bool CausalWidget::outdated() const {
  return panel_->outdated() != CausalPanel::Outdated::Nothing;
}

void CausalWidget::setMoment(const QStringList& sentences) {
  graph_.moment = sentences;
  panel_->setGraph(&graph_);
  panel_->setOutdated(CausalPanel::Outdated::AllButMoment);
  scroll_->verticalScrollBar()->setValue(0);
}

void CausalWidget::setGraph(CausalGraph graph) {
  if (panel_->outdated() == CausalPanel::Outdated::All) scroll_->verticalScrollBar()->setValue(0);
  panel_->setOutdated(CausalPanel::Outdated::Nothing);
  graph_ = std::move(graph);
  graph_.brief = !panel_->confidenceButton()->isChecked();
  for (CausalNode& node : graph_.nodes) node.open = opened_.contains(node.key);
  setMessage(graph_.empty() ? graph_.nothingFound : QString());
  canvas_->setGraph(&graph_);
  panel_->setGraph(&graph_);
  scroll_->setVisible(!graph_.empty());
  share();
}

void CausalWidget::clear() {
  graph_ = {};
  setMessage({});
  canvas_->setGraph(&graph_);
  canvas_->resetLayout();
  panel_->setGraph(&graph_);
}

void CausalWidget::toggleFamily(int node) {
  for (CausalNode& each : graph_.nodes) {
    if (each.id != node || each.role != NodeRole::Family) continue;
    each.open = !each.open;
    if (each.open)
      opened_.insert(each.key);
    else
      opened_.remove(each.key);
    canvas_->graphChanged();
  }
}

void CausalWidget::setSelectedNode(int node) {
  CausalHit hit;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (graph_.nodes[i].id == node) hit.node = static_cast<int>(i);
  }
  canvas_->setSelected(hit);
}

void CausalWidget::setSelectedEdge(int from, int to) {
  CausalHit hit;
  for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
    if (graph_.edges[i].from == from && graph_.edges[i].to == to) hit.edge = static_cast<int>(i);
  }
  canvas_->setSelected(hit);
}

} // namespace jitterscope::views
