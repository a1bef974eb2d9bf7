#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::causal {

/// Median of the values of every group over all ranks (mean of the two middle ones for even counts), NaN for
/// empty groups. Values with group kNone or NaN are left out. Radix selection on integer counts: no value
/// leaves its rank.
Expected<std::vector<double>> group_medians(std::span<const double> values,
                                            std::span<const std::uint32_t> groups, std::uint32_t group_count,
                                            Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
