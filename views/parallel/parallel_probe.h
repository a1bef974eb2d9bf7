#pragma once

#include <QPointF>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/parallel/parallel_model.h"

namespace jitterscope::views {

/// Maximum number of rows drawn as lines at the pointer.
inline constexpr int kMaxNearLines = 20;

/// A point for a row query: on an axis, or on the lines between two. Positions along axes: 0 at the
/// lower end of the visible values, 1 at the upper end, below 0 for missing values.
struct ParallelProbe {
  int left = -1;     ///< axis position in the order
  int right = -1;    ///< position of the other axis; −1: the point is on `left`
  double across = 0; ///< 0 at the left axis … 1 at the right one
  double at = 0;     ///< position along the axis
  double within = 0; ///< maximum distance of lines that count as near
  bool operator==(const ParallelProbe&) const = default;
};

/// Probe at a point; nullopt outside the axes.
std::optional<ParallelProbe> probeAt(const ParallelModel& model, QPointF point);
/// Position of a value along an axis, or of a missing value (NaN); NaN if it is not drawn.
double placeOf(const ParallelModel& model, int position, double value);
QString valueText(const ParallelAxis& axis, double value);
/// Hover card text for the rows near the pointer: name, start and values of the nearest, and the number of
/// near rows.
QString rowsText(const ParallelModel& model, const std::vector<ParallelLine>& lines, std::uint64_t near);

} // namespace jitterscope::views
