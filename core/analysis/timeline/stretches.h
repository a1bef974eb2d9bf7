#pragma once

#include <vector>

#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/names.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// The stretches of the axis in which launches run, in order of time: parts that nothing longer than
/// `least_gap` of the span lies between (0 < least_gap < 1). Captures that were taken hours apart are one
/// each. Begins and ends are the launches' own to within 1 µs or a millionth of the stretch, whatever is
/// coarser. Costs some thousand cells of the track index, whatever the number of launches.
std::vector<Interval> stretches_of_launches(const Session& session, const NameTable& names,
                                            const Tracks& tracks, double least_gap);

} // namespace jitterscope::analysis
