#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/communicator.h"

namespace jitterscope::engine {

/// A collective call made by all virtual ranks.
struct CollectiveCall {
  enum class Kind : std::uint8_t { Reduce, AllGather, Gather, Finish };
  Kind kind = Kind::Reduce;
  std::int64_t largest = 0; ///< maximum bytes of one rank
  std::int64_t total = 0;   ///< bytes of all ranks
};

/// CPU time between two collective calls, in s.
struct Stage {
  double root = 0;    ///< time of rank 0
  double slowest = 0; ///< time of the slowest other rank; 0 with a single rank
  double sum = 0;     ///< sum over all ranks
};

/// Recorded execution of virtual ranks. Stage i ends with call i; the last stage follows the last call.
struct VirtualRun {
  int ranks = 1;
  std::vector<CollectiveCall> calls;
  std::vector<Stage> stages;
  /// Maximum memory of a rank allocated by `new`, sampled at collective calls and wherever `sample_memory` is
  /// called; of more than 32 ranks about 32 are sampled. Mapped stores are not included.
  std::int64_t root_peak_bytes = 0, other_peak_bytes = 0;
};

/// One of many ranks that take turns in one process: each runs alone until its next collective call, so that
/// its CPU time is that of a rank with its own core. Collective calls work as among real ranks.
class VirtualRank : public Communicator {
public:
  /// Samples the current memory use; long computations should call it regularly.
  virtual void sample_memory() = 0;
};

/// Runs `work` as each of `ranks` ranks; it must close every job with `finish`, as real ranks do. If ranks
/// disagree on their calls, all get errors. Errors: Engine if the system cannot create that many threads.
Expected<VirtualRun> run_virtual_ranks(int ranks, const std::function<void(VirtualRank&)>& work);

} // namespace jitterscope::engine
