#pragma once

#include <QImage>
#include <span>
#include <vector>

#include "views/base/view_style.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::views {

/// Target area of a lane in a picture, in device pixels: `height` rows starting at `top`; only rows in
/// [clipTop, clipBottom) are written.
struct LaneTarget {
  QImage* image = nullptr; ///< ARGB32_Premultiplied
  int top = 0, height = 0;
  int clipTop = 0, clipBottom = 0;
};

/// Renders folded columns, one pixel per cell and `height` pixels high (device pixels). A column with count >
/// 0 has a tint over the full height. From the bottom, its busy share has the column's colour, at least
/// `minimum` pixels so that a single short launch stays visible at any zoom; the part that the filter
/// excludes is dimmed. A dotted line along the top shows that more than one event is folded into the column.
QImage rasteriseCells(std::span<const TimelineCell> cells, int height, int minimum,
                      const TrackColours& colours, const ViewStyle& style);
/// Draws the cells into a part of a larger picture, from its left edge.
void drawCells(const LaneTarget& target, std::span<const TimelineCell> cells, int minimum,
               const TrackColours& colours, const ViewStyle& style);
/// rasteriseCells() with the colours of names.
QImage rasteriseCells(std::span<const TimelineCell> cells, int height, int minimum, const ViewStyle& style);

/// A window in device pixels, for bars.
struct BarScale {
  Interval window;
  int columns = 1;
  double columnsPerNs() const { return columns / static_cast<double>(window.length().count); }
};

/// Whether a bar is shorter than a pixel column.
bool isNarrow(const TimelineBar& bar, const BarScale& scale);

/// The bars narrower than a pixel column as folded columns, levels × columns, so that they are drawn by their
/// share of the time and not as if they filled the column. busy: also includes the parts of wider bars in the
/// column. Empty if no bar is narrow. `relativeToMean`: values are d / mean − 1 and are combined as Σ d / Σ
/// mean − 1, else as means. Precondition: within a level, bars are sorted by begin.
std::vector<TimelineCell> foldNarrowBars(std::span<const TimelineBar> bars, const BarScale& scale, int levels,
                                         bool relativeToMean);

/// Mapping of a track's bars to a picture of `columns` device pixels.
struct BarPlaces {
  BarScale across;
  double levelHeight = 1; ///< device pixels
  double scale = 1;       ///< device pixels per logical one
};
/// Draws the single events that are not narrower than a pixel column (foldNarrowBars), with a one-pixel gap
/// after those wider than three.
void drawBars(const LaneTarget& target, std::span<const TimelineBar> bars, const BarPlaces& places,
              const TrackColours& colours, const ViewStyle& style);

/// Renders minimum to maximum as a band, the mean as a line; the picture's bottom is `low`, its top `high`.
QImage rasteriseCounter(std::span<const CounterColumn> columns, int height, double low, double high,
                        const QColor& colour);
void drawCounter(const LaneTarget& target, std::span<const CounterColumn> columns, double low, double high,
                 const QColor& colour);

} // namespace jitterscope::views
