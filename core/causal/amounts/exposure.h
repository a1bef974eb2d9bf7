#pragma once

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {

/// Whether a number of things that happen during launches only tells how long these last: at a steady rate a
/// longer launch meets more of them, whatever made it long. Numbers relative to the mean of their
/// configuration are regressed on durations relative to theirs: the slope is 1 at a steady rate (a Poisson
/// process observed for a duration), and larger where the things themselves add to durations that are not all
/// made of them. A column of 0 and 1 tells whether a launch met any: 1 − exp(−rate × duration) of them at a
/// steady rate, less than in proportion. True for as steep a slope as the steady rate's within a quarter or
/// two standard errors (heteroscedasticity-consistent, White 1980), whichever is more; false where nothing
/// varies.
bool as_many_as_time_brings(const AmountRows& rows, std::uint32_t groups);

} // namespace jitterscope::causal
