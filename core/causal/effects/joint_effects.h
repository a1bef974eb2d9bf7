#pragma once

#include <vector>

#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {

/// Two columns that predict the target only together; neither needs a correlation with it. Or one column, to
/// which configurations respond differently.
struct ColumnPair {
  static constexpr int kConfiguration = -1;
  int first = 0, second = 0; ///< columns of the sample; `second` may be kConfiguration
  double part = 0;           ///< fraction of the variance of the target's normal scores, beyond each column
};

/// Every pair of columns is cut into at most four classes each. The cell means are tested on rows not used in
/// the fit against an additive model of the two classes (least squares, by backfitting). The smaller of the
/// gains with and without the parents' lines counts. It must be at least a tenth of the variance, and above
/// chance for all pairs together (is_above_chance); largest first. Errors: Cancelled.
Expected<std::vector<ColumnPair>> find_pairs(const RankedSample& ranked, const Job& job);

/// A column on whose values the scatter of the target depends, independent of its level.
struct ColumnSpread {
  int column = 0;  ///< column of the sample
  double part = 0; ///< fraction of the variance of the scores of |residual| from the parents' lines
};

/// Finds columns that affect the spread, by the test of find_pairs() for means by at most 16 classes of one
/// column against one common mean. Errors: Cancelled.
Expected<std::vector<ColumnSpread>> find_spreads(const RankedSample& ranked, const Job& job);

/// A column on which the target depends non-linearly, and hardly linearly.
struct ColumnBend {
  int column = 0;  ///< column of the frame
  double part = 0; ///< fraction of the variance of the target's normal scores, on rows not used in the fit
};

/// The graph is built from correlations: a target that is high at both ends of a column and low between them
/// has no correlation with it. Each candidate is therefore cut into at most 16 classes of its values. The
/// target's mean by class is tested on rows not used in the fit (stretch_sample.h) against a straight line
/// through the same column, all by ranks (stretch_sample.h). The smaller of the gains with and without the
/// parents' lines counts: with lines held fixed, a column may seem curved because of the part
/// that it shares with them.
///
/// A target that follows the classes' means clearly less within stretches of rows than over all rows only
/// drifts as the column does.
///
/// The gain over the line must pass the test of find_pairs() for all candidates; largest
/// first.
///
/// `candidates`: the columns of the frame that follow the parents in the sample, in the order of the sample.
/// They may come before the target and differ between launches of one configuration.
Expected<std::vector<ColumnBend>> find_bends(const RankedSample& ranked, const std::vector<int>& candidates,
                                             const Job& job);

} // namespace jitterscope::causal
