#pragma once

#include <optional>
#include <string_view>

#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/causal/base/row_source.h"

namespace jitterscope::causal {

/// Column of a run with a warm-up: launches since its beginning, up to the end of the warm-up.
inline constexpr std::string_view kLaunchAge = "launch_age";

/// The first launches of a run. They take longer than the same launches later, and this difference decreases.
struct WarmUp {
  std::int64_t launches = 0;
  double times = 1; ///< median duration of the first launches, relative to the median of their configuration
  double percent = 0; ///< share of Σ |d − median of the configuration| on the first launches
};

/// Launches before the first 16 launches whose median deviation is below one mean deviation of their
/// configurations later in the run. They must be at least 16, hold 10 % of the variability, and become
/// shorter from quarter to quarter: what is added in the last quarter is at most half of that in the first.
/// Only the first third of the rows, at most 8,192, is examined. Medians and deviations are those of 32
/// stretches after the first third of the rows. Empty without durations, for fewer than 512 rows, or if the
/// rows do not begin with the source's first row. Collective.
Expected<std::optional<WarmUp>> find_warm_up(const RowSource& source, Communicator& communicator,
                                             const Job& job);

/// Note with the code `warm-up`.
Warning note_on(const WarmUp& warm_up);

} // namespace jitterscope::causal
