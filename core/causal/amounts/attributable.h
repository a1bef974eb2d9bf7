#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/causal/amounts/suspect.h"
#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// The share of every suspect (causal.md section 8). Collective; needs durations and groups.
///
/// Variability v' that a launch would have without the cause:
/// - an event (migration, copy, first launch, stream): as much as the launches of its configuration without
/// it do,
///  v' = mean |d − median| of those, both medians taken over the launches without it. A configuration with
///  only one launch without it uses the relative spread of all others. So does a configuration in which every
///  launch has it, but only to the degree to which the event acts where a comparison is possible. The other
///  causes that launches with it met determine what they would have varied (standardisation; Robins 1986):
///  they are compared with launches without it that met the same of the strongest preceding events and are in
///  the same class of the strongest amount (5 to 60 classes, balanced over launches and variability
///  together). Both have a share of at least `min_share`, and are neither later than the event nor affected
///  by it.
/// - an amount (clock, gap): as at the median of its values, or at their steadier end where it acts through
/// the spread, by a monotone fit of level and spread (amount_effect.h). Intervals include the uncertainty of
/// the fit. The fit compares launches that met the same of the strongest events (at most three with a share
/// of at least `min_share`, none of a later tier that the amount acts on), so that what these did to few
/// launches is not attributed to the amount.
/// - a configuration column (grid, registers): as much as the configurations of its kernel at the steadier
/// end of that column (configuration_share.h), relative to the typical duration or in ns, whichever is more:
/// without any cause, longer launches vary more in ns and short ones relative to their duration (timers have
/// ticks). For its interval configurations, not launches, are resampled.
/// Small configurations look steadier than they are (|d − median| of two launches shows 71 % of the spread):
/// expected values are corrected to the number of launches of the whole configuration.
///
/// Shares overlap: a migration adds the same time to short and to long launches, so that small grids look
/// less steady with it. Suspects are therefore also judged on the rest, in order of their shares (of an
/// event: on launches that met no rarer one; in steps of 5 %, then by weight; summaries, then proxies last).
/// Before the next suspect is judged, the effect of the previous cause is removed (launches with the event;
/// durations shifted for amounts, contracted for configuration columns). A suspect stands alone with a share
/// and an increment of at least `min_share`, intervals above 0 and, for events, an effect of the sign of
/// its coefficient. The increment is the share of the rest times the rest's mean variability over that of all
/// rows. `resamples`: of blocks; `seed`: of the resamples of configurations (draw_configurations).
Expected<Attributions> attribute(const Frame& frame, const std::vector<Suspect>& suspects,
                                 const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
                                 double min_share, Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
