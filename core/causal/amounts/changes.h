#pragma once

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {

/// Whether durations change when a column does, rather than only being high where it is: two things that
/// change a few times in a run are correlated by chance. `rows` in their order; a sample is accepted.
///
/// Either within short stretches of rows (1/200 of them): the covariance of the column's ranks with the ranks
/// of durations in their configuration, or of |d − typical|, differs from 0 over the stretches
/// (self-normalised sum at 1 %, Efron 1969: seven equal changes at least). Or over all rows, against the same
/// covariance with the column shifted circularly by up to 500 distances (z test at 5 %, over `candidates`
/// columns and both kinds of ranks; for a column that changes sides at least five times). Or at 3 to 40
/// changes of the column's level: the sum of the changes of the ranks over ten rows is 1.5 times as large as
/// that at any other circular shift. Returns true without a test for fewer than 30 rows, for an event of less
/// than 5 % of them (which may lie in one stretch, Attribution::in_one_stretch), and for a column whose
/// neighbouring rows correlate by less than 0.5: such rows are nearly independent.
bool changes_together(const AmountRows& rows, const std::vector<double>& typical, std::size_t candidates);

/// For columns that are measured without error (times between launches): whether durations follow an
/// autocorrelated column from row to row, and not only from one stretch of rows to the next, which another
/// lasting influence may have moved as well. The slope of differences of neighbours of one configuration
/// (ranks, within configurations for durations, and for |d − typical|) must be a third of the slope of the
/// values. Returns true without a test where the differences have hardly any variance (1/20 of the column's),
/// where the overall correlation is below 0.2, and for a column without autocorrelation.
bool moves_with_durations(const AmountRows& rows, const std::vector<double>& typical);

/// Whether ranks of the column are correlated with ranks of the durations, or of |d − typical|, in their
/// configuration (3 standard errors at least), but by less than half of that among rows of a configuration in
/// the same tenth of `previous`, what the previous launch took (NaN: unknown, left out). False for fewer than
/// 300 rows.
bool only_reflects_previous(const AmountRows& rows, const std::vector<double>& previous,
                            const std::vector<double>& typical);

} // namespace jitterscope::causal
