#pragma once

#include <QRectF>
#include <optional>
#include <utility>
#include <vector>

#include "views/base/view_style.h"
#include "views/efficiency/efficiency_data.h"

namespace jitterscope::views::efficiency {

/// A line of the view: a factor, a row, or a heading.
struct Line {
  enum class Kind { Headings, Factor, TimeHeadings, Time, DeviceHeadings, HostHeadings, Row, Note };
  Kind kind = Kind::Note;
  int index = -1; ///< of the factor (Factor, Time), row or note
  QRectF rect;
};

/// Horizontal places of columns, shared by all lines of a kind; left and right ends.
struct Columns {
  using Span = std::pair<double, double>;
  Span title, value, bar, cost, where; ///< where is empty where there is no room for it
  Span time;                           ///< the timeline of efficiencies
};

/// Where everything is drawn for a width: what a test can ask without a screen.
struct Layout {
  std::vector<Line> lines;
  Columns columns;
  double height = 0;
  /// The line at a point: factors, timelines of factors and rows only.
  std::optional<std::size_t> at(QPointF point) const;
};
Layout layoutOf(const EfficiencyData& data, double width, const ViewStyle& style);

/// Which part of the elapsed time a factor's bar shows, in shares of it: useful time of a parallel
/// efficiency, else the lost time of the factor, next to that of the factors before it.
std::pair<double, double> barOf(const EfficiencyData& data, std::size_t factor);
/// How deep a factor is below a parallel efficiency.
int depthOf(const EfficiencyData& data, std::size_t factor);
/// "86.1 %", "–".
QString percentOf(double value);
/// The column of the timeline at a horizontal place; nothing outside it.
std::optional<std::size_t> partAt(const EfficiencyData& data, const Columns& columns, double x);
/// Left and right end of a range in the timeline, cut to it.
Columns::Span placeOf(const EfficiencyData& data, const Columns& columns, const Interval& range);
/// Lines of a hover card of a factor in a column of the timeline.
QString timeCardOf(const EfficiencyData& data, int factor, std::size_t part);
/// Lines of a hover card.
QString cardOf(const EfficiencyData& data, const Line& line);

} // namespace jitterscope::views::efficiency
