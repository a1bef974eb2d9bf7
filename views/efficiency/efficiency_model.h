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
  enum class Kind { Headings, Factor, TimeHeadings, Time, TimeAxis, DeviceHeadings, HostHeadings, Row, Note };
  Kind kind = Kind::Note;
  int index = -1; ///< index of the factor (Factor, Time), row or note
  QRectF rect;
};

/// Horizontal extents of columns, shared by all lines of a kind; left and right ends.
struct Columns {
  using Span = std::pair<double, double>;
  Span title, value, bar, cost, where; ///< of factors; `where` is empty if there is no room for it
  bool stacked = false;                ///< bar and cost are in a second row, below title and value
  Span rowTitle, rowValue, rowBar;     ///< of devices and host threads
  Span time;                           ///< the timeline of efficiencies
};

/// Layout for a given width; testable without a screen.
struct Layout {
  std::vector<Line> lines;
  Columns columns;
  double height = 0;
  /// Line at a point: only factors, timelines of factors and rows.
  std::optional<std::size_t> at(QPointF point) const;
};
Layout layoutOf(const EfficiencyData& data, double width, const ViewStyle& style);

/// Entry of the legend in the heading of devices or host threads. Every part that occurs has an entry: right
/// of the heading where all fit there, else in further rows below it.
struct LegendEntry {
  std::size_t part = 0; ///< index into EfficiencyRow::parts
  QString text;
  double x = 0;
  int row = 0; ///< 0: next to the heading
};
std::vector<LegendEntry> legendOf(const EfficiencyData& data, bool devices, const Columns& columns,
                                  double width, const ViewStyle& style);

/// Heading of the timeline: its range and parts, in one or more rows, and the row of the colour scale.
struct TimeHeading {
  QStringList texts;
  int scaleRow = 0;
};
TimeHeading timeHeadingOf(const EfficiencyData& data, const Columns& columns, const ViewStyle& style);
constexpr int kScaleSteps = 40; ///< of two pixels each
constexpr double kHeadingLine = 22,
                 kHeadingRow = 16; ///< heights of the first and of further rows of a heading or factor
/// Ranges of the timeline in which a factor is not determined; adjacent parts are joined.
std::vector<Interval> undeterminedOf(const EfficiencyData& data, std::size_t factor);
/// "of 943.0 µs": the time that a whole bar represents.
QString barHeadingOf(const EfficiencyData& data);
/// Values of the ends of the timeline's colours: the whole percents that enclose all values, at least 1 %
/// apart.
std::pair<double, double> timeScaleOf(const EfficiencyData& data);
/// "62 %"
QString scaleEnd(double value);
/// Width of "62 % ▭▭▭ 98 %".
double scaleWidth(const EfficiencyData& data, const ViewStyle& style);
/// Title of a picture: "trace.prv · visible range: 1 s – 2 s (1 s)".
QString pictureTitleOf(const EfficiencyData& data);
/// Height of that title in a picture.
double pictureTitleHeight(const ViewStyle& style);
/// "visible range: 1 s – 2 s (1 s)"
QString rangeTextOf(const EfficiencyData& data);

/// Part of the elapsed time that a factor's bar shows, as shares of it: useful time of a parallel
/// efficiency, else the factor's lost time, placed after that of the preceding factors.
std::pair<double, double> barOf(const EfficiencyData& data, std::size_t factor);
/// Depth of a factor below a parallel efficiency.
int depthOf(const EfficiencyData& data, std::size_t factor);
/// "86.1 %", "–".
QString percentOf(double value);
/// Timeline column at a horizontal position; nullopt outside the timeline.
std::optional<std::size_t> partAt(const EfficiencyData& data, const Columns& columns, double x);
/// Left and right end of a range in the timeline, clipped to the timeline.
Columns::Span placeOf(const EfficiencyData& data, const Columns& columns, const Interval& range);
/// Lines of a hover card of a factor in a column of the timeline.
QString timeCardOf(const EfficiencyData& data, int factor, std::size_t part);
/// Lines of the hover card of a line.
QString cardOf(const EfficiencyData& data, const Line& line);

} // namespace jitterscope::views::efficiency
