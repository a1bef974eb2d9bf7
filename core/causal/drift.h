#pragma once

#include <cmath>
#include <vector>

#include "core/causal/moments.h"

namespace jitterscope::causal {

/// Slope of a column on one of its regressors over all rows, and over rows that are near each other.
struct NearAndFar {
  double overall = 0; ///< in units of the two columns, other regressors held
  double near = 0;    ///< the same where only rows of one stretch are compared (fixed effects of stretches)
  double near_error = 0; ///< standard error of `near`
  bool comparable = false; ///< false: too few rows, or the column lies in order, so that near rows are alike anyway

  /// Rows that are near each other show at most a third of the slope, where all of it would be seen: the two
  /// columns go with each other only as both change slowly from row to row.
  bool only_drift() const {
    return comparable && std::abs(near) + 2 * near_error < std::abs(overall) / 3;
  }
};

/// Compares the least-squares fit of `column` on `regressors` (columns of the moments) by `all` rows with that by
/// `near`, the moments within `stretches` stretches of rows; `regressor`: which of them is asked about.
NearAndFar near_and_far(const Moments& all, const Moments& near, int stretches, int column,
                        const std::vector<int>& regressors, int regressor);

} // namespace jitterscope::causal
