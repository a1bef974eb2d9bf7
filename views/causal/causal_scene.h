#pragma once

#include <QColor>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <vector>

#include "views/base/view_style.h"
#include "views/causal/causal_layout.h"

namespace jitterscope::views {

/// The drawing, once, as plain shapes in the layout's coordinates: QPainter and VTK both draw exactly these.
struct SceneLine {
  QPolygonF points;
  QColor colour;
  double width = 1;
  bool dashed = false;
};
struct SceneShape {
  QPolygonF outline;  ///< closed
  QColor fill;        ///< invalid: none
  QColor stroke;
  double width = 1;
};
struct SceneText {
  QRectF rect;
  QString text;
  QColor colour;
  FontRole font = FontRole::Normal;
  Qt::Alignment alignment = Qt::AlignCenter;
};

struct CausalScene {
  QSizeF size;
  std::vector<SceneShape> underlay;  ///< tier columns
  std::vector<SceneLine> lines;
  std::vector<SceneShape> shapes;  ///< arrow heads, label grounds, nodes
  std::vector<SceneText> texts;
};

CausalScene buildScene(const CausalGraph& graph, const CausalLayout& layout, const ViewStyle& style,
                       CausalHit selected = {});

/// How the signs are drawn in this style, in words and samples (below the graph, always).
CausalScene legendScene(const ViewStyle& style);

/// Line width of an edge in logical pixels: 1.2 … 6 by contribution.
double edgeWidth(const CausalEdge& edge);
QString edgeLabel(const CausalEdge& edge);
/// "migration → kernel variability", effect, interval, n, stability and the sentence; for the hover card.
QString edgeDetails(const CausalGraph& graph, const CausalEdge& edge);
QString nodeDetails(const CausalGraph& graph, const CausalNode& node);

}  // namespace jitterscope::views
