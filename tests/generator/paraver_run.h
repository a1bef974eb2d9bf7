#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace jitterscope::generator {

/// An MPI program with threads: each step every thread computes, then waits in a barrier; the first thread of
/// each process calls MPI_Allreduce for it.
struct ParaverOptions {
  int processes = 64;
  int threads = 8; ///< threads of each process
  int steps = 100;
  std::int64_t step_ns = 10'000'000;
  /// Processes that compute for 95 % of a step in the middle third of the run; the others for 45 to 75 %.
  int late_processes = 1;
  std::uint64_t seed = 1;
  std::string region;  ///< name of the function that computes; empty: none is recorded
  std::string counter; ///< name of a counter of the microseconds of computing, read at both ends; empty: none
};

/// Writes FILE.prv with its .pcf and .row: records in order of time, states of every thread (1 Running, 13
/// Group Communication), two events of type 50000002 for each call,
/// of 60000019 for the region and of 42000059 for the counter. Returns the number of records. Errors:
/// BadUse, Io.
Expected<std::int64_t> write_paraver(const ParaverOptions& options, const std::string& path);

} // namespace jitterscope::generator
