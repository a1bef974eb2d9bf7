#pragma once

#include <vector>

#include "core/efficiency/columns/kept_columns.h"
#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// Efficiencies of the window in which each launch starts, as columns; missing outside all windows.
///
/// efficiency_device_load_balance etc.: the factors that are known for the whole run (efficiency.h).
/// rank_3_waits: fraction of the window that rank 3 waits, if several ranks are known. A rank's devices wait
/// while they communicate and compute nothing; for ranks without a device that runs kernels that communicate,
/// the master threads of its processes wait inside MPI calls. If ranks are unknown, the same per device, as
/// gpu_0_waits. Ranks with neither these devices nor MPI calls have no column; at most kMaxWaiting ranks have
/// one. others_wait: mean over all these ranks (or devices) except the launch's own. `options.parts`: the
/// windows, in order of time, without overlaps, at least one; options.range is not used. With options.ranks
/// or options.devices the columns are about these only, for every launch. Collective; bit-equal for any
/// number of ranks. Errors: BadUse, Cancelled.
Expected<std::vector<KeptColumn>> efficiency_columns(const analysis::Session& session,
                                                     const Activity& activity, Options options,
                                                     Communicator& communicator, const Job& job);
inline constexpr std::size_t kMaxWaiting = 64;

} // namespace jitterscope::efficiency
