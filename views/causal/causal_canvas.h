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

/// The graph itself. Wheel zooms, drag pans, Up and Down go through the edges, strongest first, Left and
/// Right through the nodes; Enter asks for the evidence of an edge and opens or closes a family; the menu key
/// and the right button ask for the menu. Nodes stay where they were when the next graph has them too, and a
/// graph that was shown before stands as it did. A graph too large for its place is shown at the size at
/// which names are read, with the target in sight, and with scroll bars; 0 shows the whole.
class CausalCanvas : public VtkHost {
  Q_OBJECT

public:
  explicit CausalCanvas(QWidget* parent = nullptr);
  ~CausalCanvas() override;

  void setGraph(const CausalGraph* graph); ///< borrowed; null: nothing
  void graphChanged();                     ///< the same graph, with a family opened or closed
  void layoutAnew();                       ///< forgets where nodes stood
  void setSelected(CausalHit selected);    ///< indices; emits nothing
  CausalHit selected() const { return selected_; }
  const CausalLayout& layout() const { return layout_; }
  /// Layout coordinates to logical pixels of the widget.
  QTransform placement() const;
  /// Hidden while the whole graph is in sight.
  QScrollBar* scrollBar(Qt::Orientation orientation) const {
    return orientation == Qt::Horizontal ? across_ : down_;
  }
  QSize sizeHint() const override { return {640, 420}; }
  QSize minimumSizeHint() const override { return {320, 220}; }

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
  // What is in sight: causal_view.cpp.
  void makeBars();
  void showFirst();
  void showWhole();
  void viewMoved();
  double missed() const;
  void setBar(QScrollBar& bar, double low, double high, double roomLow, double roomHigh);
  QPointF anchorOf(CausalHit hit) const;
  QString detailsOf(CausalHit hit) const;
  void stepNode(int by);
  void activate(CausalHit hit);
  QRectF graphRect() const;
  CausalHit hitAt(QPointF position) const;
  void zoomAt(QPointF place, double factor);
  bool viewKey(QKeyEvent* event);
  void stepEdge(int by);

  const CausalGraph* graph_ = nullptr;
  CausalLayout layout_;
  LayoutMemory memory_;
  std::deque<std::pair<QString, CausalLayout>> shown_; ///< what stood where, the last ones
  CausalHit selected_;
  CausalItem* item_ = nullptr; // the VTK scene's
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
