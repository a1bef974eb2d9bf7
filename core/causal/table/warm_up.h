#pragma once

#include <optional>

#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// The first launches of a run, which take longer than the same launches later, and less and less so.
struct WarmUp {
  std::int64_t launches = 0;
  double times = 1;   ///< median duration of the first ones, relative to the median of their configuration
  double percent = 0; ///< of Σ |d − median of the configuration|: the part that these launches hold
};

/// Launches up to the first 16 of which the median deviation is below one mean deviation of their
/// configurations later in the run; at least 16 launches and 10 % of the variability, and longer in their
/// first half than in their second one. A run has one start: nothing can be said about other runs. Medians
/// and deviations are those of up to 32 stretches after the first eighth of the rows. Empty without
/// durations, for fewer than 512 rows, or if the rows do not begin with the source's first one. Collective.
Expected<std::optional<WarmUp>> find_warm_up(const RowSource& source, Communicator& communicator,
                                             const Job& job);

/// The note on it (code `warm-up`).
Warning note_on(const WarmUp& warm_up);

} // namespace jitterscope::causal
