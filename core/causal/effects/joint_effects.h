#pragma once

#include <vector>

#include "core/causal/table/ranked_sample.h"

namespace jitterscope::causal {

/// Two columns that tell the target apart only together: neither may have a correlation with it.
struct ColumnPair {
  int first = 0, second = 0; ///< columns of the sample
  double part = 0; ///< of the variance of the target's normal scores, beyond what the two tell one by one
};

/// Every pair of columns is cut into at most four classes each. The means of the cells are judged on rows
/// they have not seen against the sum of an effect of the one class and one of the other (least squares, by
/// backfitting), with and without what the parents' lines explain, the smaller part of the two. Told is what
/// gains at least a tenth of the variance, and t with four degrees of freedom times its standard error
/// at 97.5 % for all pairs together (Bonferroni); largest first. Errors: Cancelled.
Expected<std::vector<ColumnPair>> look_for_pairs(const RankedSample& ranked, const Job& job);

/// A column with whose values the target scatters more or less, wherever its level is.
struct ColumnSpread {
  int column = 0;  ///< of the sample
  double part = 0; ///< of the variance of the scores of |what the parents' lines leave of the target|
};

/// The same for means by at most 16 classes of one column against one mean of all. Errors: Cancelled.
Expected<std::vector<ColumnSpread>> look_for_spreads(const RankedSample& ranked, const Job& job);

} // namespace jitterscope::causal
