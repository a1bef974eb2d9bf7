#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::efficiency {

/// What kernels that communicate (store::is_collective) count as: a choice that changes every number of a
/// device (models.md 5.2). BasicAnalysis takes them for communication, TALP for useful.
enum class Collectives : std::uint8_t { Communication, Useful };
/// "comm" and "useful", as on the command line.
std::string_view to_string(Collectives collectives);

/// A device of the session: one piece of hardware, although several processes may use it.
struct DeviceRow {
  std::size_t trace = 0;
  std::uint32_t resource = 0; ///< of the store: the first of those that are the same hardware
  std::int32_t rank = -1;     ///< of the first process that uses it, -1 unknown
  std::int64_t number = 0;    ///< device number
  std::string name;           ///< "rank 0 · GPU 0": no other device of the session has it
  bool collectives = false;   ///< runs kernels that communicate
};

/// A host thread that counts: all that have recorded states, and where a trace records no states, those that
/// call MPI or launch work on a device.
struct HostRow {
  std::size_t trace = 0;
  std::uint32_t thread = 0; ///< resource of the store
  std::uint32_t process = 0;
  std::int32_t rank = -1;
  std::string name;     ///< "rank 0", "rank 0 · thread 2"
  bool states = false;  ///< states are recorded of it
  bool mpi = false;     ///< it has MPI calls
  bool offload = false; ///< it has calls of a GPU's runtime
};

/// Whether the name of a call is one of a GPU's runtime or driver: CUDA, HIP, HSA.
bool is_offload_call(std::string_view name);
/// Whether the name of a state means that the thread computes (Paraver's state 1).
bool is_running_state(std::string_view name);

} // namespace jitterscope::efficiency
