#pragma once

#include <cstddef>
#include <vector>

#include "core/base/job.h"

namespace jitterscope::analysis {

/// Squared correlation of two columns over the rows in which both are there; without a target (empty) the
/// squared coefficient of variation. 0 when neither can be told. NaN is a missing value.
double telling(const std::vector<double>& values, const std::vector<double>& target);

/// The columns in the order in which neighbours go together most: a path through the squared rank
/// correlations, or the mutual information of sixteenths of the ranks, the best of all greedy ones. `pinned`
/// ≥ 0 stays first. All columns have the same rows. Errors: Cancelled.
Expected<std::vector<std::size_t>> related_order(const std::vector<std::vector<double>>& columns,
                                                 std::ptrdiff_t pinned, bool mutual_information,
                                                 const Job& job);

} // namespace jitterscope::analysis
