#pragma once

#include <string_view>
#include <vector>

#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {

/// A launch column that is never in the graph: duration of the previous launch on the same stream minus the
/// mean duration of its configuration [ns]; 0 if there is no previous launch.
///
/// The gap before a launch is the time between the two starts minus the duration of the previous launch. If
/// the host or a timer sets the starts, and launches vary like their neighbours for a reason that is not
/// recorded, long launches follow short gaps without any effect of gaps. An effect of the gap must therefore
/// persist when this column is held fixed.
inline constexpr std::string_view kEarlierDeviation = "previous_deviation_ns";

/// Columns that depend on the end of the previous launch.
bool begins_at_the_end_of_earlier_work(std::string_view feature);

/// One side of the target and its parents in the graph, as columns of the moments.
struct TargetFit {
  int column = 0;
  std::vector<int> regressors;
};

/// Whether a regressor carries hardly more information than `earlier`. Either holding `earlier` fixed leaves
/// at most a third of the slope or a twentieth of the regressor's own variance. Or it leaves at most two
/// thirds of the slope, and `earlier` has the larger slope (in standard deviations): a lasting influence
/// changes launches and the gaps between them. Evaluated on the side with the strongest slope.
bool only_reflects_earlier(const Moments& all, const std::vector<TargetFit>& sides, int regressor,
                           int earlier);

} // namespace jitterscope::causal
