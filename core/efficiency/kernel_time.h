#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Time of the launches of one kernel in a range, on the devices of a result.
struct KernelTime {
  std::uint32_t kernel = 0; ///< index of the kernel in the session
  bool collective = false;
  std::int64_t launches = 0;    ///< launches that overlap the range
  std::int64_t duration_ns = 0; ///< Σ of the parts of their durations inside the range
};

/// Times of every kernel that ran, in the order of the session's kernels, for the computation efficiency
/// between runs. Reads each launch that starts before the end of the range. Collective; the same on every
/// rank. Errors: Cancelled.
Expected<std::vector<KernelTime>> kernel_times(const Activity& activity, const analysis::Session& session,
                                               const Result& result, Communicator& communicator,
                                               const Job& job);

} // namespace jitterscope::efficiency
