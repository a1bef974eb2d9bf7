#pragma once

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

inline constexpr std::size_t kWideTable = 120; ///< tables with more columns are screened first

/// Keeps the columns that may be near the target when there are many.
///
/// 1. Families: average linkage of |r| > 0.95 within a tier, represented by their heads (the member with the
///    highest mean |r|).
/// 2. At most 200 heads: those with the largest |r| with a side of the target, and those that forward
///    selection by the extended BIC adds (γ = 0.5, Chen and Chen 2008).
/// 3. The Markov blanket of the target among them by grow-shrink, and the blankets of its members up to a
///    total of 48.
///
/// Every dropped column is reported. Correlations are those of a sample of at most 2²⁵ values, with missing
/// values replaced by their column's mean. Collective; the same on every rank.
///
/// Precondition: rows of the frame are selected and its groups described, as far as the target needs them.
Expected<void> screen_columns(Frame& frame, const Options& options, Communicator& communicator,
                              const Job& job);

} // namespace jitterscope::causal
