#pragma once

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {

/// Whether a count of events during launches only reflects the length of the launches: at a constant rate a
/// longer launch has more of them, for any cause of its length. Counts relative to the mean of their
/// configuration are regressed on durations relative to theirs. The slope is 1 at a steady rate (a Poisson
/// process observed for a duration), and larger where the counted events themselves lengthen launches.
///
/// A column of 0 and 1 states whether a launch has any: at a steady rate, a fraction of 1 − exp(−rate ×
/// duration) has one, which grows less than in proportion. True for a slope within a quarter of the steady
/// rate's or within two standard errors (heteroscedasticity-consistent, White 1980), whichever is more; false
/// where nothing varies.
bool as_expected_by_time(const AmountRows& rows, std::uint32_t groups);

} // namespace jitterscope::causal
