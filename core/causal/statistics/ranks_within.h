#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope::causal {

/// Ranks of the rows within each group, with equal ranks for equal values, minus their mean and divided by
/// the number of the group's rows.
std::vector<double> ranks_within(const std::vector<double>& values, const std::vector<std::uint32_t>& groups);

} // namespace jitterscope::causal
