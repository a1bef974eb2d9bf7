#pragma once

#include <algorithm>

#include "core/analysis/selection.h"

namespace jitterscope::analysis {

inline constexpr std::int64_t kRowsPerStep = 1 << 17;

/// Calls `use(segment)` for this rank's share of all launches, in pieces of at most kRowsPerStep rows, and
/// looks for cancellation between them.
template <class Use>
Expected<void> walk_share(const Session& session, const Communicator& communicator, const Job& job,
                          const std::string& what, Use&& use) {
  const auto share = share_of(session.launches(), communicator.rank(), communicator.size());
  for (std::int64_t first = share.first; first < share.last; first += kRowsPerStep) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(first - share.first, share.last - share.first, what);
    for (const auto& segment : session.segments(first, std::min(first + kRowsPerStep, share.last)))
      use(segment);
  }
  return {};
}

/// Doubles as integers of the same order, so that minima and maxima can travel by integer reductions.
std::int64_t ordered_bits(double value);
double from_ordered_bits(std::int64_t bits);

/// Smallest and largest value over all ranks; low > high when no rank has any.
Expected<void> global_range(Communicator& communicator, std::span<double> lows, std::span<double> highs);

} // namespace jitterscope::analysis
