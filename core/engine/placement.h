#pragma once

#include <string>

namespace jitterscope::engine {

/// What this process may use of the machine it runs on.
struct Machine {
  int cores = 1; ///< physical cores among those that the process may run on
};
Machine this_machine();

/// How the engine is spread over one machine.
struct Placement {
  int ranks = 1;
  int threads = 1;         ///< OpenMP threads of each rank
  std::string description; ///< "2 ranks of 1 thread (2 cores)"
};

/// `ranks` 0 chooses: a rank for each core, because every part of the engine works in ranks and only some in threads,
/// and ranks share the pages of the stores. Fewer ranks leave the other cores to their threads. OMP_NUM_THREADS,
/// where the user sets it, stands.
Placement place(int ranks, const Machine& machine);

/// Lets the loops of this process use that many threads.
void use_threads(int threads);

} // namespace jitterscope::engine
