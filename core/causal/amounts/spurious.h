#pragma once

#include "core/causal/amounts/remaining_launches.h"

namespace jitterscope::causal {

// Whether a suspect is correlated with durations without being their cause. `s`: index of the suspect. All
// functions are collective.

/// A suspect of a plain table that counts things that happen at a steady rate during launches (exposure.h).
/// Columns of profilers need no test: where it matters, they count over the typical duration of a launch.
Expected<bool> counts_length(const RemainingLaunches& launches, std::size_t s);

/// A gap that only reflects the length of the previous launch: the correlation nearly vanishes among launches
/// of a configuration whose previous launches deviated equally.
Expected<bool> reflects_earlier_launch(const RemainingLaunches& launches, std::size_t s);

/// Whether a suspect and the durations change at the same moments (changes.h).
Expected<bool> changes_with_durations(const RemainingLaunches& launches, std::size_t s);

} // namespace jitterscope::causal
