#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// The name with '#' for each run of digits: "step 12" and "step 13" are equal.
std::string without_numbers(std::string_view name);

/// Steps of a program: a range that one thread repeats, such as a training iteration.
struct Steps {
  std::string name;             ///< name of the range, with '#' for numbers
  std::string host;             ///< the thread that has these ranges
  std::vector<Interval> ranges; ///< sorted by time, without overlaps; on the session's axis
};

/// Finds the steps among the two outermost levels of ranges. Candidates are ranges of one thread inside
/// `within` (empty: anywhere) whose names are equal after each number is replaced by '#', and then contain
/// `name`, treated in the same way (empty: any). A candidate needs at least two ranges, at most kMaxSteps,
/// and no overlaps. Returns the one that covers the most time. Without `name`, a candidate must cover at
/// least half of the time from the first to the last of its ranges, because many ranges are repeated that are
/// not steps. Those with a common name for an iteration (step, iter, batch, epoch) come before all others,
/// which must extend over at least half of `within` or of the recorded time. The result is the same on every
/// rank. Errors: BadUse if there is no candidate, Cancelled.
Expected<Steps> find_steps(const Activity& activity, const analysis::Session& session,
                           const std::string& name, const std::optional<Interval>& within, const Job& job);
inline constexpr std::size_t kMaxSteps = 10'000;

} // namespace jitterscope::efficiency
