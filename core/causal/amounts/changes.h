#pragma once

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {

/// Whether durations change when a column does, and not only lie high where it does: two things that change a
/// few times in a run go with each other by chance. `rows` in their order, a sample of them will do.
///
/// Either within short stretches of rows (a two hundredth of them): the covariance of the column's ranks with
/// the ranks of durations in their configuration, or of |d − usual|, differs from 0 over the stretches
/// (self-normalised sum at 1 %, Efron 1969: seven equal changes at least). Or over all rows, against the same
/// with the column shifted in a circle by up to 500 distances (z test at 5 %, over `candidates` columns and
/// both kinds of ranks; of a column that changes sides at least five times). True without a look for fewer
/// than 30 rows, an event of less than 5 % of them (that may lie in one stretch,
/// Attribution::in_one_stretch), and for a column whose neighbouring rows correlate by less than 0.5: such
/// rows are as good as independent.
bool changes_together(const AmountRows& rows, const std::vector<double>& usual, std::size_t candidates);

/// For columns that are measured without error (times between launches): whether durations follow a column
/// whose neighbouring rows are alike from row to row, and not only from one stretch of rows to the next,
/// which something else that lasts may have moved as well. The slope of differences of neighbours (ranks,
/// within configurations for durations) must be a third of the slope of the values; true without a look where
/// hardly any difference is seen (a twentieth of the column's variance), where the two go together by less
/// than 0.2 over all, and of a column whose neighbours are not alike.
bool moves_with_durations(const AmountRows& rows);

} // namespace jitterscope::causal
