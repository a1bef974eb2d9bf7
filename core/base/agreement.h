#pragma once

#include <memory>
#include <span>
#include <utility>

#include "core/base/communicator.h"

namespace jitterscope {

// Ranks cache results between requests and skip work that is already done. They make the same collective
// calls only if all of them cache the same results: a rank changes its cache after all ranks have agreed that
// the step succeeded, and uses an entry only if every rank has it.

/// Succeeds once every rank has called it; fails on all ranks when one has failed or was cancelled. A rank
/// updates its cache after this call and before anything that may fail. Collective. Errors: Cancelled.
Expected<void> all_ranks_succeeded(Communicator& communicator);

/// Replaces the flags of this rank (1: has the result, 0: lacks it) by the minimum over all ranks (1: every
/// rank has it). Collective, the same number of flags on every rank.
Expected<void> known_to_all(Communicator& communicator, std::span<std::int64_t> known);

/// Returns the value cached in `slot`. If any rank lacks it, all ranks compute it with `make`, which returns
/// Expected<T>; it is cached once all ranks have succeeded. Collective.
template <class T, class Make>
Expected<std::shared_ptr<const T>> kept_by_all(Communicator& communicator, std::shared_ptr<const T>& slot,
                                               Make&& make) {
  std::int64_t known = slot != nullptr;
  if (auto agreed = known_to_all(communicator, {&known, 1}); !agreed) return forward(agreed.error());
  if (known) return slot;
  auto made = make();
  if (!made) return forward(made.error());
  auto shared = std::make_shared<const T>(std::move(*made));
  if (auto agreed = all_ranks_succeeded(communicator); !agreed) return forward(agreed.error());
  slot = std::move(shared);
  return slot;
}

} // namespace jitterscope
