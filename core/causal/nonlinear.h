#pragma once

#include <optional>
#include <vector>

#include "core/causal/frame.h"
#include "core/causal/result.h"

namespace jitterscope::causal {

inline constexpr std::int64_t kNonlinearRows = 100'000; ///< rows looked at, at most
inline constexpr std::int64_t kNonlinearValues =
    1'000'000; ///< rows × parents, at most: about 3 s of one core
inline constexpr std::int64_t kFewestNonlinearRows = 200;
inline constexpr int kFolds = 5;
inline constexpr int kCurvePoints = 20; ///< of a partial-dependence curve, at most

/// Whether straight lines are enough (causal.md section 6): the target on its parents by least squares and by
/// boosted trees that start from those lines (boosted_trees.h), both judged on rows they have not seen.
///
/// Rows: 100 stretches of the table in equal distances, whole while the bounds above allow, else the first
/// rows of each; stretch s is left out in fold s mod 5, so that rows that follow each other are not on both
/// sides. Columns and target are in units, as in `Contribution::percent`; minus the mean of their
/// configuration for the reading "within". R² = 1 − Σ (y − prediction)² / Σ (y − mean of the other folds)²
/// over all folds.
///
/// The difference of the two is told (Nonlinear::part) when it exceeds 5 % and t₀.₉₇₅ with four degrees of
/// freedom times its standard error, the standard deviation over folds times √(1/5 + 1/4): folds share most
/// of their rows (Nadeau and Bengio 2003, equation 9).
///
/// Curves: mean prediction of a model of all rows over 1,000 of them, one parent set to each of its values or
/// to 20 quantiles of its distinct values (partial dependence, Friedman 2001, section 8.2).
///
/// `parents`: columns of the frame. Empty without parents, below 200 rows, and for the reading "between",
/// whose rows repeat. Collective; folds are dealt to the ranks, the result is the same for any number of
/// them.
Expected<std::optional<Nonlinear>> check_nonlinear(const Frame& frame, const std::vector<int>& parents,
                                                   const Options& options, Communicator& communicator,
                                                   const Job& job);

} // namespace jitterscope::causal
