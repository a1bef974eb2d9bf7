#pragma once

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

inline constexpr std::size_t kWideTable = 120; ///< tables with more columns are screened first

/// Leaves in the frame what may stand near the target when columns are many (causal.md section 5):
/// 1. families: average linkage of |r| > 0.95 within a tier, told by their heads (the member with the highest
///    mean |r|);
/// 2. at most 200 heads: those with the largest |r| with a side of the target, and those that forward
///    selection with the extended BIC (γ = 0.5, Chen and Chen 2008) takes;
/// 3. the Markov blanket of the target among them by grow-shrink, and the blankets of its members while there
///    is room for 48.
/// Every column that leaves is reported. Correlations are those of a sample of at most 2²⁵ values, with
/// missing values at their column's mean. Collective; the same on every rank.
///
/// Precondition: rows of the frame are selected and its groups described, as far as the target asks for.
Expected<void> screen_columns(Frame& frame, const Options& options, Communicator& communicator,
                              const Job& job);

} // namespace jitterscope::causal
