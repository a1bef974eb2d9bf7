#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

struct ParallelCache;

/// Where the values of a column stand along an axis of parallel coordinates as it is drawn: 0 at the lower
/// end, 1 at the upper one.
struct DrawnAxis {
  std::string column;
  std::vector<double>
      codes; ///< of categories, in their order along the axis, each in the middle of its share; else
  std::vector<double> edges; ///< ascending, in equal steps along the axis, straight between two
  bool inverted = false;
  double missing =
      std::numeric_limits<double>::quiet_NaN(); ///< where rows without a value stand; NaN: nowhere
};

/// A point on an axis or between two of them.
struct DrawnPoint {
  DrawnAxis left;
  std::optional<DrawnAxis> right; ///< none: the point is on the left axis
  double across = 0;              ///< 0 at the left axis … 1 at the right one
  double at = 0;                  ///< place in the units of the axes
  double within = 0.01;           ///< lines up to so far are near
  std::size_t most = 20;          ///< rows wanted
};

struct RowsNear {
  std::int64_t count = 0; ///< selected rows whose lines are near
  std::vector<std::int64_t>
      rows; ///< session rows of the nearest of them, the nearest first; of equal ones the earliest
};

/// The selected launches whose lines pass near a point. One pass over one or two columns, whatever the number
/// of rows; the cache keeps which rows are selected. Collective, the same on every rank. Errors: BadUse
/// (unknown column), Cancelled.
Expected<RowsNear> rows_near(const Session& session, const LaunchColumns& columns, const Selection& selection,
                             const DrawnPoint& point, Communicator& communicator, const Job& job,
                             ParallelCache* cache = nullptr);

} // namespace jitterscope::analysis
