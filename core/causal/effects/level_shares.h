#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"
#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {

/// Shares of the variance of a target, explained by levels of its parents.
struct LevelShares {
  std::vector<double> share;    ///< by parent: LMG share (shapley.h)
  std::vector<double> alone;    ///< by parent: share that it explains without the others
  std::vector<Range> intervals; ///< by parent: 95 % interval of `share`; the share twice without replicates
  double r_squared = 0;
};

/// Straight lines explain too little of a step or of a U-shape. The target is therefore predicted by a
/// generalised additive model (Hastie and Tibshirani 1986), fitted in turn: lines of all parents and, for
/// parents that are curved, the means of 16 to 64 classes of their values. Classes have equal numbers of
/// rows; one is divided where a step explains most. A parent is curved if its classes improve the prediction
/// of rows not used in the fit by at least 2 % of the variance, above chance (is_above_chance). R² is
/// adjusted for the number of classes.
///
/// Intervals resample the stretches of the sample; the levels stay as fitted.
///
/// Empty if no parent is curved, unless `always`. `sample`: the parents, then the target. `inflation`:
/// variance inflation of the rows by autocorrelation. Errors: Cancelled.
Expected<std::optional<LevelShares>> level_shares(const StretchSample& sample, double inflation,
                                                  int replicates, std::uint64_t seed, const Job& job,
                                                  bool always = false);

} // namespace jitterscope::causal
