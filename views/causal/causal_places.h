#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QSizeF>
#include <functional>
#include <map>
#include <vector>

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
  QRectF column; ///< background of the lane over the whole height, its name on top
  int rank = 0;  ///< place from left to right, the same between refits
};

struct CausalLayout {
  QSizeF size;
  std::vector<PlacedNode> nodes;
  std::vector<PlacedEdge> edges;
  std::vector<PlacedTier> tiers;
};

/// Last positions of nodes and lanes: known keys return to the same place.
struct LayoutMemory {
  std::map<QString, QPointF> centres;             ///< centre by CausalNode::key
  std::map<int, std::pair<double, double>> lanes; ///< centre and half width of each lane, by rank
  QSizeF room;                                    ///< size that the picture is fitted into; empty: unknown
  bool empty() const { return centres.empty(); }
  /// Stores a layout. Layouts with a lane of several columns are not stored: the memory is then empty.
  void keep(const CausalGraph& graph, const CausalLayout& layout);
};

struct CausalHit {
  int node = -1; ///< index into graph.nodes
  int edge = -1; ///< index into graph.edges
  bool none() const { return node < 0 && edge < 0; }
};
} // namespace jitterscope::views
