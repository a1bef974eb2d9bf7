#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// How often every block occurs in each resample. Units of consecutive blocks are drawn with replacement. A
/// unit spans the autocorrelation: 1 + 4 (inflation − 1) rows for a variance inflation by autocorrelation;
/// there are at least 50 units, or one per block if there are fewer blocks. Resample r is the same on every
/// rank. Errors: Cancelled.
Expected<std::vector<std::vector<int>>> draw_resamples(std::size_t blocks, double rows_per_block,
                                                       double inflation, int replicates, std::uint64_t seed,
                                                       const Job& job);

/// Number of units that draw_resamples() draws from.
std::size_t units_of_resamples(std::size_t blocks, double rows_per_block, double inflation);

/// Same as draw_resamples(), but with this number of units of consecutive blocks.
Expected<std::vector<std::vector<int>>> draw_units(std::size_t blocks, std::size_t units, int replicates,
                                                   std::uint64_t seed, const Job& job);
/// Blocks of one of `units` units.
Share blocks_of_unit(std::size_t blocks, std::size_t unit, std::size_t units);
/// Number of units for an estimate that is a ratio of sums over blocks, such as a share. `terms`: by block,
/// its deviation from the estimate (numerator − estimate · denominator). The similarity of blocks follows
/// from these terms, not from the residuals of a fit: a cause that comes in phases makes the sums of
/// neighbouring blocks similar even if it explains the durations exactly. The number of blocks per unit is a
/// power of two; there are at least 20 units, unless there are fewer terms.
std::size_t units_of_sum(const std::vector<double>& terms);
/// Factor by which intervals from resamples of these units must be wider: slow changes make even units alike,
/// and few units give a percentile interval that is too narrow.
double expansion_of_units(const std::vector<double>& terms, std::size_t units);
/// Variance of Σ terms divided by that of independent terms; at least 1. Initial monotone sequence of the
/// autocovariances (Geyer 1992), up to a lag of a quarter of the terms.
double long_run_inflation(const std::vector<double>& terms);

/// Runs `replicate` (same result length for all) for this rank's share of the resamples and gathers all
/// results, in order of replicates, on every rank. Collective. With more than one thread, `replicate` must be
/// thread-safe, and only the calling thread polls the job (Halt in stop.h).
Expected<std::vector<std::vector<double>>>
run_replicates(int replicates, std::size_t length,
               const std::function<std::vector<double>(int replicate)>& replicate, Communicator& communicator,
               const Job& job, std::size_t threads = 1);

/// 2.5 % and 97.5 % percentiles: the k-th of B sorted values is the quantile k / (B + 1), with linear
/// interpolation. By this rule, intervals of few replicates have the coverage of intervals of many; the
/// common rule (k − 1) / (B − 1) covers one percentage point less at 200 replicates. Non-finite values are
/// left out: they come from resamples with too few rows for a fit, or whose fit failed.
Range percentile_interval(std::vector<double> values);
/// The interval, extended to the estimate: all resamples may be on one side of it.
Range containing(Range interval, double estimate);
/// Interval of one quantity over the replicates.
Range percentile_interval(const std::vector<std::vector<double>>& replicates, std::size_t quantity);

/// Factor by which an interval must be wider than its percentiles: √(n / (n − k)) t₀.₉₇₅(n − k) / z₀.₉₇₅ (the
/// expanded percentile interval of Hesterberg 2015). A model with this many parameters fits resampled rows
/// better than new rows, and Student's t has heavier tails than the normal distribution.
double interval_expansion(double rows, double parameters);
/// Multiplies the distances of both ends from the estimate by `factor`.
Range expanded(Range interval, double estimate, double factor);

} // namespace jitterscope::causal
