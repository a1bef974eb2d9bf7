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
  bool spreads = true;       ///< makes them more or less alike
  int sign = 0;              ///< of its effect, adjusted for the other suspects; 0 unknown
  bool required = false;     ///< background knowledge states that it acts
  bool summary = false;      ///< a sum over kinds that other columns hold one by one: judged after these
  bool proxy = false;        ///< correlated with long launches without making them long: judged last
  std::vector<int> leads_to; ///< columns that it is known to act on
  double weight = 0;         ///< fraction of the target's variance: breaks ties between equal shares
};

/// How much of Σ |d − median of the configuration| would vanish without one cause.
struct Attribution {
  double share = 0;            ///< 1 − Σ v(without) / Σ v; negative: there would be more variability
  Range interval;              ///< 95 %, block bootstrap
  bool in_one_stretch = false; ///< events: most of what would vanish is in so few blocks that a resample may
                               ///< miss all of them
  std::int64_t affected = 0;   ///< rows the cause acts on
  double mean_extra_ns =
      0; ///< mean of duration − duration expected without it, over affected rows that have a peer, ns
  std::int64_t compared = 0; ///< of these: with comparable launches without it (events), or all (amounts)
  int direction = 0; ///< configuration columns: +1 when larger values vary more, −1 when smaller ones do;
                     ///< amounts: +1 when larger values take longer (or vary more, with `spreads`), −1
                     ///< smaller ones, 0 neither of the two
  bool spreads = false;   ///< most of the share comes from the spread of durations, not from their level
  bool of_length = false; ///< occurs in proportion to launch length (exposure.h): not judged further
  double given_rarer =
      1; ///< events: minimum share that vanishes on launches without another event that is rarer
  std::optional<std::size_t> apart_from; ///< events: a rarer suspect that acts without this one, too; the
                                         ///< share is computed on launches without it
  bool changes_apart = false; ///< durations do not change when it does: both change so seldom that it may be
                              ///< chance (changes.h)
  bool reflects_earlier = false; ///< a gap: says no more than how long the previous launch took
  double increment =
      0; ///< fraction of all variability that it still explains when the stronger causes are removed
  Range rest_interval;      ///< of its share of what is left
  bool is_separate = false; ///< a cause in addition to the stronger ones
  /// Events and configuration columns: the only value of another column at which the cause acts (partner.h).
  struct Condition {
    int column = 0;
    double value = 0;
    std::int64_t affected = 0;
    double variability = 0; ///< of these launches, as a fraction of all
  };
  std::optional<Condition> condition;
  /// Events: the kernels it acts on, if it does not act on all that meet it (partner.h).
  struct OnKernels {
    std::vector<std::uint32_t> acts,
        spares; ///< by what would vanish; by launches with the event; both descending
    std::int64_t affected = 0, not_affected = 0; ///< launches with it: outside the spared kernels; on them
    std::int64_t compared = 0;                   ///< of `affected`: with enough comparable launches
    double mean_extra_ns = 0;                    ///< mean excess of these, ns
    double variability = 0;                      ///< of the launches that it acts on, as a fraction of all
  };
  std::optional<OnKernels> on_kernels;
  std::optional<double> reference; ///< amounts: the share is that with all launches at this value
  std::vector<Setting> settings;   ///< amounts and events: effect of setting it to given values
};

struct Attributions {
  std::vector<Attribution> suspects; ///< in the order of the suspects
  /// Variability that is left when all causes with a share of their own are removed, by kernel.
  struct Left {
    std::int64_t launches = 0;
    double variability = 0; ///< Σ |d − median of the configuration|, ns
  };
  std::vector<Left> left;
  std::vector<Left> all;                            ///< the same before, by kernel
  double variability_mean = 0, variability_std = 0; ///< of |d − median of the configuration|, ns
};

/// Shares are ordered in steps of 5 %: smaller differences are not significant.
int share_step(double share);

/// Expected mean |d − median| of n equal normal launches, as a share of that of infinitely many.
double small_sample_share(std::int64_t n);

} // namespace jitterscope::causal
