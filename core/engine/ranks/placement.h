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

/// How the work that is asked for divides.
enum class Divides {
  in_threads, ///< statistics of launches: one process whose threads share everything, nothing to start and to
              ///< join
  in_ranks    ///< the causal engine, and whatever a window may ask for
};

/// `ranks` 0 chooses for one machine: a single rank with a thread for each core where the work divides in
/// threads, else a rank for each core; ranks share the pages of the stores. Fewer ranks than cores leave the
/// others to their threads. OMP_NUM_THREADS, where the user sets it, stands up to 16 for each core.
Placement place(int ranks, const Machine& machine, Divides work = Divides::in_ranks);

/// Lets the loops of this process use that many threads.
void use_threads(int threads);

} // namespace jitterscope::engine
