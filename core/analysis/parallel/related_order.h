#pragma once

#include <cstddef>
#include <vector>

#include "core/base/job.h"

namespace jitterscope::analysis {

/// Squared correlation of two columns over the rows in which both have a value; without a target (empty) the
/// squared coefficient of variation. 0 if neither is defined. NaN is a missing value.
double similarity(const std::vector<double>& values, const std::vector<double>& target);

/// Orders the columns so that neighbours are strongly associated: a path through the squared rank
/// correlations, or the mutual information of ranks in 16 classes; the best of all greedy paths. `pinned` ≥
/// 0 stays first. All columns have the same rows. Errors: Cancelled.
Expected<std::vector<std::size_t>> related_order(const std::vector<std::vector<double>>& columns,
                                                 std::ptrdiff_t pinned, bool mutual_information,
                                                 const Job& job);

} // namespace jitterscope::analysis
