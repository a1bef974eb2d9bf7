#pragma once

#include <string_view>
#include <vector>

#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {

/// A column of launches that stands in no graph: by how much the launch before on the same stream took longer
/// than launches of its configuration do on average [ns], 0 where there is none.
///
/// The gap before a launch is what that one left of the time between the two starts. Where starts are set by
/// the host or by a timer, and launches vary like their neighbours for a reason that is not recorded, long
/// launches follow short gaps without any effect of gaps. What goes with the gap must therefore stay when
/// this column is held.
inline constexpr std::string_view kEarlierDeviation = "previous_deviation_ns";

/// Columns that depend on when the launch before ended.
bool begins_at_the_end_of_earlier_work(std::string_view feature);

/// One side of the target and its parents in the graph: columns of the moments.
struct TargetFit {
  int column = 0;
  std::vector<int> regressors;
};

/// Whether a regressor says hardly more than `earlier` does: held fixed, that leaves at most a third of the
/// slope or a twentieth of what the regressor has of its own; or it leaves at most two thirds of the slope
/// and says more itself (both in standard deviations): something that lasts moves launches and what lies
/// between them. Of the side that the regressor goes with most.
bool only_tells_of_earlier(const Moments& all, const std::vector<TargetFit>& sides, int regressor,
                           int earlier);

} // namespace jitterscope::causal
