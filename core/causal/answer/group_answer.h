#pragma once

#include <functional>

#include "core/causal/groups/grouped_rows.h"

namespace jitterscope::causal {

/// Answer for grouped rows: first the parts of the variance, then what explains the differences between units
/// and within them (Mundlak 1978), each if it is at least a tenth of the variance. Percentages refer to the
/// whole variance of the target. Variance between units that no column explains is the units' own
/// contribution, whose direction is known by design. If GroupedRows::by_unit() is false, the answer in the
/// requested reading gets only the parts of the variance in addition.
Expected<CausalResult> answer_by_groups(const GroupedRows& rows, const Options& options,
                                        const std::function<Expected<CausalResult>(const Options&)>& ask,
                                        Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
