#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope::causal {

/// Ranks of the rows of each group, equal values sharing theirs, minus their mean and by the number of its
/// rows.
std::vector<double> ranks_within(const std::vector<double>& values, const std::vector<std::uint32_t>& groups);

} // namespace jitterscope::causal
