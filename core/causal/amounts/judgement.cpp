#include "core/causal/amounts/judgement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/ordered_double.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/configurations.h"

namespace jitterscope::causal {
namespace {

/// A cause in at most this many units is absent from more than 2.5 % of the resamples of units.
constexpr std::int64_t kFewUnits = 3;
constexpr std::int64_t kFewBlocks = 3; ///< 5 % of the resamples contain none of three blocks (e⁻³)

/// 1 − Σ w left / Σ w v; `weight` of a block index.
double share_of_blocks(const std::vector<double>& total, const std::vector<double>& left,
                       const auto& weight) {
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
    const Share share = blocks_of_unit(total.size(), u, units);
    for (auto b = static_cast<std::size_t>(share.first); b < static_cast<std::size_t>(share.last); ++b)
      gains[u] += total[b] - left[b];
    all += gains[u];
  }
  std::ranges::sort(gains, std::greater<>());
  std::int64_t count = 0;
  for (; sum < 0.8 * all; ++count) sum += gains[count];
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
  return mapped(keys, from_ordered_integer);
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

Expected<void> set_share(const RemainingLaunches& launches, Judgement& judgement) {
  std::vector<double> left = judgement.without;
  for (std::size_t i = 0; i < judgement.carried.size(); ++i) left[i] += judgement.carried[i];
  if (auto done = assign(judgement.left, launches.block_sums(left)); !done) return done;
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
  if (judgement.amount || judgement.outcomes) {
    auto done = assign(result.settings, judgement.amount ? settings_of_amount(launches, judgement, shares)
                                                         : settings_of_event(launches, judgement, shares,
                                                                             *resampled->weights));
    if (!done) return forward(done.error());
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
  if (judgement.amount) return launches.replace_durations(durations_without(launches, x, *judgement.amount));
  if (!input.is_event(judgement.suspect)) {
    std::vector<double> durations;
    auto done = assign(durations, contracted(launches, judgement.of_configurations));
    return done ? launches.replace_durations(std::move(durations)) : done;
  }
  std::vector<std::uint8_t> has(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    has[i] = x[i] != 0 && (!apart_from || input.x[*apart_from][i] == 0);
  return launches.remove(has, judgement.without);
}

} // namespace jitterscope::causal
