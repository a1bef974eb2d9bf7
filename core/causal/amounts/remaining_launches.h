#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "core/base/exact_sums.h"
#include "core/causal/amounts/amount_effect.h"
#include "core/causal/amounts/suspect.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/group_medians.h"

namespace jitterscope::causal {

/// Resamples of one analysis: of blocks, and of units of consecutive blocks, which are drawn when first used.
struct Resamples {
  using Weights = std::vector<std::vector<int>>; ///< by resample, then block: how often the block occurs
  const Weights& of_blocks;
  std::uint64_t seed;                      ///< for drawing units and configurations
  std::map<std::size_t, Weights> of_units; ///< resamples of units, by number of units
};

enum class SuspectKind { configuration, event, amount };

/// Input of all calculations of one attribution.
struct AttributionInput {
  const Frame& frame;
  const std::vector<Suspect>& suspects;
  Resamples& resamples;
  double min_share; ///< minimum share of a cause
  Communicator& communicator;
  const Job& job;
  std::vector<std::vector<double>> x; ///< by suspect, then row of this rank; NaN for rows that are not used

  const Column& column(std::size_t s) const { return frame.columns[suspects[s].column]; }
  SuspectKind kind(std::size_t s) const {
    if (suspects[s].constant_in_configuration) return SuspectKind::configuration;
    return column(s).may_happen() ? SuspectKind::event : SuspectKind::amount;
  }
  /// Whether a suspect is known to act on another.
  bool acts_on(std::size_t from, std::size_t to) const {
    return contains(suspects[from].leads_to, suspects[to].column);
  }
  bool is_event(std::size_t s) const { return kind(s) == SuspectKind::event; }
};

/// The launches that remain after causes were removed, with the durations they would have without these
/// causes. Only the removal of a cause changes them. Vectors "by row" have the rows of this rank. Functions
/// that return Expected are collective.
class RemainingLaunches {
public:
  /// All launches of the input, as recorded.
  static Expected<RemainingLaunches> recorded(const AttributionInput& input);

  const AttributionInput& input() const { return *input_; }
  std::size_t size() const { return rows_.used.size(); } ///< number of rows, with those that do not remain
  bool used(std::size_t row) const { return rows_.used[row] != 0; } ///< whether the launch remains
  std::uint32_t group(std::size_t row) const { return rows_.group[row]; }
  double duration(std::size_t row) const { return rows_.duration[row]; } ///< ns, without removed causes
  /// v = |duration − median of the configuration|, ns; 0 for rows that do not remain.
  double variability(std::size_t row) const { return v_[row]; }
  const LocalRows& rows() const { return rows_; }
  const Groups& groups() const { return groups_; }
  std::int64_t count() const { ///< launches that remain, on all ranks
    return std::accumulate(groups_.rows.begin(), groups_.rows.end(), std::int64_t{0});
  }
  double longest() const { return std::max(1.0, groups_.longest); }       ///< upper limit of durations, ns
  const std::vector<double>& block_variability() const { return total_; } ///< Σ v by block of all ranks, ns
  double total_variability() const { return std::accumulate(total_.begin(), total_.end(), 0.0); } ///< Σ v, ns
  double mean_variability() const {                                                               ///< ns
    return count() > 0 ? total_variability() / static_cast<double>(count()) : 0.0;
  }
  Expected<double> std_variability() const; ///< standard deviation of v, ns
  /// By kernel: recorded launches and the variability that remains of them.
  Expected<std::vector<Attributions::Left>> left_by_kernel() const;
  /// Fraction of the launches in which `x` (by row) is not 0.
  Expected<double> part_with(const std::vector<double>& x) const;

  /// Sums by cell, exact over ranks: `visit(row, sums)` adds the terms of one launch, each at most `bound`.
  Expected<std::vector<double>> sum_by(std::size_t cells, double bound, const auto& visit) const {
    ExactSums sums(cells, bound, input_->frame.plan.rows);
    for (std::size_t i = 0; i < size(); ++i)
      if (used(i)) visit(i, sums);
    return sums.total(input_->communicator);
  }
  /// By configuration: median of `value(row)`; NaN values are left out.
  Expected<std::vector<double>> medians(const auto& value) const {
    std::vector<double> values(size(), kMissing);
    for (std::size_t i = 0; i < size(); ++i)
      if (used(i)) values[i] = value(i);
    return group_medians(values, rows_.group, groups_.count, input_->communicator, input_->job);
  }
  /// Sums of `values` (by row), by block of all ranks.
  Expected<std::vector<double>> block_sums(const std::vector<double>& values) const;
  /// Sample, evenly spaced over the table, the same on every rank: at most `maximum` rows if the launches are
  /// evenly distributed. The rows of a stratum have the same subset of `events` (indices of
  /// suspects).
  Expected<AmountRows> sample(const std::vector<double>& x, std::int64_t maximum,
                              const std::vector<std::size_t>& events = {}) const;

  /// A copy without the launches in which `x` (by row) is not 0.
  Expected<RemainingLaunches> without(const std::vector<double>& x) const;
  /// Removes the launches with an event (`has`, by row). `left`: their variability without it, by row, ns.
  Expected<void> remove(const std::vector<std::uint8_t>& has, const std::vector<double>& left);
  /// Replaces the durations by `durations` (by row, ns), which are without the effect of a cause.
  Expected<void> replace_durations(std::vector<double> durations) {
    rows_.duration = std::move(durations);
    return regroup();
  }

private:
  explicit RemainingLaunches(const AttributionInput& input)
      : input_(&input), rows_(input.frame.local), groups_(input.frame.groups) {}
  Expected<void> regroup();
  Expected<void> measure();

  const AttributionInput* input_;
  LocalRows rows_;
  Groups groups_; ///< row counts and medians of the launches that remain
  std::vector<double> v_, total_;
  std::vector<double>
      kept_; ///< by row: variability of removed launches without the cause, ns; NaN for others
};

} // namespace jitterscope::causal
