#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/statistics/statistics.h"

namespace jitterscope::analysis {

struct ComparisonOptions {
  /// Traces of the session by run: the first run is the baseline. A run of three traces or more is a set of
  /// repetitions. At least two runs, none empty, no trace twice.
  std::vector<std::vector<std::size_t>> runs;
  double tolerance = 0.01; ///< relative difference of medians that does not matter, in [0, 1)
};

/// Fewest launches with a known duration of a run without repetitions whose median has an interval.
inline constexpr std::int64_t kMinCompared = 10;

enum class Verdict : std::uint8_t {
  Slower, ///< the medians differ (q ≤ 0.05), and the run's is longer by more than the tolerance
  Faster, ///< the same, shorter
  Same,   ///< the interval of the ratio is within the tolerance
  Unclear,
  Few ///< too few launches, or too few independent ones, for an interval
};

/// One configuration in the baseline (a) and in another run (b); durations in ns.
struct ComparedConfiguration {
  std::size_t run = 1; ///< index in ComparisonOptions::runs
  std::uint32_t configuration = 0;
  Statistics a, b; ///< of launches with a known duration; without quartiles but the median
  /// Median of b / median of a, with its 95 % interval. NaN: no launch has a duration above 0, or (interval
  /// and p) Verdict::Few.
  double ratio = 0, low = 0, high = 0;
  double p = 0; ///< two-sided, that the medians are equal
  double q = 0; ///< p adjusted for the number of comparisons (Benjamini, Hochberg 1995)
  Verdict verdict = Verdict::Few;

  /// Time that b's launches took longer than as many of a's, ns.
  double change_ns() const { return static_cast<double>(b.n) * (b.mean - a.mean); }
};

/// A configuration of only one of two compared runs.
struct SingleConfiguration {
  std::size_t run = 1;
  std::uint32_t configuration = 0;
  std::int64_t launches = 0, duration_sum_ns = 0;
};

struct RunComparison {
  std::vector<ComparedConfiguration> compared; ///< by run, Verdict::Few last, by |change_ns()|
  std::vector<SingleConfiguration> appeared;   ///< only in the other run; longest first
  std::vector<SingleConfiguration> gone;       ///< only in the baseline
  /// By run: whether intervals contain the variation between its repetitions.
  std::vector<bool> repeated;
};

/// Compares the durations of the configurations of runs by their medians.
///
/// The interval of a median is that of a quantile (Woodruff 1952): the fraction of launches below the median
/// has a standard error from groups of launches, and the interval's ends are the quantiles at this fraction ±
/// Student's t times the error. Groups are 8, 16 or 32 consecutive times, whichever give the largest error,
/// because neighbouring launches are alike; the error is at least that of independent launches. Of a run with
/// at least three traces, the median is the geometric mean of theirs, and its error is from their
/// differences. Intervals of both medians are combined by the method of variance estimates recovery (Zou,
/// Donner 2008) for logarithms; p is the level at which the interval reaches 1. Collective; complete on rank
/// 0. Errors: BadUse, BadInput without durations, Cancelled.
Expected<RunComparison> compare_runs(const Session& session, const LaunchColumns& columns,
                                     const Selection& selection, const ComparisonOptions& options,
                                     Communicator& communicator, const Job& job);

} // namespace jitterscope::analysis
