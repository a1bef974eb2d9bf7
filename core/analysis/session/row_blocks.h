#pragma once

#include <algorithm>

#include "core/analysis/session/session.h"
#include "core/analysis/session/threads.h"

namespace jitterscope::analysis {

/// The rows of a session in blocks of equal size. Floating-point sums are computed per block, and blocks
/// are added in order, so that results do not depend on the number of ranks and threads that share the
/// blocks.
class RowBlocks {
public:
  static constexpr std::int64_t kRows =
      1 << 15; ///< rows per block; filtering a block by a term of the performance model takes 20 ms

  RowBlocks(const Session& session, const Communicator& communicator) : session_(&session) {
    blocks_ = (session.launches() + kRows - 1) / kRows;
    mine_ = share_of(blocks_, communicator.rank(), communicator.size());
  }
  std::int64_t all() const { return blocks_; }
  std::int64_t first() const { return mine_.first; } ///< index of this rank's first block among all blocks
  std::int64_t mine() const { return mine_.last - mine_.first; }

  /// Calls `use(thread, block, segments)` for the blocks of this rank, numbered from 0, on all its threads.
  /// Errors: Cancelled.
  template <class Use>
  Expected<void> for_each(const Job& job, const std::string& what, Use&& use) const {
    const bool whole = on_threads(mine(), job, what, [&](std::size_t thread, std::int64_t block) {
      const auto first = (mine_.first + block) * kRows;
      use(thread, static_cast<std::size_t>(block),
          session_->segments(first, std::min(first + kRows, session_->launches())));
    });
    if (!whole) return Job::cancelled_error();
    return {};
  }

private:
  const Session* session_;
  std::int64_t blocks_ = 0;
  Share mine_;
};

} // namespace jitterscope::analysis
