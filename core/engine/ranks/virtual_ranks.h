#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/communicator.h"

namespace jitterscope::engine {

/// A collective call that all virtual ranks made together.
struct CollectiveCall {
  enum class Kind : std::uint8_t { Reduce, AllGather, Gather, Finish };
  Kind kind = Kind::Reduce;
  std::int64_t largest = 0; ///< bytes of the rank that gives most
  std::int64_t total = 0;   ///< bytes of all ranks
};

/// CPU time between two collective calls, in s.
struct Stage {
  double root = 0;    ///< of rank 0
  double slowest = 0; ///< of the slowest other rank; with one rank 0
  double sum = 0;     ///< of all ranks
};

/// What virtual ranks did. Stage i ends with call i; what follows the last call is the last stage.
struct VirtualRun {
  int ranks = 1;
  std::vector<CollectiveCall> calls;
  std::vector<Stage> stages;
  /// The most memory that a rank held of what `new` gave it, seen at collective calls and wherever `look` was
  /// called; of more than 32 ranks about 32 are looked at. Mapped stores are not in it.
  std::int64_t root_peak_bytes = 0, other_peak_bytes = 0;
};

/// One of many ranks that take turns in one process: each runs alone until its next collective call, so its
/// CPU time is that of a rank with a core of its own. Collective calls do what they do among real ranks.
class VirtualRank : public Communicator {
public:
  /// Notes how much memory is held just now; to be called now and then from long work.
  virtual void look() = 0;
};

/// Runs `work` as each of `ranks` ranks; it must close every job with `finish`, as real ranks do. Where ranks
/// disagree on their calls, all get errors. Errors: Engine when the system has no room for so many threads.
Expected<VirtualRun> run_virtual_ranks(int ranks, const std::function<void(VirtualRank&)>& work);

} // namespace jitterscope::engine
