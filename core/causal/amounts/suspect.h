#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// A suspected cause of the variability: a column and how it acts.
struct Suspect {
  int column = 0;
  bool constant_in_configuration = false;
  bool shifts = true;        ///< moves durations up or down
  bool spreads = true;       ///< changes the spread of durations
  int sign = 0;              ///< sign of its effect, adjusted for the other suspects; 0 if unknown
  bool required = false;     ///< background knowledge states that it acts
  bool summary = false;      ///< sum of kinds that other columns hold separately: judged after those columns
  bool proxy = false;        ///< correlated with long launches without making them long: judged last
  std::vector<int> leads_to; ///< columns that the suspect is known to act on
  double weight = 0;         ///< fraction of the target's variance: breaks ties between equal shares
};

/// Share of Σ |d − median of the configuration| that would vanish without one cause.
struct Attribution {
  double share = 0; ///< 1 − Σ v(without) / Σ v; negative: there would be more variability
  Range interval;   ///< 95 % interval of `share`, block bootstrap
  /// Events: most of the variability that would vanish is in so few blocks that a resample may miss all of
  /// them.
  bool in_one_stretch = false;
  std::int64_t affected = 0; ///< rows the cause acts on
  double mean_extra_ns =
      0; ///< mean of duration − duration expected without the cause, over affected rows with a peer, ns
  /// Affected rows with comparable launches without the event; for numeric factors all affected rows.
  std::int64_t compared = 0;
  /// Configuration columns: +1 if larger values vary more, −1 if smaller values do. Numeric factors: +1 if
  /// larger values take longer (or vary more, with `spreads`), −1 if smaller values do. 0: neither.
  int direction = 0;
  bool both_ways =
      false;            ///< numeric factors: configurations respond in opposite directions; `direction` is 0
  bool spreads = false; ///< most of the share comes from the spread of durations, not from their level
  bool of_length = false; ///< occurs in proportion to launch length (changes.h): not judged further
  double given_rarer = 1; ///< events: smallest share on launches without a rarer event
  /// Events: a rarer suspect that also acts without this one. The share is computed on launches without the
  /// rarer suspect.
  std::optional<std::size_t> apart_from;
  /// Durations do not change with the suspect; both change so rarely that the correlation may be chance
  /// (changes.h).
  bool changes_apart = false;
  bool reflects_earlier = false; ///< a gap that only reflects the length of the previous launch
  double increment =
      0; ///< fraction of all variability that the suspect explains after the stronger causes are removed
  Range rest_interval;      ///< interval of the suspect's share of the variability that is then left
  bool is_separate = false; ///< a cause in addition to the stronger ones
  /// Events and configuration columns: the only value of another column at which the cause acts (partner.h).
  struct Condition {
    int column = 0;
    double value = 0;
    std::int64_t affected = 0;
    double variability = 0; ///< variability of the affected launches, as a fraction of all variability
  };
  std::optional<Condition> condition;
  /// Events: the kernels on which the cause acts; empty if it acts on all kernels with the event (partner.h).
  struct OnKernels {
    std::vector<std::uint32_t> acts,
        spares; ///< descending: by variability that would vanish; by launches with the event
    /// Launches with the event: on other than the spared kernels; on the spared kernels.
    std::int64_t affected = 0, not_affected = 0;
    std::int64_t compared = 0; ///< affected launches with enough comparable launches
    double mean_extra_ns = 0;  ///< mean excess of the compared launches, ns
    /// Variability of the launches with the event on the kernels `acts`, as a fraction of all variability.
    double variability = 0;
  };
  std::optional<OnKernels> on_kernels;
  std::optional<double> reference; ///< numeric factors: the share assumes this value for all launches
  std::vector<Setting> settings;   ///< numeric factors and events: effect of setting it to given values
};

struct Attributions {
  std::vector<Attribution> suspects; ///< one attribution for each suspect, in their order
  /// Variability that is left when all separate causes are removed, by kernel.
  struct Left {
    std::int64_t launches = 0;
    double variability = 0; ///< Σ |d − median of the configuration|, ns
  };
  std::vector<Left> left;
  std::vector<Left> all; ///< variability by kernel, before any cause is removed
  /// Mean and standard deviation of |d − median of the configuration|, ns.
  double variability_mean = 0, variability_std = 0;
};

/// Shares are ordered in steps of 5 %: smaller differences are not significant.
int share_step(double share);

/// Expected mean |d − median| of n launches with one normal distribution, relative to that of infinitely
/// many.
double small_sample_share(std::int64_t n);

} // namespace jitterscope::causal
