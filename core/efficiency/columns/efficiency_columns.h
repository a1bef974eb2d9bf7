#pragma once

#include <vector>

#include "core/efficiency/columns/kept_columns.h"
#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Efficiencies of the window in which each launch starts, as columns; missing outside of all windows.
///
/// efficiency_device_load_balance and so on: the factors that are known of the whole (efficiency.h).
/// rank_3_waits: share of the window in which rank 3 waits, where several ranks are known. A rank's devices
/// wait while they communicate and compute nothing; of ranks without a device that runs kernels that
/// communicate, the threads wait inside MPI calls. Where ranks are unknown the same of devices, as
/// gpu_0_waits. Ranks that do neither have none of these; there are at most kMostWaiting.
/// others_wait: mean of this over all ranks (or devices) that have it but the launch's own. `windows`: in
/// order of time, without overlaps, at least one. Collective; bit-equal for any number of ranks. Errors:
/// BadUse, Cancelled.
Expected<std::vector<KeptColumn>> efficiency_columns(const analysis::Session& session,
                                                     const Activity& activity, std::vector<Interval> windows,
                                                     Collectives collectives, Communicator& communicator,
                                                     const Job& job);
inline constexpr std::size_t kMostWaiting = 64;

} // namespace jitterscope::efficiency
