#pragma once

#include "core/causal/groups/grouped_rows.h"

namespace jitterscope::causal {

/// Computes variance components and ranked devices of rows that have groups.
GroupEstimates estimate_groups(const GroupedRows& rows, const std::string& target);

} // namespace jitterscope::causal
