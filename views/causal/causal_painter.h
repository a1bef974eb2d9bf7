#pragma once

#include <QRectF>
#include <QTransform>

#include "views/base/view_style.h"
#include "views/causal/causal_scene.h"

class QPainter;

namespace jitterscope::views::causal {

/// Graph, legend and, when there is room (wider than 720), the panel: for export and without EGL. Nodes stand
/// as in `layout`, where one is given: as on the screen.
void paint(QPainter& painter, const QRectF& rect, const CausalGraph& graph, const ViewStyle& style,
           const CausalLayout* layout = nullptr);

/// How large texts of that picture are, of those of the style: 1, less where the graph has no room.
double textScale(QSizeF size, const CausalGraph& graph, const ViewStyle& style,
                 const CausalLayout* layout = nullptr);

/// The graph under a given transformation from layout coordinates.
void paintScene(QPainter& painter, const QTransform& transform, const CausalScene& scene,
                const ViewStyle& style);
/// The graph alone, fitted into the rectangle.
void paintGraph(QPainter& painter, const QRectF& rect, const CausalScene& scene, const ViewStyle& style);
/// What signs, dashes and colours mean, and the ring of edges that the graph has because somebody stated
/// them; takes legendHeight.
double legendHeight(double width, const ViewStyle& style, const CausalGraph& graph);
void paintLegend(QPainter& painter, const QRectF& rect, const ViewStyle& style, const CausalGraph& graph);
/// Its entries in their order.
QStringList legendWords(const CausalGraph& graph, const ViewStyle& style);

/// Contributions as bars with interval whiskers, below them sentences and warnings. Returns the height used.
double paintPanel(QPainter& painter, const QRectF& rect, const CausalGraph& graph, const ViewStyle& style);
/// Whether there is more to tell of the shares than the headline's.
bool tellsHowSure(const CausalGraph& graph);
/// Where the shares begin below the panel's upper edge.
double sharesTop(double width, const CausalGraph& graph, const ViewStyle& style);
double panelHeight(double width, const CausalGraph& graph, const ViewStyle& style);
/// Height at which a picture of this width shows the words beside the graph at four fifths of their own size
/// or more; at least `least`.
int pictureHeight(int width, const CausalGraph& graph, const ViewStyle& style, int least);

/// Layout coordinates to the rectangle, never enlarged beyond 1.25.
QTransform fit(const QSizeF& scene, const QRectF& rect);

} // namespace jitterscope::views::causal
