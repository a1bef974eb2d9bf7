#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"

namespace jitterscope::analysis {

/// Of some launches in a range of time.
struct LaunchSums {
  std::uint64_t events = 0;  ///< that begin in it
  std::uint64_t busy = 0;    ///< Σ length, cut to it [ns]
  std::uint64_t covered = 0; ///< length of their union, cut to it [ns]
};

/// What a selection lets through, stream by stream and device by device.
struct SelectedLaunches {
  struct OfTrace {
    std::vector<LaunchSums> resources; ///< by resource: of streams and devices
    std::vector<LaunchSums>
        collectives; ///< by resource: of devices, their kernels that communicate (store::is_collective)
  };
  std::vector<OfTrace> traces;
};

/// Every launch that touches the range is asked once, in the order in which launches lie in the store, by all
/// threads of all ranks. `tracks` is needed on rank 0 only: it knows what reaches into the range from before.
/// Collective; complete on rank 0. Errors: Cancelled.
Expected<SelectedLaunches> selected_launches(const Session& session, const LaunchColumns& columns,
                                             const Tracks* tracks, const Selection& selection, Interval range,
                                             Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
