#pragma once

#include <QRectF>
#include <QTransform>

#include "views/base/view_style.h"
#include "views/causal/causal_scene.h"

class QPainter;

namespace jitterscope::views::causal {

inline constexpr int kPanelFrom = 720; ///< pictures that are wider have the panel

/// Paints graph, legend and, if `rect` is wider than kPanelFrom, the panel: for export and without EGL. If
/// `layout` is given, the nodes have its positions, as on the screen.
void paint(QPainter& painter, const QRectF& rect, const CausalGraph& graph, const ViewStyle& style,
           const CausalLayout* layout = nullptr);

/// Text size in the picture of paint() relative to the style: 1, or less where the graph has too little room.
double textScale(QSizeF size, const CausalGraph& graph, const ViewStyle& style,
                 const CausalLayout* layout = nullptr);

/// A font scaled like the graph, down to the limit of readability.
QFont scaledFont(QFont font, double scale);

/// Paints the graph under a given transformation from layout coordinates.
void paintScene(QPainter& painter, const QTransform& transform, const CausalScene& scene,
                const ViewStyle& style);
/// Paints the graph alone, fitted into the rectangle.
void paintGraph(QPainter& painter, const QRectF& rect, const CausalScene& scene, const ViewStyle& style);
/// Nodes whose centre is outside the visible part of the graph.
struct HiddenNodes {
  int above = 0, below = 0;
};
HiddenNodes hiddenNodes(const CausalLayout& layout, const QTransform& placement, const QRectF& room);
/// Over a graph that is scrolled: the names of the tiers, which stay at the top, and the numbers of nodes
/// above and below the visible part.
void paintScrolled(QPainter& painter, const QRectF& room, const CausalLayout& layout,
                   const QTransform& placement, const ViewStyle& style);
/// The legend explains signs, dashes and colours, and the ring of edges that exist because the user stated
/// them; its height is legendHeight.
double legendHeight(double width, const ViewStyle& style, const CausalGraph& graph);
void paintLegend(QPainter& painter, const QRectF& rect, const ViewStyle& style, const CausalGraph& graph);
/// Legend entries in display order.
QStringList legendWords(const CausalGraph& graph, const ViewStyle& style);

/// Places of the parts of a painted panel.
struct PanelPlaces {
  double height = 0;
  double momentTop = 0,
         momentBottom = 0; ///< ends of the comparison with other launches, from the panel's upper edge
  double listTop = 0;      ///< top of the heading above the ranked causes, from the panel's upper edge
  struct Example {
    QRectF rect; ///< rectangle of the link that shows an example launch
    QString key; ///< column of the cause
  };
  std::vector<Example> examples;
};

/// The answer in three levels: the headline, the ranked causes with their shares and advice and, unless the
/// graph is brief, the other sentences and all estimates; then the warnings. `links`: causes have a link to
/// an example launch.
PanelPlaces paintPanel(QPainter& painter, const QRectF& rect, const CausalGraph& graph,
                       const ViewStyle& style, bool links = false);
/// The places that paintPanel() would return, without painting.
PanelPlaces panelPlaces(double width, const CausalGraph& graph, const ViewStyle& style, bool links = false);
/// True if there is more to say than the headline, the ranked causes and advice.
bool hasDetails(const CausalGraph& graph);
/// Height at which a picture of this width shows the words next to the graph at 80 % of their own size or
/// more; minimum `minimum`.
int pictureHeight(int width, const CausalGraph& graph, const ViewStyle& style, int minimum);

/// Maps layout coordinates to the rectangle, enlarged at most 1.25 times.
QTransform fit(const QSizeF& scene, const QRectF& rect);

} // namespace jitterscope::views::causal
