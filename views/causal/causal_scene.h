#pragma once

#include <QColor>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <vector>

#include "views/base/view_style.h"
#include "views/causal/causal_places.h"

namespace jitterscope::views {

/// The drawing, once, as plain shapes in the layout's coordinates: QPainter and VTK both draw exactly these.
struct SceneLine {
  QPolygonF points;
  QColor colour;
  double width = 1;
};
struct SceneShape {
  QPolygonF outline; ///< closed
  QColor fill;       ///< invalid: none
  QColor stroke;
  double width = 1;
};
struct SceneText {
  QRectF rect;
  QString text;
  QColor colour;
  FontRole font = FontRole::Normal;
  Qt::Alignment alignment = Qt::AlignCenter;
  bool elided = true; ///< in the middle, where it is wider than the rectangle
  int node = -1;      ///< whose it is, an index into CausalGraph::nodes
};

struct CausalScene {
  QSizeF size;
  std::vector<SceneShape> underlay; ///< tier columns
  std::vector<SceneLine> lines;     ///< dashes are lines of their own
  std::vector<SceneShape> shapes;   ///< arrow heads, label grounds, nodes
  std::vector<SceneText> texts;
};

CausalScene buildScene(const CausalGraph& graph, const CausalLayout& layout, const ViewStyle& style,
                       CausalHit selected = {});

/// Pieces of a polyline, `on` long with `off` between.
std::vector<QPolygonF> dashes(const QPolygonF& line, double on, double off);
/// Tip of an edge: a filled triangle for positive, a bar for negative, an open triangle for unknown sign.
SceneShape arrowHead(const CausalEdge& edge, QPointF tip, QPointF direction, const QColor& colour,
                     const QColor& ground);
QColor edgeColour(const CausalEdge& edge, const ViewStyle& style);
/// Line width of an edge in logical pixels: 1.2 … 6 by contribution.
double edgeWidth(const CausalEdge& edge);
/// "+62 %" for edges into the target, else empty.
QString edgeLabel(const CausalEdge& edge);
/// "bytes moved  ×3": what a node is called in the picture.
QString nodeTitle(const CausalNode& node);
/// The same in one line or two, as it is drawn.
QStringList nodeLines(const CausalNode& node, const ViewStyle& style);
/// Of all nodes: what differs is never drawn the same.
std::vector<QStringList> nodeLines(const CausalGraph& graph, const ViewStyle& style);
inline constexpr double kNodeText = 130; ///< most room of a line
inline constexpr int kNodeLines = 4;     ///< of a node's name
/// What an opened family lists, at most twelve lines; empty when it is closed.
QStringList openMembers(const CausalNode& node);
inline constexpr double kMemberHeight = 15;
/// "migration → kernel variability", effect, interval, n, stability and the sentence; for the hover card.
QString edgeDetails(const CausalGraph& graph, const CausalEdge& edge);
QString nodeDetails(const CausalGraph& graph, const CausalNode& node);

} // namespace jitterscope::views
