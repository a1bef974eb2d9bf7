#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Steps of a program: a range that one thread repeats, such as a training iteration.
struct Steps {
  std::string name;             ///< of the range, with '#' for numbers
  std::string host;             ///< the thread that has these ranges
  std::vector<Interval> ranges; ///< sorted by time, without overlaps; on the session's axis
};

/// Finds the steps among the two outermost levels of ranges. Candidates are ranges of one thread whose names
/// are equal except for numbers and contain `name` (empty: any). Returns the candidate that covers the most
/// time without overlaps, with at least two ranges and at most kMaxSteps. The result is the same on every
/// rank. Errors: BadUse if nothing repeats, Cancelled.
Expected<Steps> find_steps(const Activity& activity, const analysis::Session& session,
                           const std::string& name, const std::optional<Interval>& within, const Job& job);
inline constexpr std::size_t kMaxSteps = 10'000;

} // namespace jitterscope::efficiency
