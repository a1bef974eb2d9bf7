#pragma once

#include <string>

namespace jitterscope::engine {

/// Resources of the machine that this process may use.
struct Machine {
  int cores = 1; ///< physical cores in the affinity mask of the process
};
Machine this_machine();

/// How the engine is distributed over one machine.
struct Placement {
  int ranks = 1;
  int threads = 1;         ///< OpenMP threads of each rank
  std::string description; ///< "2 ranks of 1 thread (2 cores)"
};

/// How work is parallelised.
enum class Divides {
  in_threads, ///< statistics of launches: one process whose threads share everything, without start-up and
              ///< communication cost
  in_ranks    ///< the causal engine, and any request of a window
};

/// `ranks` 0 chooses for one machine: a single rank with a thread per core if the work divides in threads,
/// else a rank per core; ranks share the pages of the stores. With fewer ranks than cores, the threads of the
/// ranks use the rest. OMP_NUM_THREADS, if set by the user, is respected up to 16 per core.
Placement place(int ranks, const Machine& machine, Divides work = Divides::in_ranks);

} // namespace jitterscope::engine
