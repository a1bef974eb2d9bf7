#pragma once

#include <optional>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"
#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {

inline constexpr std::int64_t kMinNonlinearRows = 200; ///< for boosted trees
inline constexpr std::int64_t kMinCurveRows = 60;      ///< for curves
inline constexpr int kCurvePoints = 20;                ///< maximum points of a partial-dependence curve

/// The parents and the target, minus the mean of their configuration for the readings "within" and
/// "automatic". Empty without parents, below 200 rows, and for the reading "between", whose rows repeat.
/// Collective.
Expected<std::optional<StretchSample>> sample_for_curves(const Frame& frame, const std::vector<int>& parents,
                                                         const Options& options, Communicator& communicator,
                                                         const Job& job);

/// Tests whether straight lines suffice: the target is predicted from its parents by least squares and by
/// boosted trees that start from these lines (boosted_trees.h), both tested on rows not used in the fit.
///
/// Rows and folds: stretch_sample.h. Columns and target are in their units, as in `Contribution::percent`,
/// minus the mean of their configuration for the readings "within" and "automatic". R² = 1 − Σ (y −
/// prediction)² / Σ (y − mean of the other folds)² over all folds.
///
/// The difference of the two R² is reported (Nonlinear::part) if it exceeds 5 % and chance
/// (is_above_chance).
///
/// Curves: partial dependence (Friedman 2001, section 8.2) by a model fitted to all rows. One parent is set
/// to each of its values, or to 20 quantiles of its distinct values, and predictions are averaged over at
/// most 1,000 rows.
///
/// `parents`: columns of the frame. No result where sample_for_curves() has none. Collective; folds are
/// distributed over the ranks, the result is the same for any number of them.
Expected<std::optional<Nonlinear>> check_nonlinear(const Frame& frame, const std::vector<int>& parents,
                                                   const Options& options, Communicator& communicator,
                                                   const Job& job);

} // namespace jitterscope::causal
