#include <algorithm>
#include <cmath>

#include "core/causal/amounts/judgement.h"
#include "core/causal/base/bootstrap.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kFitRows = 65'536;  ///< maximum rows for the fit of a numeric factor
constexpr std::int64_t kRefitRows = 8'192; ///< maximum rows for each refit to a resample
/// Share below which a numeric factor is never named and needs no interval of its fit.
constexpr double kMinToRefit = 0.01;
constexpr double kFailedShare = -1; ///< a refit that leaves more than twice the variability has failed
constexpr double kWider = 4.0 / 3;  ///< minimum ratio for launches to count as more variable
constexpr double kMinSpread = 0.25; ///< removing a factor multiplies no deviation by more than 1 / kMinSpread

/// By row: durations without the level of the factor, ns; NaN for launches that do not remain.
std::vector<double> without_level(const RemainingLaunches& launches, const std::vector<double>& x,
                                  const AmountFit& fit) {
  std::vector<double> shifted(x.size(), kMissing);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const auto g = launches.group(i); launches.used(i))
      shifted[i] = fit.without_level(launches.duration(i), x[i], g, launches.groups().median[g]);
  return shifted;
}

/// Settings relative to the reference, without intervals.
std::vector<Setting> settings_of_fit(const AmountEffect& effect, std::int64_t blocks) {
  const auto outcome = effect.as_fitted(std::vector<int>(static_cast<std::size_t>(blocks), 1));
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < outcome.left.size(); ++i) {
    Setting& setting = settings.emplace_back();
    setting.value = effect.value_of_setting(i);
    if (outcome.left_at_reference > 0) setting.left = outcome.left[i] / outcome.left_at_reference;
    setting.std = outcome.std_at_reference * setting.left;
    setting.duration_change_ns = outcome.duration_change[i];
  }
  return settings;
}

/// Sets v without the factor, and what the factor does to the launches that it acts on. `shifted`: durations
/// without its level, ns.
Expected<void> apply_fit(const RemainingLaunches& launches, const std::vector<double>& x,
                         const std::vector<double>& shifted, Judgement& judgement) {
  const AmountFit& fit = judgement.amount->fit;
  judgement.without.assign(x.size(), 0.0);
  enum { kAffected, kExtra, kCells };
  auto sums = launches.sum_by(kCells, launches.groups().longest + 1.0, [&](std::size_t i, ExactSums& cells) {
    const auto g = launches.group(i);
    const double added = launches.duration(i) - shifted[i],
                 away = std::fabs(shifted[i] - judgement.amount->typical[g]);
    judgement.without[i] = fit.correction * fit.steadied(away, x[i], g);
    if (fit.acts_by_spread() ? fit.spread(x[i]) <= kWider
                             : added <= fit.relative_left * launches.groups().median[g])
      return;
    cells.add(kAffected, 1.0), cells.add(kExtra, added);
  });
  if (!sums) return forward(sums.error());
  Attribution& result = judgement.attribution;
  result.affected = result.compared = std::llround((*sums)[kAffected]);
  result.mean_extra_ns = result.affected > 0 ? (*sums)[kExtra] / (*sums)[kAffected] : 0.0;
  return set_share(launches, judgement);
}

using Corrections = std::vector<std::vector<double>>;

/// A refit overfits its resample as the fit overfits its rows, so the differences are biased. Their mean over
/// the resamples is subtracted; only their scatter is kept.
void subtract_means(Corrections& corrections, std::size_t cells) {
  for (std::size_t c = 0; c < cells; ++c) {
    double sum = 0, fits = 0;
    for (const auto& r : corrections)
      if (std::isfinite(r[c])) sum += r[c], fits += 1;
    for (auto& r : corrections) r[c] -= fits > 0 ? sum / fits : 0.0;
  }
}

/// Differences of refits to resamples from the fit. By resample: of the share; of every setting, of its
/// remaining variability (relative to the recorded one) and its change of duration, ns; last, the standard
/// deviation at the reference relative to the recorded one. Empty where the share is negligible.
Expected<Corrections> refit(const RemainingLaunches& launches, const Judgement& judgement) {
  const AttributionInput& input = launches.input();
  const FittedAmount& amount = *judgement.amount;
  const auto& resamples = input.resamples.of_blocks;
  const double share = amount.fit.before > 0 ? 1 - amount.fit.left / amount.fit.before : 0.0;
  if (resamples.empty() || share < kMinToRefit) return Corrections();
  const auto rows = static_cast<double>(launches.count());
  std::optional<AmountEffect> few;
  if (launches.count() > kRefitRows) {
    auto sample = launches.sample(input.x[judgement.suspect], kRefitRows, amount.events);
    if (!sample) return forward(sample.error());
    few.emplace(std::move(*sample), launches.groups().median, launches.groups().kernel);
    const Suspect& suspect = input.suspects[judgement.suspect];
    auto done =
        few->fit(suspect.shifts, suspect.spreads, resamples, input.communicator, input.job, &amount.fit);
    if (!done) return forward(done.error());
  }
  const AmountEffect& effect = few ? *few : *amount.effect;
  const double part = std::sqrt(static_cast<double>(effect.rows()) / std::max(rows, 1.0));
  const std::size_t settings = judgement.attribution.settings.size(), cells = 2 + 2 * settings;
  const auto replicate = [&](int r) {
    const auto& weights = resamples[r];
    const auto again = effect.refitted(weights), fitted = effect.as_fitted(weights);
    if (!(again.share() > kFailedShare)) return std::vector<double>(cells, kMissing);
    std::vector values{part * (again.share() - fitted.share())};
    for (std::size_t i = 0; i < settings; ++i) {
      // A refit to fewer rows may have other settings: settings at nearly the same quantiles are used.
      const std::size_t at = i * (again.left.size() - 1) / std::max<std::size_t>(settings - 1, 1);
      values.push_back(again.before > 0 ? part * (again.left[at] - fitted.left[at]) / again.before : 0.0);
      values.push_back(part * (again.duration_change[at] - fitted.duration_change[at]));
    }
    values.push_back(again.std_at_reference);
    return values;
  };
  auto corrections =
      run_replicates(static_cast<int>(resamples.size()), cells, replicate, input.communicator, input.job);
  if (corrections) subtract_means(*corrections, cells - 1);
  return corrections;
}

} // namespace

Expected<Judgement> judge_amount(const RemainingLaunches& launches, std::size_t s,
                                 std::vector<std::size_t> events, const RemainingLaunches* fitted_on) {
  const AttributionInput& input = launches.input();
  const RemainingLaunches& fitted = fitted_on ? *fitted_on : launches;
  auto sample = fitted.sample(input.x[s], kFitRows, events);
  if (!sample) return forward(sample.error());
  AmountEffect effect(std::move(*sample), fitted.groups().median, fitted.groups().kernel);
  auto done = effect.fit(input.suspects[s].shifts, input.suspects[s].spreads, input.resamples.of_blocks,
                         input.communicator, input.job);
  if (!done) return forward(done.error());
  const AmountFit& fit = effect.fitted();
  const std::vector<double> shifted = without_level(launches, input.x[s], fit);
  auto typical = launches.medians([&](std::size_t i) { return shifted[i]; });
  if (!typical) return forward(typical.error());
  Judgement judgement;
  judgement.suspect = s;
  Attribution& result = judgement.attribution;
  result.spreads = fit.acts_by_spread();
  if (result.spreads || fit.shape != LevelShape::none) result.reference = effect.reference_amount();
  result.both_ways =
      !result.spreads && std::ranges::any_of(fit.response, [](double response) { return response < 0; });
  result.direction = result.spreads                     ? fit.spread_direction
                     : result.both_ways                 ? 0
                     : fit.shape == LevelShape::rising  ? 1
                     : fit.shape == LevelShape::falling ? -1
                                                        : 0;
  result.settings = settings_of_fit(effect, input.frame.plan.blocks);
  judgement.amount = FittedAmount{std::move(events), fit, std::move(*typical), {}};
  judgement.amount->effect = std::move(effect);
  done = apply_fit(launches, input.x[s], shifted, judgement);
  if (!done) return forward(done.error());
  return judgement;
}

/// Intervals of settings from resampled shares and from refits; if the share is too small for refits, only
/// from resampled shares.
Expected<std::vector<Setting>> settings_of_amount(const RemainingLaunches& launches,
                                                  const Judgement& judgement, std::vector<double>& shares) {
  const auto corrections = refit(launches, judgement);
  if (!corrections) return forward(corrections.error());
  std::vector<Setting> settings = judgement.attribution.settings;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Setting& setting = settings[i];
    const double of_reference = setting.left;
    setting.left = (1 - judgement.attribution.share) * of_reference;
    std::vector<double> left, longer, std;
    for (std::size_t r = 0; r < shares.size(); ++r) {
      const double left_of_share = (1 - shares[r]) * of_reference;
      const auto* correction = corrections->empty() ? nullptr : &(*corrections)[r];
      left.push_back(left_of_share + (correction ? (*correction)[1 + 2 * i] : 0.0));
      std.push_back(correction         ? correction->back() * of_reference
                    : setting.left > 0 ? setting.std * left_of_share / setting.left
                                       : setting.std);
      longer.push_back(setting.duration_change_ns + (correction ? (*correction)[2 + 2 * i] : 0.0));
    }
    setting.std_interval = percentile_interval(std::move(std));
    setting.left_interval = percentile_interval(std::move(left));
    setting.duration_interval = percentile_interval(std::move(longer));
  }
  for (std::size_t r = 0; r < corrections->size(); ++r) shares[r] += (*corrections)[r].front();
  return settings;
}

std::vector<double> durations_without(const RemainingLaunches& launches, const std::vector<double>& x,
                                      const FittedAmount& amount) {
  std::vector<double> durations = without_level(launches, x, amount.fit);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const double normal = amount.typical[launches.group(i)], away = std::fabs(durations[i] - normal),
                 nearer = away > 0 ? amount.fit.steadied(away, x[i], launches.group(i)) / away : 1.0;
    durations[i] = std::max(normal + (durations[i] - normal) * std::min(nearer, 1 / kMinSpread),
                            AmountFit::kMinDuration * normal);
  }
  return durations;
}

} // namespace jitterscope::causal
