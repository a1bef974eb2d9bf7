#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/causal/amounts/amount_effect.h"
#include "core/causal/amounts/remaining_launches.h"

namespace jitterscope::causal {

/// A numeric factor, fitted to the launches that remain.
struct FittedAmount {
  std::vector<std::size_t> events; ///< suspects that it is adjusted for, ascending
  AmountFit fit;
  std::vector<double> typical;        ///< by configuration: median duration without the level, ns
  std::optional<AmountEffect> effect; ///< rows and state of the fit, for refits to resamples
  double rows = 0;                    ///< number of launches that remain
};

/// A launch without the effect of a numeric factor, ns.
struct LaunchWithoutAmount {
  double duration = 0, variability = 0;
};
/// `shifted`: duration of the launch without the level of the factor, ns. `x`: value of the factor.
LaunchWithoutAmount without_amount(const FittedAmount& amount, double shifted, double x, std::uint32_t group);
/// By row of this rank: durations without the level of the factor, ns; NaN for launches that do not remain.
std::vector<double> without_level(const RemainingLaunches& launches, const std::vector<double>& x,
                                  const AmountFit& fit);

/// Differences of refits to resamples from the fit, which add the uncertainty of the fit to that of the rows.
/// By resample: of the share; of every setting, of its remaining variability (relative to the recorded one)
/// and its change of duration, ns; last, the standard deviation at the reference relative to the recorded
/// one. Empty where the share is negligible. Collective. `s`: index of the suspect.
Expected<std::vector<std::vector<double>>> refit_corrections(const RemainingLaunches& launches, std::size_t s,
                                                             const FittedAmount& amount,
                                                             std::size_t settings);

/// `settings`, which are relative to the reference, for the share of all rows and with intervals. `shares`:
/// by resample. Without corrections, the intervals are those of the share.
std::vector<Setting> settings_of_amount(std::vector<Setting> settings, double share,
                                        const std::vector<double>& shares,
                                        const std::vector<std::vector<double>>& corrections);

} // namespace jitterscope::causal
