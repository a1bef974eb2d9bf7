#pragma once

#include <QSet>
#include <QWidget>

#include "views/base/view_style.h"
#include "views/causal/causal_data.h"

class QScrollArea;
class QSplitter;

namespace jitterscope::views {

class CausalCanvas;
class CausalPanel;

/// The causal graph (drawn by VTK if EGL is available, else by QPainter) next to contributions, sentences and
/// warnings.
class CausalWidget : public QWidget {
  Q_OBJECT

public:
  explicit CausalWidget(QWidget* parent = nullptr);

  const CausalGraph& graph() const { return graph_; }
  QSize minimumSizeHint() const override { return {280, 240}; }
  CausalCanvas* canvas() { return canvas_; }
  const ViewStyle& viewStyle() const { return style_; }
  void setViewStyle(const ViewStyle& style);
  void setMessage(const QString& message);
  /// Dims the answer until the next setGraph(): it is that of an earlier question.
  void setOutdated();
  bool outdated() const;
  /// Sets the comparison with other launches of the new question; the rest stays outdated.
  void setMoment(const QStringList& sentences);

  /// Expands a family to list its columns, or collapses it; the state persists in later graphs.
  void toggleFamily(int node);

public slots:
  void setGraph(jitterscope::views::CausalGraph graph);
  /// Forgets the graph, its answer and its layout, when other files are opened.
  void clear();
  /// Sets the selection from the hub; emits no signal. Ids of nodes; −1: none.
  void setSelectedNode(int node);
  void setSelectedEdge(int from, int to);

signals:
  void nodeSelected(int node);
  void edgeSelected(int from, int to);
  void selectionCleared();
  /// Enter or double click: requests the rows behind the edge.
  void evidenceRequested(int from, int to);
  /// The link of a ranked cause: requests a launch that shows it. `key`: the column.
  void exampleRequested(const QString& key);
  /// Right button or menu key on a node (id), an edge (from, to), or neither (all −1).
  void menuRequested(int node, int from, int to, QPoint global);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  CausalGraph graph_;
  QSet<QString> opened_; ///< opened families, by CausalNode::key
  ViewStyle style_;
  CausalCanvas* canvas_ = nullptr;
  CausalPanel* panel_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  void share();
  bool moved_ = false; ///< true once the user has moved the border between graph and text
  QSplitter* splitter_ = nullptr;
};

} // namespace jitterscope::views
