#pragma once

#include "core/reasons/rows/burst_counters.h"
#include "core/reasons/rows/typical_windows.h"

namespace jitterscope::analysis {

/// What is typical of the rows of a session: LaunchRows compares selected rows with it. Learned once for each
/// session; the same on every rank.
struct TypicalRows {
  TypicalWindows windows;
  BurstCounters bursts;

  /// Learns the call sites, too. Errors: Cancelled.
  static Expected<TypicalRows> make(const Session& session, const LaunchColumns& columns, const Job& job);
};

} // namespace jitterscope::analysis
