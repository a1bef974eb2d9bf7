#pragma once

#include <cmath>
#include <vector>

#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {

/// Coefficient of one regressor in a least-squares fit, and its standard error.
struct Slope {
  double value = 0, error = 0;
};

/// Of `regressors[asked]` in the fit of `column`; `taken`: means and trends taken off the rows.
Slope slope(const Moments& moments, double taken, int column, const std::vector<int>& regressors,
            std::size_t asked);

/// Slope of a column on one of its regressors over all rows, and beyond a slow trend of both over the rows.
struct WithoutTrend {
  double overall = 0;      ///< in units of the two columns, other regressors held
  double beyond = 0;       ///< the same with a polynomial in the place of the row held as well
  double beyond_error = 0; ///< standard error of `beyond`
  bool comparable =
      false; ///< false: too few rows, or the column lies in order, so that everything is its trend

  /// Beyond the trend there is at most a third of the slope, where all of it would be seen: the two columns
  /// go with each other only as both drift.
  bool only_drift() const {
    return comparable && std::abs(beyond) + 2 * beyond_error < std::abs(overall) / 3;
  }
};

inline constexpr int kTrendDegree = 3;
inline constexpr int kFewestStretches = 10; ///< of rows, in which a trend can be seen

/// Compares the least-squares fit of `column` on `regressors` (columns of the moments) by `all` rows with
/// that by `beyond`, BlockMoments::without_trend(kTrendDegree); `regressor`: which of them is asked about.
WithoutTrend without_trend(const Moments& all, const Moments& beyond, int column,
                           const std::vector<int>& regressors, int regressor);

/// What every question about drift looks at: all rows, what a slow trend leaves of them, and what stretches
/// do.
struct SlowAndFast {
  explicit SlowAndFast(const BlockMoments& rows)
      : all(rows.total()), beyond(rows.without_trend(kTrendDegree)), near(rows.within_stretches()),
        stretches(rows.stretches()) {}
  const Moments& all;
  Moments beyond, near;
  int stretches;
};

/// Whether the rows were sorted by a column: within stretches (BlockMoments::within_stretches) nothing is
/// left of it.
bool is_in_order(const Moments& all, const Moments& near, int column);

} // namespace jitterscope::causal
