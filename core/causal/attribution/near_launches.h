#pragma once

#include <cstddef>
#include <vector>

#include "core/causal/attribution/term_fit.h"

namespace jitterscope::causal {

/// y without what the four launches before and the four after a launch (in order, in its block) share with
/// it: y minus its regression on the means of both, which is fitted by peers with at least 30 rows. Of these
/// launches, only the part of y counts that the feature's classes do not predict for their kernel, because a
/// cause may act on several launches in a row. `y`: by row, centred; 0 for rows that are not used.
///
/// The time since an earlier operation (gap_ns, recent_…) contains the durations of the launches between, so
/// for these features all of y counts on the launches before.
std::vector<double> without_neighbours(const TermFit& fit, std::size_t feature, const std::vector<double>& y);

} // namespace jitterscope::causal
