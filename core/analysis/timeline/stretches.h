#pragma once

#include <vector>

#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/names.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// The intervals in which launches run, in order of time, separated by gaps longer than `min_gap` of the span
/// (0 < min_gap < 1). Captures taken hours apart are separate intervals. Starts and ends match the launches
/// to within 1 µs or a millionth of the interval, whichever is coarser. Costs some thousand cells of the
/// track index, independent of the number of launches.
std::vector<Interval> stretches_of_launches(const Session& session, const NameTable& names,
                                            const Tracks& tracks, double min_gap);

} // namespace jitterscope::analysis
