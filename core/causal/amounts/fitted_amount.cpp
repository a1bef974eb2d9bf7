#include "core/causal/amounts/fitted_amount.h"

#include <algorithm>
#include <cmath>

#include "core/causal/base/bootstrap.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kRefitRows = 8'192; ///< maximum rows for each refit to a resample
/// Share below which a numeric factor is never named and needs no interval of its fit.
constexpr double kMinToRefit = 0.01;
constexpr double kFailedShare = -1; ///< a refit that leaves more than twice the variability has failed
constexpr double kMinSpread = 0.25; ///< removing a factor multiplies no deviation by more than 1 / kMinSpread

/// A refit overfits its resample as the fit overfits its rows, so the differences are biased. Their mean over
/// the resamples is subtracted; only their scatter is kept.
void subtract_means(std::vector<std::vector<double>>& corrections, std::size_t cells) {
  for (std::size_t c = 0; c < cells; ++c) {
    double sum = 0, fits = 0;
    for (const auto& r : corrections)
      if (std::isfinite(r[c])) sum += r[c], fits += 1;
    for (auto& r : corrections) r[c] -= fits > 0 ? sum / fits : 0.0;
  }
}

} // namespace

LaunchWithoutAmount without_amount(const FittedAmount& amount, double shifted, double x,
                                   std::uint32_t group) {
  const double normal = amount.typical[group], away = std::fabs(shifted - normal),
               steadied = amount.fit.steadied(away, x, group);
  const double nearer = away > 0 ? steadied / away : 1.0;
  return {std::max(normal + (shifted - normal) * std::min(nearer, 1 / kMinSpread),
                   AmountFit::kMinDuration * normal),
          amount.fit.correction * steadied};
}

std::vector<double> without_level(const RemainingLaunches& launches, const std::vector<double>& x,
                                  const AmountFit& fit) {
  std::vector<double> shifted(x.size(), kMissing);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const auto g = launches.group(i); launches.used(i))
      shifted[i] = fit.without_level(launches.duration(i), x[i], g, launches.groups().median[g]);
  return shifted;
}

Expected<std::vector<std::vector<double>>> refit_corrections(const RemainingLaunches& launches, std::size_t s,
                                                             const FittedAmount& amount,
                                                             std::size_t settings) {
  const AttributionInput& input = launches.input();
  const Groups& groups = launches.groups();
  const auto& resamples = input.resamples.of_blocks;
  const double share = amount.fit.before > 0 ? 1 - amount.fit.left / amount.fit.before : 0.0;
  std::vector<std::vector<double>> none;
  if (resamples.empty() || share < kMinToRefit) return none;
  std::optional<AmountEffect> few;
  if (amount.rows > static_cast<double>(kRefitRows)) {
    auto rows = launches.sample(input.x[s], kRefitRows, amount.events);
    if (!rows) return forward(rows.error());
    few.emplace(std::move(*rows), groups.median, groups.kernel);
    const Suspect& suspect = input.suspects[s];
    if (auto done =
            few->fit(suspect.shifts, suspect.spreads, resamples, input.communicator, input.job, &amount.fit);
        !done)
      return forward(done.error());
  }
  const AmountEffect& effect = few ? *few : *amount.effect;
  const double part = std::sqrt(static_cast<double>(effect.rows()) / std::max(amount.rows, 1.0));
  const std::size_t cells = 2 + 2 * settings;
  const auto replicate = [&](int r) {
    const auto& weights = resamples[static_cast<std::size_t>(r)];
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

std::vector<Setting> settings_of_amount(std::vector<Setting> settings, double share,
                                        const std::vector<double>& shares,
                                        const std::vector<std::vector<double>>& corrections) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Setting& setting = settings[i];
    const double of_reference = setting.left;
    setting.left = (1 - share) * of_reference;
    std::vector<double> left, longer, std;
    for (std::size_t r = 0; r < shares.size(); ++r) {
      const double left_of_share = (1 - shares[r]) * of_reference;
      const auto* correction = corrections.empty() ? nullptr : &corrections[r];
      left.push_back(left_of_share + (correction ? (*correction)[1 + 2 * i] : 0.0));
      std.push_back(correction         ? correction->back() * of_reference
                    : setting.left > 0 ? setting.std * left_of_share / setting.left
                                       : setting.std);
      longer.push_back(setting.duration_change_ns + (correction ? (*correction)[2 + 2 * i] : 0.0));
    }
    if (left.empty()) continue;
    setting.std_interval = percentile_interval(std::move(std));
    setting.left_interval = percentile_interval(std::move(left));
    setting.duration_interval = percentile_interval(std::move(longer));
  }
  return settings;
}

} // namespace jitterscope::causal
