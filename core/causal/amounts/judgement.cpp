#include "core/causal/amounts/judgement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/ordered_double.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/statistics/configuration_moments.h"
#include "core/causal/statistics/configuration_share.h"

namespace jitterscope::causal {
namespace {

/// A cause in at most this many units is absent from more than 2.5 % of the resamples of units.
constexpr std::int64_t kFewUnits = 3;
constexpr std::int64_t kFewBlocks = 3;    ///< 5 % of the resamples contain none of three blocks (e⁻³)
constexpr std::int64_t kFitRows = 65'536; ///< maximum rows for the fit of a numeric factor
constexpr double kWider = 4.0 / 3;        ///< minimum ratio for launches to count as more variable

/// 1 − Σ w left / Σ w v; `weight` of a block index.
template <class Weight>
double share_of_blocks(const std::vector<double>& total, const std::vector<double>& left,
                       const Weight& weight) {
  double all = 0, remaining = 0;
  for (std::size_t b = 0; b < total.size(); ++b)
    all += weight(b) * total[b], remaining += weight(b) * left[b];
  return all > 0 ? 1.0 - remaining / all : 0.0;
}

/// Number of units of consecutive blocks that hold four fifths of the variability that would vanish.
std::int64_t units_of_main_part(const std::vector<double>& total, const std::vector<double>& left,
                                std::size_t units) {
  std::vector<double> gains(units, 0.0);
  double all = 0, sum = 0;
  for (std::size_t u = 0; u < units; ++u) {
    const Share share =
        share_of(static_cast<std::int64_t>(total.size()), static_cast<int>(u), static_cast<int>(units));
    for (auto b = static_cast<std::size_t>(share.first); b < static_cast<std::size_t>(share.last); ++b)
      gains[u] += total[b] - left[b];
    all += gains[u];
  }
  std::sort(gains.begin(), gains.end(), std::greater<>());
  std::int64_t count = 0;
  for (; sum < 0.8 * all; ++count) sum += gains[static_cast<std::size_t>(count)];
  return count;
}

/// Shares of resamples, and the weights of the resamples.
struct ResampledShares {
  std::vector<double> shares;
  const Resamples::Weights* weights = nullptr;
};

Expected<ResampledShares> resampled_shares(const RemainingLaunches& launches, const Judgement& judgement) {
  const std::vector<double>&total = launches.block_variability(), &left = judgement.left;
  const double share = judgement.attribution.share;
  const Job& job = launches.input().job;
  Resamples& resamples = launches.input().resamples;
  std::vector<double> terms;
  for (std::size_t b = 0; b < total.size(); ++b) terms.push_back(left[b] - (1 - share) * total[b]);
  const std::size_t units = units_of_sum(terms);
  // How much a cause of few stretches would vary between runs is unknown: launches are resampled.
  const bool few = units_of_main_part(total, left, units) <= kFewUnits;
  if (!few && !resamples.of_units.contains(units)) {
    auto drawn =
        draw_units(terms.size(), units, static_cast<int>(resamples.of_blocks.size()), resamples.seed, job);
    if (!drawn) return forward(drawn.error());
    resamples.of_units.emplace(units, std::move(*drawn));
  }
  ResampledShares result{{}, few ? &resamples.of_blocks : &resamples.of_units.at(units)};
  const double expansion = few ? 1.0 : expansion_of_units(terms, units);
  for (const auto& weights : *result.weights) {
    if (job.cancelled()) return Job::cancelled_error();
    const double drawn =
        share_of_blocks(total, left, [&](std::size_t b) { return static_cast<double>(weights[b]); });
    result.shares.push_back(share + expansion * (drawn - share));
  }
  return result;
}

/// By configuration: the smallest value of a column, which is constant in configurations.
Expected<std::vector<double>> values_of_configurations(const RemainingLaunches& launches,
                                                       const std::vector<double>& x) {
  std::vector<std::int64_t> keys(launches.groups().count,
                                 ordered_integer(std::numeric_limits<double>::infinity()));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const auto g = launches.group(i); launches.used(i))
      keys[g] = std::min(keys[g], ordered_integer(x[i]));
  if (auto done = launches.input().communicator.minimum(keys); !done) return forward(done.error());
  std::vector<double> values;
  for (const auto key : keys) values.push_back(from_ordered_integer(key));
  return values;
}

/// Σ v by configuration, ns.
Expected<std::vector<double>> variability_of_configurations(const RemainingLaunches& launches) {
  return launches.sum_by(
      launches.groups().count, launches.groups().longest,
      [&](std::size_t i, ExactSums& sums) { sums.add(launches.group(i), launches.variability(i)); });
}

/// Durations, contracted until the variability of each configuration is `expected` (mean v, ns).
Expected<std::vector<double>> contracted(const RemainingLaunches& launches,
                                         const std::vector<double>& expected) {
  const Groups& groups = launches.groups();
  const auto before = variability_of_configurations(launches);
  if (!before) return before;
  std::vector<double> durations = launches.rows().duration;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    const auto g = launches.group(i);
    if (!launches.used(i) || std::isnan(expected[g]) || (*before)[g] <= 0) continue;
    const double left = std::min(1.0, expected[g] * static_cast<double>(groups.rows[g]) / (*before)[g]);
    durations[i] = groups.median[g] + left * (durations[i] - groups.median[g]);
  }
  return durations;
}

/// Settings of a numeric factor, relative to the reference.
std::vector<Setting> settings_of_fit(const AmountEffect& effect, std::int64_t blocks) {
  const auto outcome = effect.as_fitted(std::vector<int>(static_cast<std::size_t>(blocks), 1));
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < outcome.left.size(); ++i) {
    const double left = outcome.left_at_reference > 0 ? outcome.left[i] / outcome.left_at_reference : 1.0;
    settings.push_back({effect.value_of_setting(i),
                        left,
                        {},
                        outcome.std_at_reference * left,
                        {},
                        outcome.duration_change[i],
                        {}});
  }
  return settings;
}

/// Sets v without a numeric factor, and what the factor does to the launches that it acts on. `shifted`:
/// durations without its level, ns.
Expected<void> apply_fit(const RemainingLaunches& launches, const std::vector<double>& x,
                         const std::vector<double>& shifted, Judgement& judgement) {
  FittedAmount& amount = *judgement.amount;
  const Groups& groups = launches.groups();
  judgement.without.assign(x.size(), 0.0);
  enum { kRows, kAffected, kExtra, kCells };
  auto extra = launches.sum_by(kCells, groups.longest + 1.0, [&](std::size_t i, ExactSums& sums) {
    const auto g = launches.group(i);
    const double added = launches.duration(i) - shifted[i];
    judgement.without[i] = without_amount(amount, shifted[i], x[i], g).variability;
    sums.add(kRows, 1.0);
    if (amount.fit.acts_by_spread() ? amount.fit.spread(x[i]) <= kWider
                                    : added <= amount.fit.relative_left * groups.median[g])
      return;
    sums.add(kAffected, 1.0), sums.add(kExtra, added);
  });
  if (!extra) return forward(extra.error());
  Attribution& result = judgement.attribution;
  result.affected = result.compared = std::llround((*extra)[kAffected]);
  result.mean_extra_ns = result.affected > 0 ? (*extra)[kExtra] / (*extra)[kAffected] : 0.0;
  amount.rows = (*extra)[kRows];
  return set_share(launches, judgement.without, judgement);
}

} // namespace

Expected<Judgement> judge_configuration(const RemainingLaunches& launches, std::size_t s) {
  const AttributionInput& input = launches.input();
  const Groups& groups = launches.groups();
  auto x = values_of_configurations(launches, input.x[s]);
  if (!x) return forward(x.error());
  auto deviation = variability_of_configurations(launches);
  if (!deviation) return forward(deviation.error());
  const ConfigurationFacts facts{std::move(*x), groups.rows, groups.median, std::move(*deviation),
                                 groups.kernel};
  Judgement judgement;
  judgement.suspect = s;
  Attribution& result = judgement.attribution;
  result.direction = trend_of_configurations(facts);
  ConfigurationEffect effect = effect_of_configurations(facts, result.direction);
  result.share = effect.share;
  const auto replicate = [&](int r) {
    const auto draws = draw_configurations(groups.rows, input.resamples.seed, r);
    return std::vector{effect_of_configurations(facts, result.direction, draws).share};
  };
  const auto replicates = static_cast<int>(input.resamples.of_blocks.size());
  const auto all = run_replicates(replicates, 1, replicate, input.communicator, input.job);
  if (!all) return forward(all.error());
  if (!all->empty())
    result.interval =
        expanded(percentile_interval(*all, 0), effect.share,
                 interval_expansion(count_configurations(groups.kernel, groups.rows).effective(), 2));
  for (std::size_t g = 0; g < groups.count; ++g)
    if (!std::isnan(effect.expected[g])) result.affected += groups.rows[g];
  judgement.of_configurations = std::move(effect.expected);
  return judgement;
}

Expected<Judgement> judge_amount(const RemainingLaunches& launches, std::size_t s,
                                 std::vector<std::size_t> events) {
  const AttributionInput& input = launches.input();
  auto sample = launches.sample(input.x[s], kFitRows, events);
  if (!sample) return forward(sample.error());
  AmountEffect effect(std::move(*sample), launches.groups().median, launches.groups().kernel);
  if (auto done = effect.fit(input.suspects[s].shifts, input.suspects[s].spreads, input.resamples.of_blocks,
                             input.communicator, input.job);
      !done)
    return forward(done.error());
  const AmountFit& fit = effect.fitted();
  const std::vector<double> shifted = without_level(launches, input.x[s], fit);
  auto typical = launches.medians([&](std::size_t i) { return shifted[i]; });
  if (!typical) return forward(typical.error());

  Judgement judgement;
  judgement.suspect = s;
  Attribution& result = judgement.attribution;
  result.spreads = fit.acts_by_spread();
  if (result.spreads || fit.shape != LevelShape::none) result.reference = effect.reference_amount();
  result.direction = result.spreads                     ? fit.spread_direction
                     : fit.shape == LevelShape::rising  ? 1
                     : fit.shape == LevelShape::falling ? -1
                                                        : 0;
  result.settings = settings_of_fit(effect, input.frame.plan.blocks);
  judgement.amount = FittedAmount{std::move(events), fit, std::move(*typical), {}, 0};
  judgement.amount->effect = std::move(effect);
  if (auto done = apply_fit(launches, input.x[s], shifted, judgement); !done) return forward(done.error());
  return judgement;
}

Expected<void> set_share(const RemainingLaunches& launches, const std::vector<double>& left,
                         Judgement& judgement) {
  auto blocks = launches.block_sums(left);
  if (!blocks) return forward(blocks.error());
  judgement.left = std::move(*blocks);
  judgement.attribution.share =
      share_of_blocks(launches.block_variability(), judgement.left, [](std::size_t) { return 1.0; });
  return {};
}

Expected<Attribution> with_interval(const RemainingLaunches& launches, const Judgement& judgement) {
  Attribution result = judgement.attribution;
  const std::size_t s = judgement.suspect;
  if (launches.input().kind(s) == SuspectKind::configuration) return result;
  auto resampled = resampled_shares(launches, judgement);
  if (!resampled) return forward(resampled.error());
  std::vector<double>& shares = resampled->shares;
  if (judgement.amount) {
    const auto corrections = refit_corrections(launches, s, *judgement.amount, result.settings.size());
    if (!corrections) return forward(corrections.error());
    result.settings = settings_of_amount(std::move(result.settings), result.share, shares, *corrections);
    for (std::size_t r = 0; r < corrections->size(); ++r) shares[r] += (*corrections)[r].front();
  }
  if (judgement.outcomes) {
    auto settings =
        settings_of_event(launches, *judgement.outcomes, result.share, shares, *resampled->weights);
    if (!settings) return forward(settings.error());
    result.settings = std::move(*settings);
  }
  const std::vector<double>& total = launches.block_variability();
  result.in_one_stretch = launches.input().is_event(s) && result.share > 0 &&
                          units_of_main_part(total, judgement.left, total.size()) <= kFewBlocks;
  if (shares.empty()) return result;
  result.interval = containing(percentile_interval(std::move(shares)), result.share);
  for (Setting& setting : result.settings) {
    setting.left_interval = containing(setting.left_interval, setting.left);
    setting.std_interval = containing(setting.std_interval, setting.std);
    setting.duration_interval = containing(setting.duration_interval, setting.duration_change_ns);
  }
  return result;
}

Expected<void> remove_cause(RemainingLaunches& launches, const Judgement& judgement,
                            std::optional<std::size_t> apart_from) {
  const AttributionInput& input = launches.input();
  const std::vector<double>& x = input.x[judgement.suspect];
  if (judgement.amount) {
    std::vector<double> durations = without_level(launches, x, judgement.amount->fit);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const auto g = launches.group(i); launches.used(i))
        durations[i] = without_amount(*judgement.amount, durations[i], x[i], g).duration;
    return launches.replace_durations(std::move(durations));
  }
  if (!input.is_event(judgement.suspect)) {
    auto durations = contracted(launches, judgement.of_configurations);
    if (!durations) return forward(durations.error());
    return launches.replace_durations(std::move(*durations));
  }
  std::vector<std::uint8_t> has(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    has[i] = x[i] != 0 && (!apart_from || input.x[*apart_from][i] == 0);
  return launches.remove(has, judgement.without);
}

} // namespace jitterscope::causal
