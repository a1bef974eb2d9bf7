#pragma once

#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Time of the launches of one kernel that start in a range, on the devices of a result.
struct KernelTime {
  std::uint32_t kernel = 0; ///< index of the kernel in the session
  bool collective = false;
  std::int64_t launches = 0, duration_ns = 0; ///< Σ duration, not clipped to the range
};

/// Times of every kernel that ran, in the order of the session's kernels, for the computation efficiency
/// between runs. Reads each launch of the range. Collective; the same on every rank. Errors: Cancelled.
Expected<std::vector<KernelTime>> kernel_times(const Activity& activity, const analysis::Session& session,
                                               const Result& result, Communicator& communicator,
                                               const Job& job);

} // namespace jitterscope::efficiency
