#pragma once

#include <memory>
#include <span>
#include <utility>

#include "core/base/communicator.h"

namespace jitterscope {

// Ranks keep results between questions and skip the work for what they have. They stay in step only while all
// of them keep the same: what a rank keeps changes after all ranks agreed that the step succeeded, and is
// used where all ranks have it.

/// Succeeds once every rank has called it; fails on all ranks when one has failed or was cancelled. A rank
/// changes what it keeps after this call and before anything that may fail. Collective. Errors: Cancelled.
Expected<void> all_ranks_succeeded(Communicator& communicator);

/// Flags of one rank, 1 for what it has and 0 for what it lacks, become flags of what all ranks have.
/// Collective, the same number of flags on every rank.
Expected<void> known_to_all(Communicator& communicator, std::span<std::int64_t> known);

/// What `slot` keeps. Made by `make`, which returns Expected<T>, on all ranks where one of them lacks it;
/// kept once all ranks have made it. Collective.
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
