#pragma once

#include <QTest>

#include "tests/views/base/mouse.h"
#include "tests/views/sample_data.h"
#include "views/base/export.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_settle.h"
#include "views/causal/causal_widget.h"

namespace jitterscope::views {

inline CausalLayout laidOut(const CausalGraph& graph) {
  const auto layout = layoutCausal(graph, causalMeasure(ViewStyle::light()));
  return layout ? *layout : CausalLayout{};
}

inline int edgeIndex(const CausalGraph& graph, int from, int to) {
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (graph.edges[i].from == from && graph.edges[i].to == to) return static_cast<int>(i);
  }
  return -1;
}

inline const PlacedEdge& placed(const CausalLayout& layout, int edge) {
  for (const PlacedEdge& p : layout.edges) {
    if (p.edge == edge) return p;
  }
  return layout.edges.front();
}

struct Scene {
  CausalWidget widget;
  CausalGraph graph = sample::causal();

  Scene() {
    widget.resize(1200, 560);
    widget.show();
    widget.setGraph(graph);
    QTest::qWait(1);
  }
  QPoint node(int index) {
    return widget.canvas()
        ->placement()
        .map(widget.canvas()->layout().nodes[static_cast<std::size_t>(index)].rect.center())
        .toPoint();
  }
  QPoint edge(int from, int to) {
    const PlacedEdge& p = placed(widget.canvas()->layout(), edgeIndex(graph, from, to));
    return widget.canvas()->placement().map(p.line[p.line.size() / 2]).toPoint();
  }
};

// A target with many columns of one tier: five are causes of the target, each of the others has three edges
// to earlier columns.
inline CausalGraph dense(int count = 30) {
  CausalGraph graph;
  for (int i = 0; i < count; ++i) {
    CausalNode node{i, QString("hardware counter number %1").arg(i), 3, NodeRole::Feature, 1, {}};
    node.key = QString("column %1").arg(i);
    graph.nodes.push_back(node);
  }
  graph.nodes.push_back({count, "duration", 5, NodeRole::Target, 1, {}});
  for (int i = 0; i < 5; ++i) graph.edges.push_back({i, count, true, 1, 1, 0, 2, {}, 0.9, 10.0 + i, 10, {}});
  for (int i = 5; i < count; ++i)
    for (int k = 1; k <= 3; ++k)
      graph.edges.push_back({i, i - k - 1, true, 1, 1, 0, 2, {}, 0.2 * k, -1, 10, {}});
  return graph;
}

/// Features 0 … of one lane, at most nine of them, and the target 9; no edges.
inline CausalGraph oneLane(int count) {
  CausalGraph graph;
  for (int i = 0; i < count; ++i) {
    CausalNode node{i, QString("feature %1").arg(i), 2, NodeRole::Feature, 1, {}};
    node.key = QString("f%1").arg(i);
    graph.nodes.push_back(node);
  }
  CausalNode target{9, "target", 5, NodeRole::Target, 1, {}};
  target.key = "target";
  graph.nodes.push_back(target);
  return graph;
}

inline QRectF boxOf(const PlacedEdge& edge) {
  return {edge.label.x() - edge.labelSize.width() / 2, edge.label.y() - edge.labelSize.height() / 2,
          edge.labelSize.width(), edge.labelSize.height()};
}

} // namespace jitterscope::views
