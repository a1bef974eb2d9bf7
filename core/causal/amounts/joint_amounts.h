#pragma once

#include <map>
#include <vector>

#include "core/causal/amounts/judgement.h"

namespace jitterscope::causal {

/// Numeric factors that are correlated with each other and act at the same time (a clock that is high where
/// batches are large), each judged with the others held: alone, each would have part of the effect of the
/// others, or hide it. Each is fitted to durations without the effects of the others, in turn (backfitting),
/// starting from lines of ln d on all of them. A factor is not adjusted for those that it leads to. Factors
/// with a correlation above 0.9 are not separated, nor those that have no share in addition to the others.
///
/// `amounts`: numeric factors judged alone, by suspect; those judged again are replaced. Returns their
/// suspects. Collective.
Expected<std::vector<std::size_t>> judge_together(const RemainingLaunches& launches,
                                                  std::map<std::size_t, Judgement>& amounts);

} // namespace jitterscope::causal
