#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/session/row_blocks.h"
#include "core/analysis/statistics/statistics.h"
#include "core/base/time.h"

namespace jitterscope::analysis {

/// Sums over durations [ns], exact in any order.
struct DurationSums {
  std::int64_t launches = 0, measured = 0; ///< all launches, and those with a known duration
  std::int64_t duration = 0;
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -1;
  UInt128 squares = 0, variability = 0;

  void add(std::int64_t ns) {
    ++measured;
    duration += ns;
    low = std::min(low, ns);
    high = std::max(high, ns);
    squares += static_cast<UInt128>(ns) * static_cast<UInt128>(ns);
  }
  void add(const DurationSums& other);
  /// All statistics but the quartiles, which are NaN.
  Statistics statistics() const;
};

/// Adds the sums of all threads and ranks, by group. `threads`: by thread and group; becomes empty.
/// Collective.
Expected<std::vector<DurationSums>> total_of(std::vector<std::vector<DurationSums>> threads,
                                             Communicator& communicator);

/// Calls `use(thread, trace, row, configuration, duration)` for every selected launch of this rank's share:
/// row of the trace, configuration of the session, duration in ns or store::kMissingDuration. Errors:
/// Cancelled.
template <class Use>
Expected<void> for_each_duration(const Session& session, const LaunchColumns& columns,
                                 const Selection& selection, const RowBlocks& blocks, const Job& job,
                                 Use&& use) {
  return blocks.for_each(job, "kernels",
                         [&](std::size_t thread, std::size_t, const std::vector<Segment>& segments) {
                           constexpr std::size_t kPiece = 2'048;
                           std::int64_t durations[kPiece];
                           std::uint32_t configurations[kPiece];
                           for (const auto& segment : segments) {
                             const Trace& trace = session.traces()[segment.trace];
                             const auto all_durations = trace.durations();
                             const auto all_configurations = trace.configurations();
                             if (!selection.may_meet(session, segment)) continue;
                             std::vector<std::uint8_t> mask;
                             if (!selection.everything()) mask = selection.select(session, columns, segment);
                             const auto rows = static_cast<std::size_t>(segment.rows()),
                                        first = static_cast<std::size_t>(segment.first);
                             for (std::size_t at = 0; at < rows; at += kPiece) {
                               const auto count = std::min(kPiece, rows - at);
                               all_durations.read(first + at, first + at + count, durations);
                               all_configurations.read(first + at, first + at + count, configurations);
                               for (std::size_t i = 0; i < count; ++i)
                                 if (mask.empty() || mask[at + i])
                                   use(thread, segment.trace, first + at + i,
                                       trace.configuration[configurations[i]], durations[i]);
                             }
                           }
                         });
}

} // namespace jitterscope::analysis
