#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Instructions and cycles in useful time, summed over host threads, from which IPC and frequency are
/// computed.
struct UsefulCounters {
  std::int64_t instructions = 0, cycles = 0; ///< 0: not recorded on every thread with useful time
  /// Host threads with useful time and without one of the two counters, if other threads have both.
  std::int64_t threads_without = 0;
};

/// Sums over the hosts of a result in its range, from counters named PAPI_TOT_INS and PAPI_TOT_CYC. A sample
/// holds the count since the previous sample; it is useful if the thread is Running just before it and in no
/// call of MPI or of a GPU's runtime. Of a sample that is partly in the range, the same part counts as of the
/// useful time since the previous sample. A sample at the same time as the previous one is ignored. Reads
/// every sample of these counters in the range. Collective; the same on every rank. Errors: Cancelled.
Expected<UsefulCounters> useful_counters(const Activity& activity, const analysis::Session& session,
                                         const Result& result, Communicator& communicator, const Job& job);

} // namespace jitterscope::efficiency
