#pragma once

#include <QRectF>
#include <vector>

#include "views/base/view_style.h"
#include "views/metrics/metrics_data.h"
#include "views/timeline/viewport.h"

namespace jitterscope::views::metrics {

/// Vertical extent of a panel: header, then its objects.
struct PanelPlace {
  double top = 0, header = 0, body = 0; ///< position and heights in content coordinates, not scrolled
  int lanes = 0;                        ///< rows of the body; a lane shows one or several objects
  double lane() const { return lanes > 0 ? body / lanes : body; }
  double bottom() const { return top + header + body; }
};

/// Objects [first, last) of a lane.
struct LaneObjects {
  int first = 0, last = 0;
};

/// State and geometry of the view; a plain value.
struct Model {
  std::vector<MetricPanel> panels;
  Viewport viewport; ///< visible time; its width in pixels is that of the plot
  std::optional<Interval> brush;
  std::optional<Nanoseconds> cursor;
  std::vector<Interval> moments; ///< selected times, sorted and disjoint
  double scroll = 0;             ///< height of the content that is scrolled out above the visible part

  double gutter = 0, axis = 0; ///< width of the names, height of the time axis
  std::vector<PanelPlace> places;
  double height = 0; ///< height of the content

  void layout(const QRectF& rect, const ViewStyle& style);
  /// Scroll position nearest to the present one at which a panel is visible, in a view of this height.
  double scrollTo(int panel, double visible) const;
  QRectF plot(const QRectF& rect) const { return rect.adjusted(gutter, 0, 0, -axis); }
  /// Panel at a vertical position in the view; −1 between or below panels.
  int panelAt(double y) const;
  /// Lane of a panel at a vertical position in the view; −1 in the panel's header.
  int laneAt(int panel, double y) const;
  LaneObjects objectsOf(int panel, int lane) const;
};

/// Lanes at least this high are curves, lower ones are rows of colours.
inline constexpr double kCurve = 22;

/// Panel whose histogram is shown by default: the first whose values are not only 0 and 1; as long as values
/// of panels above it have not arrived, and if there is none, the first panel. −1 without panels.
int histogramPanel(const std::vector<MetricPanel>& panels);
/// Title of a panel; a metric without one has its text.
QString titleOf(const MetricPanel& panel);
/// Scale of a panel: as given, or from 0 to the largest value, or from the smallest value if some are below
/// 0.
MetricScale scaleOf(const MetricPanel& panel);
/// Whether a lane of this height has room for the ends of its scale next to its name, and their width.
bool showsEnds(double lane, const ViewStyle& style);
double endsWidth(const MetricPanel& panel, const ViewStyle& style);
/// Value drawn for a lane in a column: the mean of its objects, or their maximum
/// (MetricPanel::mergedMaximum); minimum and maximum are of all of them. NaN without any value.
struct LaneValue {
  double shown = 0, minimum = 0, maximum = 0;
};
LaneValue valueAt(const MetricPanel& panel, LaneObjects objects, int column);
/// "rows: mean of up to 5 objects"; empty if every object has a lane.
QString mergingText(const Model& model, int panel);
/// Left and right ends of the selected moments in the plot, from its left side; moments that share a pixel
/// are joined.
std::vector<std::pair<double, double>> momentSpans(const Model& model);
/// What a panel without values states: its problem, the records that the trace does not have, or that its
/// answer has not arrived.
QString stateText(const MetricPanel& panel);
/// Column that contains a time; −1: outside all columns.
int columnAt(const MetricValues& values, Nanoseconds time);
/// Whole name of the object at this height, whose name in the view may be elided; of several objects in one
/// lane the first and the last.
QString nameText(const Model& model, double y);
/// Lines of the hover card.
QString hoverText(const Model& model, int panel, int lane, Nanoseconds time);

} // namespace jitterscope::views::metrics
