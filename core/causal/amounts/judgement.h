#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/causal/amounts/event_peers.h"
#include "core/causal/amounts/remaining_launches.h"

namespace jitterscope::causal {

/// Variability of the launches if none or all of them had an event, and the duration that it adds. Vectors
/// are by row of this rank, in ns and ns².
struct EventOutcomes {
  double value = 1;                      ///< mean |value| of the event over launches that have it
  double affected = 0;                   ///< fraction of the launches that have it
  std::vector<double> square;            ///< v² as recorded
  std::vector<double> left, left_square; ///< v and v² without the event
  std::vector<double> with, with_square; ///< v and v² with the event for all
  std::vector<double> extra, counted;    ///< launches with event and peers: extra duration and 1; others: 0
};

/// Fit of a numeric factor.
struct FittedAmount {
  std::vector<std::size_t> events; ///< suspects that it is adjusted for, ascending
  AmountFit fit;
  std::vector<double> typical;        ///< by configuration: median duration without the level, ns
  std::optional<AmountEffect> effect; ///< rows and state of the fit, for refits to resamples
};

/// A suspect, judged on the launches that remain.
struct Judgement {
  std::size_t suspect = 0;
  Attribution attribution; ///< as far as one suspect determines it; see with_interval() for the interval
  /// Configuration columns: mean v without the cause by configuration, ns; NaN where nothing changes.
  std::vector<double> of_configurations;
  // Events and numeric factors, ns:
  std::vector<double> without; ///< v without the cause, by row of this rank
  /// Events: by row, uncertainty of estimates that are based on other launches. It sums to 0: it widens the
  /// interval of the share without changing the share.
  std::vector<double> carried;
  std::vector<double> left;              ///< Σ (without + carried) by block of all ranks
  std::optional<EventPeers> peers;       ///< of an event; none if judged apart from another event
  std::optional<EventOutcomes> outcomes; ///< of an event whose settings are computed
  std::optional<FittedAmount> amount;    ///< fit of a numeric factor; none for other suspects
};

// attributable.h defines the shares. `s`, `other`: indices of suspects. All functions are collective.

/// The interval of the share comes from resampled configurations.
Expected<Judgement> judge_configuration(const RemainingLaunches& launches, std::size_t s);
/// Compares launches of the same class. `settings`: whether to compute the settings.
Expected<Judgement> judge_event(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                                bool settings);
/// Judges an event on the launches without the event `other`. Launches with both are assumed to gain as much
/// as launches of their configuration with this event only.
Expected<Judgement> judge_event_apart(const RemainingLaunches& launches, std::size_t s, std::size_t other,
                                      const LaunchClasses& classes, bool settings);
/// Compares launches with the same subset of the suspects `events`, which are ascending. `fitted_on`: the
/// same launches with the durations to which the factor is fitted, if they differ.
Expected<Judgement> judge_amount(const RemainingLaunches& launches, std::size_t s,
                                 std::vector<std::size_t> events,
                                 const RemainingLaunches* fitted_on = nullptr);
/// Sets `left` and the share.
Expected<void> set_share(const RemainingLaunches& launches, Judgement& judgement);

/// The attribution with the interval of its share, from resamples of blocks or of units of blocks, with its
/// settings, and with in_one_stretch. `launches`: those that were judged.
Expected<Attribution> with_interval(const RemainingLaunches& launches, const Judgement& judgement);
/// Part of with_interval(): the settings "no launch has the event" and "all launches have it". `shares`: by
/// resample of `weights` (of blocks).
Expected<std::vector<Setting>> settings_of_event(const RemainingLaunches& launches,
                                                 const Judgement& judgement,
                                                 const std::vector<double>& shares,
                                                 const Resamples::Weights& weights);
/// Part of with_interval(): refits the factor to the resamples and adds the uncertainty of the fit to the
/// shares.
Expected<std::vector<Setting>> settings_of_amount(const RemainingLaunches& launches,
                                                  const Judgement& judgement, std::vector<double>& shares);

/// Kernels on which an event acts, and on which it does not.
Expected<std::optional<Attribution::OnKernels>> kernels_of(const RemainingLaunches& launches,
                                                           const Judgement& judgement);
/// Whether an event or configuration column acts only with one value of another column. `spared`: kernels
/// that it does not act on.
Expected<std::optional<Attribution::Condition>> condition_of(const RemainingLaunches& launches,
                                                             const Judgement& judgement,
                                                             const std::vector<std::uint32_t>& spared);

/// Removes a cause that was judged on these launches: launches with an event (except those with the event
/// `apart_from`), the effect of a numeric factor on durations, or the variability due to a configuration
/// column, by contracting durations towards the median of the configuration.
Expected<void> remove_cause(RemainingLaunches& launches, const Judgement& judgement,
                            std::optional<std::size_t> apart_from);
/// By row of this rank: durations without a numeric factor, ns; NaN for launches that do not remain.
std::vector<double> durations_without(const RemainingLaunches& launches, const std::vector<double>& x,
                                      const FittedAmount& amount);

/// Numeric factors that are correlated with each other and act at the same time (a clock that is high where
/// batches are large), each judged with the others held: alone, each would have part of the effect of the
/// others, or hide it. Each is fitted to durations without the effects of the others, in turn (backfitting),
/// starting from lines of ln d on all of them. A factor is not adjusted for those that it leads to. Factors
/// with a correlation above 0.9 are not separated, nor those that have no share in addition to the others.
///
/// `amounts`: numeric factors judged alone, by suspect; those judged again are replaced. Returns their
/// suspects. Collective.
Expected<std::vector<std::size_t>> judge_together(const RemainingLaunches& launches,
                                                  std::map<std::size_t, Judgement>& amounts);

/// The attribution of an event or numeric factor `s` with changes_apart, reflects_earlier and of_length:
/// whether it is correlated with durations without being their cause. `fit`: of a numeric factor, else null.
/// Collective.
Expected<Attribution> with_tests(const RemainingLaunches& launches, std::size_t s, Attribution result,
                                 const AmountFit* fit);

} // namespace jitterscope::causal
