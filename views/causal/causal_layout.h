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
  bool hidden = false; ///< one of the weaker edges of a dense graph, see weakerEdges
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
  std::map<QString, QPointF> centres;             ///< by CausalNode::key
  std::map<int, std::pair<double, double>> lanes; ///< by rank: centre and half width
  QSizeF room;                                    ///< what the picture is fitted into; empty: not known
  bool empty() const { return centres.empty(); }
  /// A lane of several columns has no places to keep: nothing is known afterwards.
  void keep(const CausalGraph& graph, const CausalLayout& layout);
};

inline constexpr double kReadableScale = 0.54; ///< of a picture: below it names are shortened

/// By edge: whether it is left out at first, because the graph has more edges than anyone can follow. Edges
/// into the target and those that somebody stated are never left out, and every node keeps the most stable of
/// its edges towards the target.
std::vector<bool> weakerEdges(const CausalGraph& graph);

/// Layers by Graphviz dot: every tier is a rank (target's tier last), isolated nodes kept in their tier. A
/// tier of more nodes than stand readably below each other has several columns, those next to the target at
/// the right. Deterministic. Nodes that `before` knows stay where they were; others go to the nearest free
/// place of their lane, and edges are led around the nodes anew; but all is laid out afresh where that brings
/// labels off each other or off nodes and arrow heads, or names would be shortened in `before.room`. Error:
/// Internal when dot refuses.
Expected<CausalLayout> layoutCausal(const CausalGraph& graph, const CausalMeasure& measure,
                                    const LayoutMemory& before = {});

struct CausalHit {
  int node = -1; ///< index into graph.nodes
  int edge = -1; ///< index into graph.edges
  bool none() const { return node < 0 && edge < 0; }
};
/// Nodes win over edges; an edge is hit within `tolerance` of its line or on its label. Hidden edges are not
/// hit.
CausalHit hitTest(const CausalLayout& layout, QPointF point, double tolerance = 5);

} // namespace jitterscope::views
