#pragma once

#include <QPointF>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/parallel/parallel_model.h"

namespace jitterscope::views {

/// Rows are drawn as lines at the pointer up to so many.
inline constexpr int kMostNearLines = 20;

/// A point at which rows are asked for: on an axis, or on the lines between two. Places along axes: 0 at the
/// lower end of the values on the screen, 1 at the upper one, below 0 those of missing values.
struct ParallelProbe {
  int left = -1;     ///< position in the order
  int right = -1;    ///< of the other axis; −1: the point is on `left`
  double across = 0; ///< 0 at the left axis … 1 at the right one
  double at = 0;     ///< place
  double within = 0; ///< lines up to so far are near
  bool operator==(const ParallelProbe&) const = default;
};

/// Nothing outside the axes.
std::optional<ParallelProbe> probeAt(const ParallelModel& model, QPointF point);
/// Place of a value, NaN for a missing one; NaN where it is not drawn.
double placeOf(const ParallelModel& model, int position, double value);
/// A value of an axis in words.
QString valueText(const ParallelAxis& axis, double value);
/// What a card says of the rows near the pointer: the nearest one's name, start and values, and how many
/// there are.
QString rowsText(const ParallelModel& model, const std::vector<ParallelLine>& lines, std::uint64_t near);

} // namespace jitterscope::views
