#pragma once

#include <QRectF>
#include <vector>

#include "views/base/view_style.h"
#include "views/metrics/metrics_data.h"
#include "views/timeline/viewport.h"

namespace jitterscope::views::metrics {

/// Where a panel is: header, then its objects.
struct PanelPlace {
  double top = 0, header = 0, body = 0; ///< heights; in content, not scrolled
  int lanes = 0;                        ///< rows of the body: objects, or several objects each
  double lane() const { return lanes > 0 ? body / lanes : body; }
  double bottom() const { return top + header + body; }
};

/// Objects [first, last) of a lane.
struct LaneObjects {
  int first = 0, last = 0;
};

/// What the view shows and where; a plain value.
struct Model {
  std::vector<MetricPanel> panels;
  Viewport viewport; ///< its width is that of the plot
  std::optional<Interval> brush;
  std::optional<Nanoseconds> cursor;
  double scroll = 0; ///< content above the visible part

  double gutter = 0, axis = 0; ///< width of the names, height of the time axis
  std::vector<PanelPlace> places;
  double height = 0; ///< of the content

  void layout(const QRectF& rect, const ViewStyle& style);
  QRectF plot(const QRectF& rect) const { return rect.adjusted(gutter, 0, 0, -axis); }
  /// The panel at a height of the view; −1 between or below.
  int panelAt(double y) const;
  /// The lane of a panel there; −1 in its header.
  int laneAt(int panel, double y) const;
  LaneObjects objectsOf(int panel, int lane) const;
};

/// Lanes at least this high are curves, lower ones are rows of colours.
inline constexpr double kCurve = 22;

/// The scale of a panel: given, or from 0 to the largest value, or from the smallest one where some are below
/// 0.
MetricScale scaleOf(const MetricPanel& panel);
/// What is drawn at a time of a lane: the largest of its objects' values. NaN without one.
struct LaneValue {
  double shown = 0, minimum = 0, maximum = 0;
};
LaneValue valueAt(const MetricPanel& panel, LaneObjects objects, int column);
/// The column of a time, −1 outside.
int columnAt(const MetricValues& values, Nanoseconds time);
/// Lines for the card beside the pointer.
QString hoverText(const Model& model, int panel, int lane, Nanoseconds time);

} // namespace jitterscope::views::metrics
