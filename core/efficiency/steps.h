#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// The steps of a program: a range that one thread repeats, such as an iteration of training.
struct Steps {
  std::string name;             ///< of the range, numbers in it as '#'
  std::string host;             ///< the thread that marks them
  std::vector<Interval> ranges; ///< in order of time, without overlaps; of the session's axis
};

/// Among the two outermost levels of ranges, those of one thread and of names that are equal but for numbers
/// in them and that contain `name` (empty: any), the ones that cover most time and do not overlap; at least
/// two, at most kMostSteps. Reads these ranges. The same on every rank. Errors: BadUse where nothing repeats,
/// Cancelled.
Expected<Steps> find_steps(const Activity& activity, const analysis::Session& session,
                           const std::string& name, const std::optional<Interval>& within, const Job& job);
inline constexpr std::size_t kMostSteps = 10'000;

} // namespace jitterscope::efficiency
