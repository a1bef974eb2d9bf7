#pragma once

#include <optional>
#include <string_view>

#include "core/base/job.h"
#include "core/causal/base/row_source.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {

inline constexpr std::string_view kPreviousKernel = "previous_kernel";

/// Whether durations differ by the kernel launched before, and not merely with the mix of kernels around
/// them.
///
/// Durations are ranked within their configuration in 32 stretches of the run. Means by configuration and
/// previous kernel, from the other half of the stretches, must explain at least 2 % of the variance of the
/// ranks with the same sign in the stretches (self-normalised sum above 3.5, Efron 1969), and at least twice
/// as much as the kernel two launches before. False without durations, for fewer than 2,048 launches, for
/// fewer than 2 or more than 32 kernels, if there is a column of the call site, or if the rows are not
/// consecutive launches. Errors: those of the source, Cancelled.
Expected<bool> depends_on_previous_kernel(const RowSource& source, const Job& job);

/// Rows of a source with additional columns that are derived from the order of the launches:
/// `previous_kernel` (a category), and `launch_age`, the number of launches since the beginning of the run up
/// to the end of its warm-up.
class DerivedRows final : public ChangedRows {
public:
  DerivedRows(const RowSource& source, bool previous_kernel, const std::optional<WarmUp>& warm_up);
  Expected<void> read(std::int64_t first, std::int64_t count, RowBlock& block) const override;

private:
  bool previous_kernel_;
  std::int64_t warm_up_ = 0; ///< launches of the warm-up; 0: none
};

} // namespace jitterscope::causal
