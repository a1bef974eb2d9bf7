#pragma once

#include "core/causal/amounts/amount_effect.h"

namespace jitterscope::causal {

/// Whether durations change when a column does, rather than only being high where the column is: two
/// quantities that change a few times in a run are correlated by chance. `rows` are in row order; a sample is
/// accepted.
///
/// The test statistic is the covariance of the column's ranks with the ranks of durations in their
/// configuration, or of |d − typical|. One of three tests must pass:
/// - Within short stretches of rows (1/200 of them), the covariance differs from 0 over the stretches
///   (self-normalised sum at 1 %, Efron 1969: at least seven equal changes; wider by long_run_inflation where
///   stretches near each other are alike).
/// - Over all rows, beyond cubic trends of both, it differs from the covariance with the column shifted
///   circularly by up to 500 distances (z test at 5 %, over `candidates` columns and both kinds of ranks).
///   Only for a column that changes sides at least five times.
/// - At 3 to 40 changes of the column's level, the sum of the changes of the ranks over ten rows is 1.5 times
///   as large as at any other circular shift.
///
/// Returns true without a test for fewer than 30 rows and for an event of less than 5 % of the rows (see
/// Attribution::in_one_stretch). Also returns true for a column whose neighbouring rows correlate by less
/// than 0.5, because these rows are nearly independent.
bool changes_together(const AmountRows& rows, const std::vector<double>& typical, std::size_t candidates);

/// For columns that are measured without error (times between launches): whether durations follow an
/// autocorrelated column from row to row. Following it only from one stretch of rows to the next is not
/// enough, because another lasting influence may have moved both.
///
/// The slope of differences of neighbours of one configuration (ranks, within configurations for durations,
/// and for |d − typical|) must be at least a third of the slope of the values. Returns true without a test
/// where the differences have hardly any variance (1/10 of the column's), where the overall correlation is
/// below 0.2, and for a column without autocorrelation.
bool moves_with_durations(const AmountRows& rows, const std::vector<double>& typical);

/// Whether a column only reflects the previous launch. Its ranks must correlate with ranks of the durations,
/// or of |d − typical|, within configurations (at least 3 standard errors). Among rows with `previous` in the
/// same tenth, the correlation must be less than half of that. `previous`: relative deviation of the previous
/// row's duration from the typical duration, NaN if unknown. False for fewer than 300 rows.
bool only_reflects_previous(const AmountRows& rows, const std::vector<double>& previous,
                            const std::vector<double>& typical);

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
