#pragma once

#include <span>

namespace jitterscope::causal {

/// Whether a number of runs was set and not measured: it has 2 to 11 values that are not consecutive
/// integers, each of about the same number of runs, as in a sweep of parameters. Measured values differ, and
/// counts and rounded measures are most frequent near their middle. Runs with one value must not follow each
/// other, as they do if a value is measured once a day. False if runs with one value may be a class of the
/// target: the values' ranges of the target then touch without overlapping. NaN: missing. Rows are in the
/// order of the table.
bool has_set_values(std::span<const double> values, std::span<const double> target);

} // namespace jitterscope::causal
