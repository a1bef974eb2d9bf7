#pragma once

#include <vector>

#include "core/causal/table/ranked_sample.h"

namespace jitterscope::causal {

/// A column whose values tell the target apart where no straight line does.
struct ColumnBend {
  int column = 0;  ///< of the frame
  double part = 0; ///< of the variance of the target's normal scores, on rows that were not looked at; 0 … 1
};

/// The graph rests on correlations: what is high at both ends of a column and low between them has none, and
/// would be passed over as if the column told nothing. Each candidate is therefore cut into at most 16
/// classes of its values, and the target's mean by class is judged on rows it has not seen (stretch_sample.h)
/// against a straight line through the same column, all by ranks (ranked_sample.h). It counts with and
/// without what the parents' lines explain, the smaller part of the two: lines that are held may bend what
/// they share with the column.
///
/// Told is what beats its line by at least a tenth of the variance and by t with four degrees of freedom
/// times its standard error, at 97.5 % for all candidates together (Bonferroni); largest part first.
///
/// `candidates`: columns of the frame that stand behind the parents in the sample, in its order: those that
/// may come before the target and differ between equal launches.
Expected<std::vector<ColumnBend>> look_for_bends(const RankedSample& ranked,
                                                 const std::vector<int>& candidates, const Job& job);

} // namespace jitterscope::causal
