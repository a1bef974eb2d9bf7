#pragma once

#include <QPointF>
#include <QTransform>
#include <deque>
#include <utility>

#include "views/causal/causal_data.h"
#include "views/causal/causal_layout.h"
#include "views/vtk/vtk_host.h"

class QScrollBar;

namespace jitterscope::views {

class CausalItem;

/// Causal graph canvas. The wheel zooms, dragging pans, Up and Down step through the edges (strongest first),
/// Left and Right through the nodes. Enter requests an edge's evidence and opens or closes a family. The menu
/// key and the right button request the menu. Nodes keep their positions if the next graph has them; a graph
/// shown before keeps its earlier layout. A graph too large for the viewport is shown at the scale at which
/// names are readable, with the target visible, and with scroll bars; the key 0 shows the whole graph.
class CausalCanvas : public VtkHost {
  Q_OBJECT

public:
  explicit CausalCanvas(QWidget* parent = nullptr);
  ~CausalCanvas() override;

  void setGraph(const CausalGraph* graph); ///< borrowed; null: no graph
  void graphChanged();                     ///< call after a family of the current graph was opened or closed
  void resetLayout();                      ///< forgets the node positions and lays out again
  void setSelected(CausalHit selected);    ///< selects by indices in the graph; emits no signal
  CausalHit selected() const { return selected_; }
  const CausalLayout& layout() const { return layout_; }
  /// Layout coordinates to logical pixels of the widget.
  QTransform placement() const;
  /// The scroll bar of a direction, hidden while the whole graph is visible.
  QScrollBar* scrollBar(Qt::Orientation orientation) const {
    return orientation == Qt::Horizontal ? across_ : down_;
  }
  QSize sizeHint() const override { return {640, 420}; }
  QSize minimumSizeHint() const override { return {240, 120}; }

signals:
  void nodeClicked(int index);
  void edgeClicked(int index);
  void backgroundClicked();
  void edgeActivated(int index); ///< Enter or double click
  void nodeActivated(int index);
  void menuRequested(jitterscope::views::CausalHit hit, QPoint global);

protected:
  void styleChanged() override;
  void prepareScene(const QSize& size) override;
  void paintFallback(QPainter& painter, const QRectF& rect) override;
  void paintOver(QPainter& painter) override;
  bool hasContent() const override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

private:
  void layoutGraph();
  // Visible part of the graph: causal_view.cpp.
  void makeBars();
  void showFirst();
  void fitGraph();
  void viewMoved();
  double missed() const;
  void setBar(QScrollBar& bar, double low, double high, double roomLow, double roomHigh);
  QPointF anchorOf(CausalHit hit) const;
  QString detailsOf(CausalHit hit) const;
  void stepNode(int by);
  void activate(CausalHit hit);
  double legendHeight() const; ///< height of the legend; 0 if it would take too much of the canvas
  QRectF graphRect() const;
  CausalHit hitAt(QPointF position) const;
  void zoomAt(QPointF place, double factor);
  bool viewKey(QKeyEvent* event);
  void stepEdge(int by);

  const CausalGraph* graph_ = nullptr;
  CausalLayout layout_;
  LayoutMemory memory_;
  std::deque<std::pair<QString, CausalLayout>> shown_; ///< most recent layouts, with the key of their graph
  CausalHit selected_;
  CausalItem* item_ = nullptr; // owned by the VTK scene
  QScrollBar *across_ = nullptr, *down_ = nullptr;
  double zoom_ = 1;
  QPointF pan_;
  QPointF pressed_;
  QPointF last_;
  bool dragging_ = false;
  bool moved_ = false;
  bool viewChosen_ = false; ///< zoomed or moved by the user
};

} // namespace jitterscope::views
