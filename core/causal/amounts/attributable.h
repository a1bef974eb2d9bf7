#pragma once

#include <cstdint>
#include <vector>

#include "core/causal/amounts/suspect.h"
#include "core/causal/base/result.h"
#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Attributable share of every suspect (resources/help/statistics.md). Collective; needs durations and
/// groups.
///
/// The share compares the variability v = |d − median| of launches with v', the variability without the
/// cause:
/// - Event (migration, copy, first launch, stream): v' of comparable launches of the configuration without
///   the event (event_peers.h); both medians are taken over launches without it. A configuration with only
///   one launch without the event uses the relative spread of all others. So does one in which every launch
///   has the event, to the degree to which the event acts where launches can be compared, and only if these
///   take at least twice as long with it: otherwise their variability may have any reason, and nothing of it
///   is attributed to the event. Launches with the event are compared with launches without it that have the
///   same strongest preceding events and the same class of the strongest numeric factor (standardisation;
///   Robins 1986). These events and the factor have a share of at least `min_share`, are not later than the
///   event and are not affected by it.
/// - Numeric factor (clock, gap): v' at the median of its values or, where it acts through the spread, at
///   their steadier end (amount_effect.h). The fit compares launches with the same strongest events: at most
///   three, with a share of at least `min_share`, none of a later tier that the factor acts on.
///   Factors that are correlated with each other are judged together (judgement.h).
/// - Configuration column (grid, registers): v' of the configurations of the kernel at the steadier end of
///   the column (configurations.h). Configurations are resampled, not launches.
/// Small configurations look steadier than they are (|d − median| of two launches shows 71 % of the spread):
/// expected values are corrected to the number of launches of the whole configuration.
///
/// Shares overlap: a migration adds the same time to short and to long launches, so that small grids look
/// less steady with it. Suspects are therefore also judged on the rest, in order of their shares (in steps of
/// 5 %); among equal shares, factors known before the launch come first, then those with the larger weight.
/// Summaries and proxies come last. An event's share is that on launches without rarer events. Before the
/// next suspect is judged, the effect of the previous cause is removed: launches with the event are excluded,
/// durations are shifted for numeric factors and contracted for configuration columns.
///
/// A suspect is a separate cause if its share and its increment are at least `min_share`, their intervals are
/// above 0 and, for events, the effect has the sign of the coefficient. The increment is the share of the
/// rest times the rest's mean variability over that of all rows. `resamples`: of blocks; `seed`: of the
/// resamples of configurations (draw_configurations).
Expected<Attributions> attribute(const Frame& frame, const std::vector<Suspect>& suspects,
                                 const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
                                 double min_share, Communicator& communicator, const Job& job);

} // namespace jitterscope::causal
