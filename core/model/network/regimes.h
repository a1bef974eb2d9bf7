#pragma once

#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/network_measurement.h"

namespace jitterscope::model {

/// Range of sizes with one protocol, with its line T = α + β n.
struct Segment {
  std::size_t first = 0, last = 0; ///< indices of points, both inclusive
  double alpha = 0;                ///< α: start-up time, µs
  double beta = 0;                 ///< β: time per byte, µs/B
};

struct Segments {
  std::vector<Segment> list;
  double residual = 0;                 ///< Σ ((T − α − β n) / T)²
  double mean_absolute_percentage = 0; ///< mean over all points [%]
};

/// Protocols of a latency curve, by least squares of the relative error on each segment, α and β not
/// negative. Borders are at measured sizes, by dynamic programming, with at least 3 points per segment and at
/// most `maximum` segments. The number S of segments minimises BIC = m ln(max(RSS, 10⁻⁶ m) / m) + (3 S − 1)
/// ln m. Points must be sorted by size, with positive times. Errors: BadInput for fewer than 3 points, times
/// that are not positive, and sizes that do not ascend.
Expected<Segments> find_segments(std::span<const NetworkPoint> points, int maximum = 4);

} // namespace jitterscope::model
