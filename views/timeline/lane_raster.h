#pragma once

#include <QImage>
#include <span>

#include "views/base/view_style.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::views {

/// Folded columns as a picture, one pixel per cell and `height` pixels high (device pixels). In each column
/// with count > 0: a tint over the full height, from below the busy share in the dominant name's colour (at
/// least `least` pixels, so that a single short launch stays visible at any zoom), its filtered-out part
/// dimmed; where more than one event is folded into the column a dotted line runs along the top.
QImage rasteriseCells(std::span<const TimelineCell> cells, int height, int least, const ViewStyle& style);

/// Minimum to maximum as a band, the mean as a line; `low`..`high` is the picture's height.
QImage rasteriseCounter(std::span<const CounterColumn> columns, int height, double low, double high,
                        const QColor& colour);

} // namespace jitterscope::views
