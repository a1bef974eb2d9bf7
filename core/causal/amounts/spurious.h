#pragma once

#include "core/causal/amounts/amount_effect.h"
#include "core/causal/amounts/remaining_launches.h"

namespace jitterscope::causal {

/// The attribution of an event or numeric factor `s` with changes_apart, reflects_earlier and of_length:
/// whether it is correlated with durations without being their cause. `fit`: of a numeric factor, else null.
/// Collective.
Expected<Attribution> with_tests(const RemainingLaunches& launches, std::size_t s, Attribution result,
                                 const AmountFit* fit);

} // namespace jitterscope::causal
