#pragma once

#include <vector>

#include "core/base/job.h"
#include "core/causal/base/row_source.h"
#include "core/causal/discovery/discovery.h"

namespace jitterscope::causal {

/// Rows of a plain table with the tier Context for columns whose names do not show whether they come before
/// the target, where the data show it. The target is the named column, or the duration within its
/// configuration. A consequence of the target
///
/// - is associated with all other columns with which the target is associated. A column X that is independent
///   of another column Z, while both are associated with the target, is no consequence (X → target ← Z; Pearl
///   2009, "Causality", section 2.3). As a consequence of the target it would have the correlation ρ(X) ρ(Z)
///   with Z;
/// - is a noisy measure of it: the X of earlier rows is then more closely associated with the target than
///   with X. With ρ = corr(target, X), A_k = corr(target_i, X_{i−k}) and B_k = corr(X_i, X_{i−k}), a
///   consequence has A_k = B_k / ρ, a cause A_k = ρ B_k (X_{i−k} is then independent of target_i given X_i).
///   The latter holds only if nothing else makes the target similar in neighbouring rows, so that the rest of
///   the target must hardly be autocorrelated.
///
/// Values of X are replaced by the mean of the target by value (of 16 classes of a number with many values)
/// and kernel, from the other half of the rows, so that any shape of the dependence counts. Rows come from 32
/// stretches, and are compared within them. Columns whose form is that of a consequence (lengths of time,
/// rates) keep their open direction, as do those that the options name.
///
/// In tables of runs, columns whose values were set (set_values.h) have the tier Configuration.
///
/// Conversely, the direction of an event is open if it happened exactly in the launches beyond some duration:
/// it may happen because a launch lasts that long.
class DirectedRows final : public ChangedRows {
public:
  static Expected<DirectedRows> make(const RowSource& source, const Options& options, const Job& job);
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override {
    return source_->read(first, count, block);
  }
  std::vector<Warning> remarks() const override;

private:
  using ChangedRows::ChangedRows;
  std::vector<Warning> notes_;
};

} // namespace jitterscope::causal
