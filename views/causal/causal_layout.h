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

/// Text extents, so that the layout needs no screen.
struct CausalMeasure {
  std::function<QSizeF(const CausalNode&)> node;
  std::function<QSizeF(const CausalEdge&)> edgeLabel; ///< empty: no label
  std::function<double(const QString&)> tierName;
};
/// Measures with the style's fonts.
CausalMeasure causalMeasure(const ViewStyle& style);

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

/// Nodes win over edges; an edge is hit within `tolerance` of its line or on its label. Hidden edges are not
/// hit.
CausalHit hitTest(const CausalLayout& layout, QPointF point, double tolerance = 5);

} // namespace jitterscope::views
