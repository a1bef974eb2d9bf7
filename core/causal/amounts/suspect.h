#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// A suspected cause of the variability: a column and how it was seen to act.
struct Suspect {
  int column = 0;
  bool constant_in_configuration = false;
  bool shifts = true;        ///< moves durations up or down
  bool spreads = true;       ///< makes them more or less alike
  int sign = 0;              ///< of its effect when the other suspects are held; 0 unknown
  bool required = false;     ///< background knowledge says that it acts
  bool summary = false;      ///< adds up what other columns tell by kind: is judged after these
  bool proxy = false;        ///< goes with long launches without making them long: is judged after all others
  std::vector<int> leads_to; ///< columns that it is known to act on
  double weight = 0;         ///< its part of the target's variance: decides between equal shares
};

/// How much of Σ|d − median of the configuration| would vanish without one cause.
struct Attribution {
  double share = 0;            ///< 1 − Σ v(without) / Σ v; negative: there would be more
  Range interval;              ///< 95 %, block bootstrap
  bool in_one_stretch = false; ///< events: most of what would vanish lies in so few blocks that any may be
                               ///< left out of a resample
  std::int64_t affected = 0;   ///< rows the cause acts on
  double mean_extra_ns =
      0; ///< mean of duration − duration expected without it, over affected rows that have a peer
  std::int64_t compared = 0; ///< of these: with equal launches without it (events), or all of them (amounts)
  int direction = 0; ///< configuration columns: +1 when larger values vary more, −1 when smaller ones do;
                     ///< amounts: +1 when larger values take longer (or vary more, with `spreads`), −1
                     ///< smaller ones, 0 neither of the two
  bool spreads = false;   ///< most of the share comes from the spread of durations, not from their level
  bool of_length = false; ///< as many of it as the length of launches brings (exposure.h): judged no further
  double beside_rarer =
      1; ///< events: least share that vanishes on launches without another event that is rarer
  std::optional<std::size_t> apart_from; ///< events: a rarer suspect that acts without this one, too; the
                                         ///< share is told on launches without it
  bool changes_apart = false; ///< durations do not change when it does: both change so seldom that chance may
                              ///< have it (changes.h)
  double increment =
      0; ///< share of all variability that is left to it when the stronger causes are taken away
  Range rest_interval;       ///< of its share of what is left
  bool stands_alone = false; ///< a cause beside the stronger ones
  /// Events and configuration columns: the other column with whose one value only the cause acts (partner.h).
  struct Condition {
    int column = 0;
    double value = 0;
    std::int64_t affected = 0;
    double variability = 0; ///< of these launches, as a part of all
  };
  std::optional<Condition> condition;
  /// Events: the kernels it acts on, where it does not act on all that meet it (partner.h).
  struct OnKernels {
    std::vector<std::uint32_t> acts,
        spares; ///< by what would vanish, and by launches with the event, descending
    std::int64_t affected = 0, not_affected = 0; ///< launches with it: of all but the latter, of the latter
    std::int64_t compared = 0;                   ///< of the affected: with enough equal launches without it
    double mean_extra_ns = 0;                    ///< of these
    double variability = 0;                      ///< of the launches that it acts on, as a part of all
  };
  std::optional<OnKernels> on_kernels;
  std::optional<double> reference; ///< amounts: the share is that of all launches at this value
  std::vector<Setting> settings;   ///< amounts and events: what to set it to would do
};

struct Attributions {
  std::vector<Attribution> suspects; ///< in their order
  /// What is left of the variability when all that stand alone are taken away, by kernel.
  struct Left {
    std::int64_t launches = 0;
    double variability = 0; ///< Σ |d − median of the configuration|, ns
  };
  std::vector<Left> left;
  std::vector<Left> all;                            ///< and before, by kernel
  double variability_mean = 0, variability_std = 0; ///< of |d − median of the configuration|, ns
};

/// Shares are ordered in steps of 5 %: smaller differences say nothing.
int share_step(double share);

/// Expected mean |d − median| of n equal normal launches, as a share of that of infinitely many.
double small_sample_share(std::int64_t n);

} // namespace jitterscope::causal
