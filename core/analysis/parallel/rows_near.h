#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/filter/selection.h"

namespace jitterscope::analysis {

struct ParallelCache;

/// Positions of the values of a column along a drawn axis of parallel coordinates: 0 at the lower end, 1 at
/// the upper end.
struct DrawnAxis {
  std::string column;
  /// Categories: values in their order along the axis, each in the middle of its interval.
  std::vector<double> codes;
  std::vector<double>
      edges; ///< of numbers: edges of bins, ascending, at equal distances along the axis; linear in between
  bool inverted = false;
  double missing =
      std::numeric_limits<double>::quiet_NaN(); ///< position of rows without a value; NaN: not drawn
};

/// A point on an axis or between two adjacent axes.
struct DrawnPoint {
  DrawnAxis left;
  std::optional<DrawnAxis> right; ///< empty: the point is on the left axis
  double across = 0;              ///< horizontal position: 0 at the left axis … 1 at the right axis
  double at = 0;            ///< vertical position: 0 at the lower end of the axes … 1 at the upper end
  double within = 0.01;     ///< maximum vertical distance of near lines, as a fraction of the axis
  std::size_t maximum = 20; ///< maximum number of rows returned
};

struct RowsNear {
  std::int64_t count = 0;         ///< selected rows whose lines are near
  std::vector<std::int64_t> rows; ///< session rows of the nearest lines, nearest first; ties: earliest first
};

/// The selected launches whose lines pass near a point. One pass over one or two columns for any number of
/// rows; the mask of selected rows is cached. Collective, the same on every rank. Errors: BadUse (unknown
/// column), Cancelled.
Expected<RowsNear> rows_near(const Session& session, const LaunchColumns& columns, const Selection& selection,
                             const DrawnPoint& point, Communicator& communicator, const Job& job,
                             ParallelCache* cache = nullptr);

} // namespace jitterscope::analysis
