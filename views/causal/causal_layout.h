#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QSizeF>
#include <functional>
#include <map>
#include <vector>

#include "core/base/error.h"
#include "views/base/view_style.h"
#include "views/causal/causal_data.h"

namespace jitterscope::views {

/// Places in logical pixels, origin at the upper left corner; tiers from left to right.
struct PlacedNode {
  int node = 0; ///< index into CausalGraph::nodes
  QRectF rect;
};

struct PlacedEdge {
  int edge = 0;   ///< index into CausalGraph::edges
  QPolygonF line; ///< the curve, flattened: for drawing and for hit tests
  QPointF label;  ///< centre of the label, on the line
  QSizeF labelSize;
};

struct PlacedTier {
  int tier = 0; ///< −1: the target's own column, where its tier is not the last
  QString name;
  QRectF column; ///< over the whole height, name on top
  int rank = 0;  ///< place from left to right, the same between refits
};

struct CausalLayout {
  QSizeF size;
  std::vector<PlacedNode> nodes;
  std::vector<PlacedEdge> edges;
  std::vector<PlacedTier> tiers;
};

/// Text extents, so that the layout needs no screen.
struct CausalMeasure {
  std::function<QSizeF(const CausalNode&)> node;
  std::function<QSizeF(const CausalEdge&)> edgeLabel; ///< empty: no label
  std::function<double(const QString&)> tierName;
};
/// Measures with the style's fonts.
CausalMeasure causalMeasure(const ViewStyle& style);

/// Where nodes and lanes stood last: what is known by name is put there again.
struct LayoutMemory {
  std::map<QString, QPointF> centres;               ///< by CausalNode::key
  std::map<int, std::pair<double, double>> lanes;   ///< by rank: centre and half width
  bool empty() const { return centres.empty(); }
  void keep(const CausalGraph& graph, const CausalLayout& layout);
};

/// Layers by Graphviz dot: every tier is a rank (target's tier last), isolated nodes kept in their tier.
/// Deterministic. Nodes that `before` knows stay where they were; others go to the nearest free place of their
/// lane, and edges are led around the nodes anew. Error: Internal when dot refuses.
Expected<CausalLayout> layoutCausal(const CausalGraph& graph, const CausalMeasure& measure,
                                    const LayoutMemory& before = {});

struct CausalHit {
  int node = -1; ///< index into graph.nodes
  int edge = -1; ///< index into graph.edges
  bool none() const { return node < 0 && edge < 0; }
};
/// Nodes win over edges; an edge is hit within `tolerance` of its line or on its label.
CausalHit hitTest(const CausalLayout& layout, QPointF point, double tolerance = 5);

} // namespace jitterscope::views
