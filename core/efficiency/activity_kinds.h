#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::efficiency {

/// Classification of kernels that communicate (store::CollectiveKernels); it affects every time of a device.
/// BasicAnalysis treats them as communication, TALP as useful.
enum class Collectives : std::uint8_t { Communication, Useful };
/// "comm" and "useful", as on the command line.
std::string_view to_string(Collectives collectives);

/// Whether several processes use a device: then each of them has a row for its part.
enum class Sharing : std::uint8_t { None, Whole, Part };

/// A device of the session: one piece of hardware, even if several processes use it, or the part of a process
/// in one that is shared.
struct DeviceRow {
  std::size_t trace = 0;
  std::uint32_t resource = 0; ///< row of the store's resources: the first that represents this hardware
  std::uint32_t process = 0;  ///< its process, also a row of the resources; kNone if unknown
  std::int32_t rank = -1;     ///< rank of the first process that uses it, -1 unknown
  std::int64_t number = 0;    ///< device number
  std::string name;           ///< "rank 0 · GPU 0": unique among the devices of the session
  bool collectives = false;   ///< runs kernels that communicate
  Sharing sharing = Sharing::None;
};

/// An analysed host thread. All threads with recorded states are analysed; if a trace records no states,
/// those that call MPI or launch work on a device.
struct HostRow {
  std::size_t trace = 0;
  std::uint32_t thread = 0; ///< row of the store's resources
  std::uint32_t process = 0;
  std::int32_t rank = -1;
  std::string name;     ///< "rank 0", "rank 0 · thread 2"
  bool states = false;  ///< states of the thread are recorded
  bool mpi = false;     ///< the thread has MPI calls
  bool offload = false; ///< the thread calls a GPU's runtime
};

/// Whether a call belongs to a GPU's runtime or driver, by its name: CUDA, HIP, HSA.
bool is_offload_call(std::string_view name);
/// Whether a state means computation, by its name (Paraver's state 1).
bool is_running_state(std::string_view name);

} // namespace jitterscope::efficiency
