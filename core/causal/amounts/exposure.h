#pragma once

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {

/// Whether a count of events during launches only reflects the length of the launches: at a constant
/// rate a longer launch meets more of them, whatever the cause of its length. Counts relative to the mean of
/// their configuration are regressed on durations relative to theirs: the slope is 1 at a steady rate (a
/// Poisson process observed for a duration), and larger where the counted things themselves lengthen
/// launches. A column of 0 and 1 says whether a launch met any: 1 − exp(−rate × duration) of them at a steady
/// rate, less than in proportion. True for a slope within a quarter of the steady rate's or within two
/// standard errors (heteroscedasticity-consistent, White 1980), whichever is more; false where nothing
/// varies.
bool as_expected_by_time(const AmountRows& rows, std::uint32_t groups);

} // namespace jitterscope::causal
