#pragma once

#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/stop.h"
#include "core/efficiency/activity_kinds.h"
#include "core/efficiency/covered_time.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::efficiency {

/// A row of one store with the events from which its times are computed.
struct DeviceEvents {
  DeviceRow row;
  std::vector<CoveringEvents> events;
};
struct HostEvents {
  HostRow row;
  std::vector<CoveringEvents> events;
  const store::Series* states = nullptr; ///< null if the thread has none
};

/// Unions of a device (CoveredTime) and of a host thread.
namespace device_unions {
inline constexpr int kUseful = 0;   ///< kernels that do not communicate
inline constexpr int kKernels = 1;  ///< all kernels
inline constexpr int kBusy = 2;     ///< kernels and memory operations
inline constexpr int kMovesAll = 3; ///< memory operations and kernels that communicate
inline constexpr int kMoves = 4;    ///< memory operations
inline constexpr int kCount = 5;
} // namespace device_unions
namespace host_unions {
inline constexpr int kMpi = 0;   ///< MPI calls
inline constexpr int kCalls = 1; ///< MPI calls and calls of a GPU's runtime
inline constexpr int kKnown = 2; ///< these calls and the state Running
inline constexpr int kCount = 3;
} // namespace host_unions

/// The row that represents the hardware of a device, which several processes may share.
std::uint32_t hardware_of(const std::vector<store::Resource>& resources, std::uint32_t device);

/// By resource of a store: kinds of its rows (store::recorded_kind, without kGpuRuntime and kLaunching), and
/// all kinds of the trace of which the store is a part.
std::vector<std::uint32_t> recorded_kinds(const store::Store& store, const store::TrackIndex& index);
/// The same with kGpuRuntime and, if a process has no states, kLaunching. Reads the calls of launches and
/// memory operations.
std::vector<std::uint32_t> all_recorded_kinds(const store::Store& store, const store::TrackIndex& index,
                                              Stop& stop);

/// The devices of a trace and the parts of shared ones, sorted by rank and number, and its analysed host
/// threads, including those without rows in this part of a trace. Migrations of unified memory are not
/// treated as memory operations here, because no copy engine is in use.
std::vector<DeviceEvents> devices_of(const analysis::Session& session, std::size_t trace,
                                     const store::TrackIndex& index);
std::vector<HostEvents> hosts_of(const analysis::Session& session, std::size_t trace,
                                 const store::TrackIndex& index, Stop& stop);

} // namespace jitterscope::efficiency
