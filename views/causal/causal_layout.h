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
#include "views/causal/causal_places.h"

namespace jitterscope::views {

/// Measures text extents, so that the layout does not depend on a screen.
struct CausalMeasure {
  std::function<QSizeF(const CausalNode&)> node;
  std::function<QSizeF(const CausalEdge&)> edgeLabel; ///< size of an edge's label; empty: no label
  std::function<double(const QString&)> tierName;
};
/// Measures with the style's fonts.
CausalMeasure causalMeasure(const ViewStyle& style);

inline constexpr double kReadableScale = 0.54; ///< scale of a picture below which names are shortened

/// For each edge, whether it is hidden initially, because the graph has too many edges to follow. Edges
/// into the target and edges stated by the user are never hidden, and every node keeps the most stable of
/// its edges towards the target.
std::vector<bool> weakerEdges(const CausalGraph& graph);

/// Layered layout by Graphviz dot: every tier is a rank (target's tier last), isolated nodes stay in theirs.
/// A tier with too many nodes for one readable column has several columns, those next to the target at
/// the right. Deterministic. Nodes found in `before` keep their places; others go to the nearest free place
/// of their lane, and edges are rerouted around the nodes. Everything is laid out again where that separates
/// labels from each other, nodes and arrow heads, or if names would be shortened in `before.room`. Error:
/// Internal when dot fails.
Expected<CausalLayout> layoutCausal(const CausalGraph& graph, const CausalMeasure& measure,
                                    const LayoutMemory& before = {});

/// Nodes take precedence over edges; an edge is hit within `tolerance` of its line or on its label. Hidden
/// edges are not hit.
CausalHit hitTest(const CausalLayout& layout, QPointF point, double tolerance = 5);

} // namespace jitterscope::views
