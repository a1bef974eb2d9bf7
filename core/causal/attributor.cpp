#include "core/causal/attributor.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/ordered_double.h"
#include "core/causal/configuration_moments.h"
#include "core/causal/configuration_share.h"
#include "core/causal/partner.h"

namespace jitterscope::causal {
namespace {

/// Mean variabilities beyond which it does not count how much further a launch lies: a few that another cause made long
/// would hide on which launches an event acts.
constexpr double kFarGain = 30;

} // namespace

Expected<Attribution> Attributor::of_configuration(const std::vector<double>& x) {
  std::vector<std::int64_t> keys(groups_.count, ordered_integer(std::numeric_limits<double>::infinity()));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i]) keys[local_.group[i]] = std::min(keys[local_.group[i]], ordered_integer(x[i]));
  if (auto done = communicator_.minimum(keys); !done) return forward(done.error());
  auto deviation = sum_by(groups_.count, groups_.longest,
                          [&](std::size_t i, ExactSums& sums) { sums.add(local_.group[i], v_[i]); });
  if (!deviation) return forward(deviation.error());
  ConfigurationFacts facts{{}, groups_.rows, groups_.median, std::move(*deviation), groups_.kernel};
  for (const auto key : keys) facts.x.push_back(from_ordered_integer(key));

  Attribution result;
  result.direction = trend_of_configurations(facts);
  ConfigurationEffect effect = effect_of_configurations(facts, result.direction);
  const auto replicate = [&](int r) {
    const auto draws = draw_configurations(groups_.rows, seed_, r);
    return std::vector{effect_of_configurations(facts, result.direction, draws).share};
  };
  auto all = run_replicates(static_cast<int>(resamples_.size()), 1, replicate, communicator_, job_);
  if (!all) return forward(all.error());
  of_configurations_.emplace();
  of_configurations_->share = effect.share;
  if (!all->empty())
    of_configurations_->interval =
        expanded(percentile_interval(*all, 0), effect.share,
                 interval_expansion(count_configurations(groups_.kernel, groups_.rows).effective(), 2));
  configuration_level_ = std::move(effect.expected);
  for (std::size_t g = 0; g < groups_.count; ++g)
    if (!std::isnan(configuration_level_[g])) result.affected += groups_.rows[g];
  return result;
}

/// Variability of a launch that would vanish without the cause last looked at; NaN where it does not act.
double Attributor::gain(std::size_t s, std::size_t row, bool of_configuration) const {
  if (!of_configuration) return x_[s][row] != 0 ? v_[row] - without_[row] : kMissing;
  return v_[row] - configuration_level_[local_.group[row]];
}

Expected<std::optional<Attribution::OnKernels>> Attributor::kernels_of(std::size_t s) {
  if (groups_.kernels < 2) return std::optional<Attribution::OnKernels>();
  enum { kLaunches, kGain, kSquares, kUsual, kVariability, kKinds };
  const double bound = std::max(groups_.longest, 1.0), far = std::clamp(kFarGain * mean_v_, 1.0, bound);
  auto sums = sum_by(kKinds * groups_.kernels, bound, [&](std::size_t i, ExactSums& cells) {
    const auto g = local_.group[i];
    const double vanishes = std::clamp(gain(s, i, false), -far, far);
    if (std::isnan(vanishes)) return;
    const std::size_t cell = kKinds * groups_.kernel[g];
    cells.add(cell + kLaunches, 1.0), cells.add(cell + kGain, vanishes), cells.add(cell + kSquares, vanishes / far * vanishes);
    cells.add(cell + kUsual, groups_.median[g]), cells.add(cell + kVariability, v_[i]);
  });
  if (!sums) return forward(sums.error());
  std::vector<EffectOnKernel> effects;
  for (std::size_t k = 0; k < groups_.kernels; ++k) {
    const double* of = sums->data() + kKinds * k;
    effects.push_back({{of[kLaunches], of[kGain], of[kSquares] * far, of[kVariability]}, of[kUsual]});
  }
  const std::vector<OnKernel> on = kernels_acted_on(effects);
  if (on.empty()) return std::optional<Attribution::OnKernels>();
  Attribution::OnKernels told;
  const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
  for (std::uint32_t k = 0; k < groups_.kernels; ++k) {
    const EffectAtValue& with = effects[k].with;
    if (on[k] == OnKernel::acts) told.acts.push_back(k), told.affected += std::llround(with.launches), told.variability += with.variability / all;
    if (on[k] == OnKernel::spares) told.spares.push_back(k), told.not_affected += std::llround(with.launches);
  }
  std::stable_sort(told.acts.begin(), told.acts.end(), [&](auto a, auto b) { return effects[a].with.gain > effects[b].with.gain; });
  std::stable_sort(told.spares.begin(), told.spares.end(),
                   [&](auto a, auto b) { return effects[a].with.launches > effects[b].with.launches; });
  return std::optional(std::move(told));
}

/// Whether the event or configuration column last looked at acts only with one value of another column.
Expected<std::optional<Attribution::Condition>> Attributor::condition_of(std::size_t s, const Suspect& suspect,
                                                                         const std::vector<std::uint32_t>& spared) {
  std::vector<std::uint8_t> is_spared(groups_.kernels, 0);
  for (const auto kernel : spared) is_spared[kernel] = 1;
  enum { kLaunches, kGain, kSquares, kFree, kFreeGain, kVariability, kKinds };
  const std::size_t columns = frame_.columns.size();
  const Column& own = frame_.columns[static_cast<std::size_t>(suspect.column)];
  const double bound = std::clamp(kFarGain * mean_v_, 1.0, std::max(groups_.longest, 1.0));
  std::vector<ExactSums> sums; // by kind: low and high value of every column, then all rows with other values
  for (int kind = 0; kind < kKinds; ++kind)
    sums.emplace_back(3 * columns,
                      kind == kVariability                       ? std::max(groups_.longest, 1.0)
                      : kind == kGain || kind == kFreeGain ? bound
                                                                 : 1.0,
                      frame_.plan.rows);
  auto walked = frame_.walk(job_, "conditions", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const std::size_t i = tile.row[k];
      if (is_spared[groups_.kernel[local_.group[i]]]) continue;
      const double vanishes = gain(s, i, suspect.constant_in_configuration);
      const double beyond = suspect.constant_in_configuration ? kMissing : v_[i] - expected_[local_.group[i]]; // of a free one
      if (std::isnan(vanishes) && std::isnan(beyond)) continue;
      const double part = std::clamp(std::isnan(vanishes) ? beyond : vanishes, -bound, bound);
      for (std::size_t c = 0; c < columns; ++c) {
        const Column& column = frame_.columns[c];
        const double value = tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        const std::size_t cell = 3 * c + (value == column.minimum ? 0 : value == column.maximum ? 1 : 2);
        if (std::isnan(vanishes)) {
          sums[kFree].add(cell, 1.0), sums[kFreeGain].add(cell, part);
          continue;
        }
        sums[kLaunches].add(cell, 1.0), sums[kGain].add(cell, part);
        sums[kSquares].add(cell, (part / bound) * (part / bound)), sums[kVariability].add(cell, v_[i]);
      }
    }
  });
  if (!walked) return forward(walked.error());
  std::vector<std::vector<double>> totals;
  for (auto& of_kind : sums) {
    auto total = of_kind.total(communicator_);
    if (!total) return forward(total.error());
    totals.push_back(std::move(*total));
  }
  // As it is, and beyond what launches without the event vary more at that value, for another reason, than all do: only
  // what both say is told.
  std::vector<EffectByColumn> effects, beyond_others;
  const auto at = [&](std::size_t cell, bool beside_free) {
    const double free = beside_free && totals[kFree][cell] > 0 ? totals[kFreeGain][cell] / totals[kFree][cell] : 0.0;
    return EffectAtValue{totals[kLaunches][cell], totals[kGain][cell] - totals[kLaunches][cell] * free,
                         totals[kSquares][cell] * bound * bound, totals[kVariability][cell]};
  };
  for (std::size_t c = 0; c < columns; ++c) {
    const Column& column = frame_.columns[c];
    const bool same = column.source == own.source || (!own.family.empty() && column.family == own.family);
    if (same || totals[kLaunches][3 * c + 2] != 0) continue;
    effects.push_back({static_cast<int>(c), at(3 * c, false), at(3 * c + 1, false)});
    beyond_others.push_back({static_cast<int>(c), at(3 * c, true), at(3 * c + 1, true)});
  }
  const auto partner = find_partner(effects), again = find_partner(beyond_others);
  if (!partner || !again || partner->column != again->column || partner->high != again->high)
    return std::optional<Attribution::Condition>();
  const auto c = static_cast<std::size_t>(partner->column);
  const std::size_t cell = 3 * c + (partner->high ? 1 : 0);
  const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
  return std::optional(Attribution::Condition{
      partner->column, partner->high ? frame_.columns[c].maximum : frame_.columns[c].minimum,
      std::llround(totals[kLaunches][cell]), all > 0 ? totals[kVariability][cell] / all : 0.0});
}

} // namespace jitterscope::causal
