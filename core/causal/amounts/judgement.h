#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/causal/amounts/event_outcomes.h"
#include "core/causal/amounts/event_peers.h"
#include "core/causal/amounts/fitted_amount.h"
#include "core/causal/amounts/remaining_launches.h"

namespace jitterscope::causal {

/// A suspect, judged on the launches that remain.
struct Judgement {
  std::size_t suspect = 0;
  Attribution attribution; ///< as far as one suspect determines it; see with_interval() for the interval
  /// Configuration columns: mean v without the cause by configuration, ns; NaN where nothing changes.
  std::vector<double> of_configurations;
  // Events and numeric factors: variability without the cause, ns.
  std::vector<double> without;           ///< v by row of this rank
  std::vector<double> left;              ///< Σ v by block of all ranks
  std::optional<EventPeers> peers;       ///< events; none if judged apart from another event
  std::optional<EventOutcomes> outcomes; ///< events whose settings are wanted
  std::optional<FittedAmount> amount;    ///< numeric factors
};

// attributable.h defines the shares. `s`, `other`: indices of suspects. All functions are collective.

/// The interval is that of resampled configurations.
Expected<Judgement> judge_configuration(const RemainingLaunches& launches, std::size_t s);
/// Compares launches of the same class. `settings`: whether the settings are wanted.
Expected<Judgement> judge_event(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                                bool settings);
/// Judges an event on the launches without the event `other`. Launches with both are assumed to gain as much
/// as launches of their configuration with this event only.
Expected<Judgement> judge_event_apart(const RemainingLaunches& launches, std::size_t s, std::size_t other,
                                      const LaunchClasses& classes, bool settings);
/// Compares launches with the same subset of the suspects `events`, which are ascending.
Expected<Judgement> judge_amount(const RemainingLaunches& launches, std::size_t s,
                                 std::vector<std::size_t> events);
/// Sets the share 1 − Σ left / Σ v. `left`: v without the cause by row, with the uncertainty of estimates,
/// ns.
Expected<void> set_share(const RemainingLaunches& launches, const std::vector<double>& left,
                         Judgement& judgement);

/// The attribution with the interval of its share, from resamples of blocks or of units of blocks, with its
/// settings, and with in_one_stretch. `launches`: those that were judged.
Expected<Attribution> with_interval(const RemainingLaunches& launches, const Judgement& judgement);

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

} // namespace jitterscope::causal
