#pragma once

#include "views/causal/causal_places.h"

namespace jitterscope::views {

/// Lane of every node from left to right: tiers in order, the target alone in the last lane.
std::vector<int> ranksOf(const CausalGraph& graph);

/// Moves the nodes of a new layout to their positions in `before` and the others next to them, without
/// overlap in a lane. Edges do not change. False when no node moved.
bool settleNodes(CausalLayout& layout, const CausalGraph& graph, const LayoutMemory& before);

/// True if the nodes of any lane are in several columns.
bool hasSeveralColumns(const CausalLayout& layout, const std::vector<int>& ranks);

/// Number of overlaps between labels and nodes, plus labels on the arrow head of a shown edge.
int collisions(const CausalLayout& layout);

/// Fallback curve where no route is known: straight across, bent aside within one lane.
QPolygonF plainCurve(const QRectF& from, const QRectF& to);

/// Reroutes every edge around the nodes at their current positions; its label moves to its middle.
void leadEdges(CausalLayout& layout, const CausalGraph& graph);

/// Whether a line runs over a rectangle.
bool crosses(const QPolygonF& line, const QRectF& box);

/// Moves labels along their lines until they overlap neither each other nor a node, and overlap as few other
/// lines as possible.
void spreadLabels(CausalLayout& layout);

} // namespace jitterscope::views
