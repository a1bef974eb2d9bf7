#pragma once

#include "views/causal/causal_places.h"

namespace jitterscope::views {

/// Lane of every node from left to right: tiers in order, the target alone in the last one.
std::vector<int> ranksOf(const CausalGraph& graph);

/// Puts the nodes of a fresh layout where `before` knows them and the others beside them, without overlap in
/// a lane. Edges are left as they were. False when no node moved.
bool settleNodes(CausalLayout& layout, const CausalGraph& graph, const LayoutMemory& before);

/// Whether nodes of one lane stand in several columns.
bool hasSeveralColumns(const CausalLayout& layout, const std::vector<int>& ranks);

/// How many labels and nodes lie on each other, and how many labels on the arrow head of a shown edge.
int collisions(const CausalLayout& layout);

/// Where no other way is known: straight across, bent aside within one lane.
QPolygonF plainCurve(const QRectF& from, const QRectF& to);

/// Leads every edge anew around the nodes as they stand; its label goes to its middle.
void leadEdges(CausalLayout& layout, const CausalGraph& graph);

/// Whether a line runs over a rectangle.
bool crosses(const QPolygonF& line, const QRectF& box);

/// Moves labels along their lines until they overlap neither each other nor a node and as few other lines as
/// there can be.
void spreadLabels(CausalLayout& layout);

} // namespace jitterscope::views
