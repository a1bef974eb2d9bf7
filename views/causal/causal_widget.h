#pragma once

#include <QWidget>

#include "views/base/view_style.h"
#include "views/causal/causal_data.h"

class QScrollArea;
class QSplitter;

namespace jitterscope::views {

class CausalCanvas;
class CausalPanel;

/// The causal graph (drawn by VTK where EGL is there, else by QPainter) beside contributions, sentences and
/// warnings.
class CausalWidget : public QWidget {
  Q_OBJECT

public:
  explicit CausalWidget(QWidget* parent = nullptr);

  const CausalGraph& graph() const { return graph_; }
  CausalCanvas* canvas() { return canvas_; }
  const ViewStyle& viewStyle() const { return style_; }
  void setViewStyle(const ViewStyle& style);
  void setMessage(const QString& message);

public slots:
  void setGraph(jitterscope::views::CausalGraph graph);
  /// From the hub; emits nothing. Ids of nodes; −1: none.
  void setSelectedNode(int node);
  void setSelectedEdge(int from, int to);

signals:
  void nodeSelected(int node);
  void edgeSelected(int from, int to);
  void selectionCleared();

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  CausalGraph graph_;
  ViewStyle style_;
  CausalCanvas* canvas_ = nullptr;
  CausalPanel* panel_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QSplitter* splitter_ = nullptr;
};

} // namespace jitterscope::views
