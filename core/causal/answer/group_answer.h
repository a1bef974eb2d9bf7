#pragma once

#include <functional>

#include "core/causal/groups/grouped_rows.h"

namespace jitterscope::causal {

/// The answer for rows that have groups: where the variance is comes first, then what explains the
/// differences between units and those within them (Mundlak 1978), each where it holds at least a tenth of
/// the variance. Percents are those of the whole variance of the target; what nothing recorded explains
/// between units is the units' own contribution, whose direction is known by design. Rows that keep their own
/// reading (GroupedRows::by_unit) get the first only.
Expected<CausalResult> answer_by_groups(const GroupedRows& rows, const Options& options,
                                        const std::function<Expected<CausalResult>(const Options&)>& ask,
                                        Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
