#pragma once

#include <cmath>
#include <vector>

#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {

/// Coefficient of one regressor in a least-squares fit, and its standard error.
struct Slope {
  double value = 0, error = 0;
};

/// Slope of `column` on `regressors[index]`; `subtracted`: number of means and trends subtracted from the
/// rows.
Slope slope(const Moments& moments, double subtracted, int column, const std::vector<int>& regressors,
            std::size_t index);

/// Slope of a column on one of its regressors over all rows, and adjusted for a slow trend over the rows.
struct WithoutTrend {
  double overall = 0;      ///< slope in units of the two columns, adjusted for the other regressors
  double beyond = 0;       ///< `overall`, also adjusted for a polynomial in the row position
  double beyond_error = 0; ///< standard error of `beyond`
  bool comparable =
      false; ///< false: too few rows, or the column is sorted, so that all of its variance is trend

  /// Whether at most a third of the slope remains beyond the trend, although all of it would be visible: the
  /// two columns are correlated only because both drift.
  bool only_drift() const {
    return comparable && std::abs(beyond) + 2 * beyond_error < std::abs(overall) / 3;
  }
};

inline constexpr int kTrendDegree = 3;
inline constexpr int kMinStretches = 10; ///< minimum number of row stretches for a trend to be visible

/// Compares two least-squares fits of `column` on `regressors` (columns of the moments): of `all` rows, and
/// of `beyond`, BlockMoments::without_trend(kTrendDegree). `regressor`: the regressor whose slope is
/// compared.
WithoutTrend without_trend(const Moments& all, const Moments& beyond, int column,
                           const std::vector<int>& regressors, int regressor);

/// Moments used by all questions about drift: of all rows, of the rest beyond a slow trend, and within
/// stretches.
struct SlowAndFast {
  explicit SlowAndFast(const BlockMoments& rows)
      : all(rows.total()), beyond(rows.without_trend(kTrendDegree)), near(rows.within_stretches()),
        stretches(rows.stretches()) {}
  const Moments& all;
  Moments beyond, near;
  int stretches;
};

/// Whether the rows are sorted by a column: hardly any of the column's variance is left within stretches
/// (BlockMoments::within_stretches).
bool is_in_order(const Moments& all, const Moments& near, int column);

} // namespace jitterscope::causal
