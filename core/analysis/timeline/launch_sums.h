#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"

namespace jitterscope::analysis {

/// Aggregates of some launches in a range of time.
struct LaunchSums {
  std::uint64_t events = 0;  ///< number of launches that begin in the range
  std::uint64_t busy = 0;    ///< Σ length of the launches, clipped to the range [ns]
  std::uint64_t covered = 0; ///< length of the union of the launches, clipped to the range [ns]
};

/// Aggregates of the selected launches per stream and device.
struct SelectedLaunches {
  struct OfTrace {
    std::vector<LaunchSums> resources; ///< by resource: streams and devices
    std::vector<LaunchSums>
        collectives; ///< by resource: launches of collective kernels (store::CollectiveKernels) on devices
  };
  std::vector<OfTrace> traces;
};

/// Evaluates every launch that touches the range once, in store order, on all threads of all ranks. `tracks`
/// is needed on rank 0 only: it finds the launches that reach into the range from before. Collective;
/// complete on rank 0. Errors: Cancelled.
Expected<SelectedLaunches> selected_launches(const Session& session, const LaunchColumns& columns,
                                             const Tracks* tracks, const Selection& selection, Interval range,
                                             Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
