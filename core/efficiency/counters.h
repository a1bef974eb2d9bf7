#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Instructions and cycles in useful time, summed over host threads: IPC and frequency follow
/// (models.md 5.1).
struct UsefulCounters {
  std::int64_t instructions = 0, cycles = 0; ///< 0: not recorded
};

/// Of the hosts of a result in its range, from counters named PAPI_TOT_INS and PAPI_TOT_CYC. A sample holds
/// what was counted since the one before; it is useful where the thread is Running just before it, and where
/// that one was earlier. Reads every such sample in the range. Collective; the same on every rank. Errors:
/// Cancelled.
Expected<UsefulCounters> useful_counters(const Activity& activity, const analysis::Session& session,
                                         const Result& result, Communicator& communicator, const Job& job);

} // namespace jitterscope::efficiency
