#pragma once

#include <vector>

#include "core/causal/amounts/event_peers.h"

namespace jitterscope::causal {

/// Variability of the launches if none or all of them had an event, and the duration that it adds. Vectors by
/// row of this rank, ns and ns².
struct EventOutcomes {
  double value = 1;                      ///< mean |value| of the event over launches that have it
  double affected = 0;                   ///< fraction of the launches that have it
  std::vector<double> square;            ///< v² as recorded
  std::vector<double> left, left_square; ///< v and v² without the event
  std::vector<double> with, with_square; ///< v and v² with the event for all
  std::vector<double> extra, counted;    ///< launches with peers without the event: extra duration; 1
};

/// Collective. `x`: values of the event by row.
Expected<EventOutcomes> outcomes_of_event(const RemainingLaunches& launches, const std::vector<double>& x,
                                          const EventPeers& peers);

/// The settings "no launch has the event" and "all launches have it". Collective. `share` of the event;
/// `shares`: likewise, by resample of `weights` (of blocks).
Expected<std::vector<Setting>> settings_of_event(const RemainingLaunches& launches,
                                                 const EventOutcomes& outcomes, double share,
                                                 const std::vector<double>& shares,
                                                 const Resamples::Weights& weights);

} // namespace jitterscope::causal
