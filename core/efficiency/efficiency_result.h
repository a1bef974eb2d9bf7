#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/efficiency/activity.h"
#include "core/efficiency/hierarchy.h"

namespace jitterscope::efficiency {

struct Options {
  /// On the session's axis; default: from the first to the last activity of all devices of the chosen traces,
  /// without devices of all host threads. Reduced to the recorded time: nothing is known about time outside
  /// it.
  std::optional<Interval> range;
  std::optional<Interval>
      recorded; ///< recorded time, if it is not that of the session, such as of a cut trace
  Collectives collectives = Collectives::Communication;
  std::vector<std::int32_t> ranks;   ///< ranks of processes; empty: all
  std::vector<std::int64_t> devices; ///< device numbers; empty: all
  std::vector<std::string> traces;   ///< names of traces of the session; empty: all
  std::optional<std::int64_t> ideal; ///< elapsed time on an ideal network [ns]
  std::vector<Interval> parts;       ///< additional ranges to compute efficiencies for, such as steps
};

/// The factors of the three hierarchies. A factor with children is their product.
enum class Factor : std::uint8_t {
  DeviceParallel,
  DeviceLoadBalance,
  DeviceCommunication,
  DeviceOrchestration,
  HostParallel,
  HostMpi,
  HostLoadBalance,
  HostCommunication,
  HostOffload,
  HostRuntime,
  MpiParallel,
  MpiLoadBalance,
  MpiCommunication,
  MpiSerialisation,
  MpiTransfer
};
inline constexpr int kFactors = 15;
/// Key in the JSON contract, with the object that holds it: "device.load_balance".
std::string_view id_of(Factor factor);
std::optional<Factor> parent_of(Factor factor);

/// The value of each factor in one range, unknown if the trace does not determine it.
struct Factors {
  std::array<Ratio, kFactors> values;
  Ratio& operator[](Factor factor) { return values[static_cast<std::size_t>(factor)]; }
  const Ratio& operator[](Factor factor) const { return values[static_cast<std::size_t>(factor)]; }
};

/// Place of the largest loss of a factor: a device or host thread and a part of the range. `other`: for load
/// balance, the row with the largest load, for which the others wait.
struct Place {
  bool device = false; ///< row is one of Result::devices, else of Result::hosts
  std::size_t row = 0;
  std::optional<std::size_t> other;
  Interval when;
  std::int64_t lost = 0;        ///< on this row, in the whole range [ns]
  std::int64_t lost_inside = 0; ///< part of `lost` inside `when` [ns]
};

/// Cost of a factor: mean time per row that would be useful if this factor were 1 and the preceding ones
/// unchanged. Costs of the factors below a parent add up to the parent's; the cost of parallel is T − mean
/// useful time.
struct Loss {
  Factor factor{};
  double cost_ns = 0;
  std::optional<Place> place; ///< empty if nothing is lost
};

struct DeviceResult {
  std::size_t row = 0; ///< index into Activity::devices()
  DeviceTime time;
};
struct HostResult {
  std::size_t row = 0; ///< index into Activity::hosts()
  HostTime time;
};

/// Rows of the POP hierarchy and their useful time.
enum class MpiRows : std::uint8_t {
  None,    ///< neither MPI calls nor states are recorded: the hierarchy is unknown
  Threads, ///< time in state Running outside calls; one thread per process, or no MPI calls
  Masters  ///< time outside MPI calls of the master thread of each process
};

/// Time of host threads in MPI calls, calls of a GPU's runtime and state Running [ns].
struct HostActivity {
  std::int64_t all = 0, mpi = 0; ///< mpi: part in MPI calls
};

struct Result {
  Interval range;
  bool range_given = false;
  std::optional<Interval> requested; ///< requested range if it exceeds the recorded time
  Interval recorded;                 ///< from the first to the last activity of all chosen rows
  HostActivity recorded_hosts;       ///< in `recorded`
  HostActivity hosts_outside;        ///< part outside `range`
  Collectives collectives = Collectives::Communication;
  std::vector<DeviceResult> devices;
  std::vector<HostResult> hosts;
  std::vector<DeviceResult> parts_of_devices; ///< of the shared ones among `devices`, by process
  bool mpi_recorded = false, offload_recorded = false, states_recorded = false, collectives_recorded = false;
  MpiRows mpi_rows = MpiRows::None;
  Factors factors;
  std::vector<Loss> losses; ///< losses of all known factors, in the order of Factor
  struct Part {
    Interval range;
    std::int64_t elapsed = 0; ///< recorded time in the range, to which times and factors refer [ns]
    Factors factors;
    std::vector<DeviceTime> devices; ///< times in the order of Result::devices
    std::vector<HostTime> hosts;
  };
  std::vector<Part> parts;
};

} // namespace jitterscope::efficiency
