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

/// The drawing as plain shapes in layout coordinates, built once; QPainter and VTK both draw exactly these.
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
  bool elided = true; ///< the text is elided in the middle if it is wider than its rectangle
  int node = -1;      ///< owner, an index into CausalGraph::nodes
};

struct CausalScene {
  QSizeF size;
  std::vector<SceneShape> underlay; ///< background of the tier columns
  std::vector<SceneLine> lines;     ///< each dash is a separate line
  std::vector<SceneShape> shapes;   ///< arrow heads, label grounds, nodes
  std::vector<SceneText> texts;
};

CausalScene buildScene(const CausalGraph& graph, const CausalLayout& layout, const ViewStyle& style,
                       CausalHit selected = {});

/// Splits a polyline into dashes of length `on` with gaps of length `off`.
std::vector<QPolygonF> dashes(const QPolygonF& line, double on, double off);
/// Tip of an edge: a filled triangle for positive, a bar for negative, an open triangle for unknown sign.
SceneShape arrowHead(const CausalEdge& edge, QPointF tip, QPointF direction, const QColor& colour,
                     const QColor& ground);
QColor edgeColour(const CausalEdge& edge, const ViewStyle& style);
/// Line width of an edge in logical pixels: 1.2 … 6 by contribution.
double edgeWidth(const CausalEdge& edge);
/// "+62 %" for edges into the target, "required" for stated edges without a share, else empty.
QString edgeLabel(const CausalEdge& edge);
/// Node title in the picture: "bytes moved  ×3".
QString nodeTitle(const CausalNode& node);
/// Title of a node, wrapped as it is drawn.
QStringList nodeLines(const CausalNode& node, const ViewStyle& style);
/// Wrapped titles of all nodes; different titles never look the same.
std::vector<QStringList> nodeLines(const CausalGraph& graph, const ViewStyle& style);
inline constexpr double kNodeText = 130; ///< maximum width of a line of a node's name
inline constexpr int kNodeLines = 4;     ///< maximum lines of a node's name
/// Lines listed below an opened family: at most twelve names, and the number of the others; empty if it is
/// closed.
QStringList openMembers(const CausalNode& node);
inline constexpr double kMemberHeight = 15;
/// "migration → kernel variability", effect, interval, n, stability and the sentence; for the hover card.
QString edgeDetails(const CausalGraph& graph, const CausalEdge& edge);
QString nodeDetails(const CausalGraph& graph, const CausalNode& node);

} // namespace jitterscope::views
