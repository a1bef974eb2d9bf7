#include "core/causal/amounts/attributor.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/ordered_double.h"
#include "core/causal/statistics/configuration_moments.h"
#include "core/causal/statistics/configuration_share.h"
#include "core/causal/statistics/partner.h"

namespace jitterscope::causal {
namespace {

/// Deviations are limited to this many mean variabilities: a few launches that another cause made long would
/// otherwise hide on which launches an event acts.
constexpr double kFarGain = 30;
/// Minimum launches without an event in a configuration, to compare launches with the event.
constexpr std::int64_t kMinPeers = 10;
/// A cause in at most this many units is absent from more than 2.5 % of the resamples of units.
constexpr std::int64_t kFewUnits = 3;
/// Variance of a median relative to the variance of a mean, for normal values.
constexpr double kOfMedian = 1.57;

} // namespace

Expected<void> Attributor::finish(double& full_share, Range& interval) {
  const auto share_of_all = share();
  if (!share_of_all) return forward(share_of_all.error());
  full_share = *share_of_all;
  if (of_configurations_) {
    interval = of_configurations_->interval;
    return {};
  }
  if (amount_) {
    if (auto done = refit(*amount_); !done) return done;
    corrections_ = amount_->corrections;
  }
  blocks_of_main_part_ = units_of_main_part(total_.size());
  std::vector<double> terms;
  for (std::size_t b = 0; b < total_.size(); ++b) terms.push_back((*left_)[b] - (1 - full_share) * total_[b]);
  const std::size_t units = units_of_sum(terms);
  // How much a cause of few stretches would vary between runs is unknown: launches are resampled.
  const bool few = units_of_main_part(units) <= kFewUnits;
  if (!few && !of_units_.contains(units)) {
    auto drawn = draw_units(terms.size(), units, static_cast<int>(resamples_.size()), seed_, job_);
    if (!drawn) return forward(drawn.error());
    of_units_.emplace(units, std::move(*drawn));
  }
  const auto& resamples = few ? resamples_ : of_units_.at(units);
  const double expansion = few ? 1.0 : expansion_of_units(terms, units);
  std::vector<double> shares;
  for (const auto& weights : resamples) {
    if (job_.cancelled()) return Job::cancelled_error();
    const double share = share_of_blocks([&](std::size_t b) { return static_cast<double>(weights[b]); });
    shares.push_back(full_share + expansion * (share - full_share));
  }
  finish_settings(full_share, shares);
  if (of_event_)
    if (auto done = finish_event(full_share, shares, resamples); !done) return done;
  for (std::size_t r = 0; r < corrections_.size(); ++r) shares[r] += corrections_[r].front();
  if (shares.empty()) return {};
  interval = containing(percentile_interval(std::move(shares)), full_share);
  for (Setting& setting : settings_) {
    setting.left_interval = containing(setting.left_interval, setting.left);
    setting.std_interval = containing(setting.std_interval, setting.std);
    setting.duration_interval = containing(setting.duration_interval, setting.duration_change_ns);
  }
  return {};
}

/// Number of units of consecutive blocks that hold four fifths of the variability that would vanish.
std::int64_t Attributor::units_of_main_part(std::size_t units) const {
  std::vector<double> gains(units, 0.0);
  double all = 0, sum = 0;
  for (std::size_t u = 0; u < units; ++u) {
    const Share share =
        share_of(static_cast<std::int64_t>(total_.size()), static_cast<int>(u), static_cast<int>(units));
    for (auto b = static_cast<std::size_t>(share.first); b < static_cast<std::size_t>(share.last); ++b)
      gains[u] += total_[b] - (*left_)[b];
    all += gains[u];
  }
  std::sort(gains.begin(), gains.end(), std::greater<>());
  std::int64_t count = 0;
  for (; sum < 0.8 * all; ++count) sum += gains[static_cast<std::size_t>(count)];
  return count;
}

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
  of_configurations_ = ConfigurationShare{};
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

/// Variability of a launch that would vanish without the cause judged last; NaN where the cause does not act.
double Attributor::gain(std::size_t s, std::size_t row, bool of_configuration) const {
  if (!of_configuration) return x_[s][row] != 0 ? v_[row] - without_[row] : kMissing;
  return v_[row] - configuration_level_[local_.group[row]];
}

Expected<std::optional<Attribution::OnKernels>> Attributor::kernels_of(std::size_t s) {
  if (groups_.kernels < 2) return std::optional<Attribution::OnKernels>();
  enum { kWith, kLonger, kLongerSquares, kGain, kGainSquares, kVariability, kFreeSquares, kKinds };
  const double bound = std::max(groups_.longest, 1.0), far = std::clamp(kFarGain * mean_v_, 1.0, bound);
  const auto near = [far](double value) { return std::clamp(value, -far, far); };
  auto sums = sum_by(kKinds * groups_.count, bound, [&](std::size_t i, ExactSums& cells) {
    const auto g = local_.group[i];
    const std::size_t cell = kKinds * g;
    const double longer = peer_count_[g] > 0 ? near(longer_than_peers(i)) : 0.0,
                 vanishes = near(v_[i] - without_[i]);
    if (x_[s][i] == 0) {
      cells.add(cell + kFreeSquares, longer / far * longer);
      return;
    }
    cells.add(cell + kWith, 1.0), cells.add(cell + kVariability, v_[i]);
    cells.add(cell + kLonger, longer), cells.add(cell + kLongerSquares, longer / far * longer);
    cells.add(cell + kGain, vanishes), cells.add(cell + kGainSquares, vanishes / far * vanishes);
  });
  if (!sums) return forward(sums.error());
  struct OfKernel {
    double with = 0, variability = 0; ///< sums over all launches with the event
    double compared = 0, typical = 0, longer = 0, squares = 0, gain = 0, gain_squares = 0,
           error_of_typical = 0;
  };
  std::vector<OfKernel> kernels(groups_.kernels);
  for (std::size_t g = 0; g < groups_.count; ++g) {
    const double* of = sums->data() + kKinds * g;
    OfKernel& k = kernels[groups_.kernel[g]];
    k.with += of[kWith], k.variability += of[kVariability];
    if (peer_count_[g] < kMinPeers) continue; // too few for a comparison
    const auto free = static_cast<double>(peer_count_[g]);
    k.compared += of[kWith], k.typical += of[kWith] * peer_typical_[g];
    k.longer += of[kLonger], k.squares += of[kLongerSquares] * far;
    k.gain += of[kGain], k.gain_squares += of[kGainSquares] * far;
    k.error_of_typical += of[kWith] * of[kWith] * kOfMedian * of[kFreeSquares] * far / free / free;
  }
  std::vector<EffectOnKernel> effects;
  for (const OfKernel& k : kernels) {
    EffectOnKernel e{k.compared, 0, 0, 0, 0, 0};
    if (k.compared > 0) {
      const auto variance = [&](double sum, double squares) {
        return std::max(0.0, squares / k.compared - sum / k.compared * (sum / k.compared)) / k.compared;
      };
      const double of_typical = k.error_of_typical / k.compared / k.compared;
      e.typical = k.typical / k.compared, e.longer = k.longer / k.compared, e.gain = k.gain / k.compared;
      e.error = std::sqrt(variance(k.longer, k.squares) + of_typical),
      e.gain_error = std::sqrt(variance(k.gain, k.gain_squares) + of_typical);
    }
    effects.push_back(e);
  }
  const std::vector<OnKernel> on = kernels_acted_on(effects);
  if (on.empty()) return std::optional<Attribution::OnKernels>();
  Attribution::OnKernels reported;
  const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
  double longer = 0, compared = 0;
  for (std::uint32_t k = 0; k < groups_.kernels; ++k) {
    const OfKernel& of = kernels[k];
    if (on[k] == OnKernel::spares) {
      reported.spares.push_back(k), reported.not_affected += std::llround(of.with);
      continue;
    }
    reported.affected += std::llround(of.with), compared += of.compared, longer += of.longer;
    if (on[k] == OnKernel::acts) reported.acts.push_back(k), reported.variability += of.variability / all;
  }
  reported.compared = std::llround(compared), reported.mean_extra_ns = compared > 0 ? longer / compared : 0.0;
  const auto total_gain = [&](std::uint32_t k) {
    return std::fabs(kernels[k].longer) + std::max(0.0, kernels[k].gain);
  };
  std::stable_sort(reported.acts.begin(), reported.acts.end(),
                   [&](auto a, auto b) { return total_gain(a) > total_gain(b); });
  std::stable_sort(reported.spares.begin(), reported.spares.end(),
                   [&](auto a, auto b) { return kernels[a].with > kernels[b].with; });
  return std::optional(std::move(reported));
}

Expected<Attribution> Attributor::share_apart_from(std::size_t s, const Suspect& suspect, std::size_t other) {
  const std::vector<std::uint8_t> used = local_.used;
  const Groups groups = groups_;
  const auto with_other = [&](std::size_t i) { return used[i] != 0 && x_[other][i] != 0; };
  for (std::size_t i = 0; i < used.size(); ++i)
    if (with_other(i)) local_.used[i] = 0;
  if (auto done = regroup(); !done) return forward(done.error());
  auto result = share_of_suspect(s, suspect);
  if (!result) return result;

  // The event is assumed to affect launches with both events as it affects launches without the other. The
  // effect is estimated by configuration where there are launches without the other event.
  enum { kWith, kGain, kTypical, kCells };
  std::vector<double> gain(used.size(), 0.0);
  for (std::size_t i = 0; i < used.size(); ++i) gain[i] = v_[i] - without_[i];
  auto sums =
      sum_by(kCells * groups_.count, std::max(groups_.longest, 1.0), [&](std::size_t i, ExactSums& cells) {
        if (x_[s][i] == 0) return;
        const std::size_t cell = kCells * local_.group[i];
        cells.add(cell + kWith, 1.0), cells.add(cell + kGain, gain[i]),
            cells.add(cell + kTypical, groups_.median[local_.group[i]]);
      });
  if (!sums) return forward(sums.error());
  local_.used = used, groups_ = groups;
  if (auto done = measure(); !done) return forward(done.error());
  std::vector<std::int64_t> both(groups_.count, 0);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (with_other(i) && x_[s][i] != 0)
      ++both[local_.group[i]]; // rows that are not used may have no configuration
  if (auto done = communicator_.sum(both); !done) return forward(done.error());
  double all_gain = 0, all_typical = 0;
  for (std::size_t g = 0; g < groups_.count; ++g)
    all_gain += (*sums)[kCells * g + kGain], all_typical += (*sums)[kCells * g + kTypical];
  const auto typical_gain = [&](std::uint32_t g) {
    const double* of = sums->data() + kCells * g;
    return of[kWith] > 0     ? of[kGain] / of[kWith]
           : all_typical > 0 ? all_gain / all_typical * groups_.median[g]
                             : 0.0;
  };
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const auto g = local_.group[i];
    const bool has = x_[s][i] != 0;
    if (!with_other(i)) { // carries the uncertainty of the estimate for launches with both events
      if (has)
        carried_[i] -=
            static_cast<double>(both[g]) / (*sums)[kCells * g + kWith] * (gain[i] - typical_gain(g));
      continue;
    }
    without_[i] = v_[i] - (has ? typical_gain(g) : 0.0), carried_[i] = 0;
    if (!of_event_) continue;
    of_event_->left[i] = of_event_->with[i] =
        without_[i]; // if all launches have the event, the typical duration includes it
    of_event_->square[i] = v_[i] * v_[i];
    of_event_->left_square[i] = of_event_->with_square[i] = without_[i] * without_[i];
  }
  result->affected = 0;
  for (const auto n : both) result->affected += n;
  for (std::size_t g = 0; g < groups_.count; ++g)
    result->affected += std::llround((*sums)[kCells * g + kWith]);
  if (auto done = finish(result->share, result->interval); !done) return forward(done.error());
  result->settings = settings_;
  return result;
}

/// 1 for the kernels in which the launches that a suspect acts on have both values of a column. A column that
/// differs only between kernels would merely identify the kernels. Index: column, then kernel.
Expected<std::vector<std::uint8_t>>
Attributor::columns_within_kernels(std::size_t s, bool of_configuration,
                                   const std::vector<std::uint8_t>& is_spared) {
  const std::size_t columns = frame_.columns.size();
  std::vector<std::int64_t> seen(2 * columns * groups_.kernels, 0);
  auto walked = frame_.walk(job_, "conditions", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const std::size_t i = tile.row[k];
      const auto kernel = groups_.kernel[local_.group[i]];
      if (is_spared[kernel] || std::isnan(gain(s, i, of_configuration))) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        const double value = tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        if (value == frame_.columns[c].minimum)
          seen[2 * (c * groups_.kernels + kernel)] = 1;
        else if (value == frame_.columns[c].maximum)
          seen[2 * (c * groups_.kernels + kernel) + 1] = 1;
      }
    }
  });
  if (!walked) return forward(walked.error());
  if (auto done = communicator_.sum(seen); !done) return forward(done.error());
  std::vector<std::uint8_t> both(columns * groups_.kernels, 0);
  for (std::size_t cell = 0; cell < both.size(); ++cell)
    both[cell] = seen[2 * cell] > 0 && seen[2 * cell + 1] > 0;
  return both;
}

/// Whether the last judged event or configuration column acts only with one value of another column.
Expected<std::optional<Attribution::Condition>>
Attributor::condition_of(std::size_t s, const Suspect& suspect, const std::vector<std::uint32_t>& spared) {
  std::vector<std::uint8_t> is_spared(groups_.kernels, 0);
  for (const auto kernel : spared) is_spared[kernel] = 1;
  enum { kLaunches, kGain, kSquares, kFree, kFreeGain, kReported, kReportedVariability, kKinds };
  const std::size_t columns = frame_.columns.size();
  const Column& own = frame_.columns[static_cast<std::size_t>(suspect.column)];
  const double bound = std::clamp(kFarGain * mean_v_, 1.0, std::max(groups_.longest, 1.0));
  std::vector<ExactSums> sums; // by kind; cells by column: rows with its minimum, its maximum, other values
  for (int kind = 0; kind < kKinds; ++kind)
    sums.emplace_back(3 * columns,
                      kind == kReportedVariability         ? std::max(groups_.longest, 1.0)
                      : kind == kGain || kind == kFreeGain ? bound
                                                           : 1.0,
                      frame_.plan.rows);
  auto within = columns_within_kernels(s, suspect.constant_in_configuration, is_spared);
  if (!within) return forward(within.error());
  auto walked = frame_.walk(job_, "conditions", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const std::size_t i = tile.row[k];
      const auto kernel = groups_.kernel[local_.group[i]];
      if (is_spared[kernel]) continue;
      const double vanishes = gain(s, i, suspect.constant_in_configuration);
      const double beyond = suspect.constant_in_configuration
                                ? kMissing
                                : v_[i] - expected_[local_.group[i]]; // without the event
      if (std::isnan(vanishes) && std::isnan(beyond)) continue;
      const double part = std::clamp(std::isnan(vanishes) ? beyond : vanishes, -bound, bound);
      for (std::size_t c = 0; c < columns; ++c) {
        const Column& column = frame_.columns[c];
        const double value = tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        const std::size_t cell = 3 * c + (value == column.minimum ? 0 : value == column.maximum ? 1 : 2);
        if (!std::isnan(vanishes))
          sums[kReported].add(cell, 1.0), sums[kReportedVariability].add(cell, v_[i]);
        if (!(*within)[c * groups_.kernels + kernel]) continue;
        if (std::isnan(vanishes)) {
          sums[kFree].add(cell, 1.0), sums[kFreeGain].add(cell, part);
          continue;
        }
        sums[kLaunches].add(cell, 1.0), sums[kGain].add(cell, part);
        sums[kSquares].add(cell, (part / bound) * (part / bound));
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
  // Two versions: as measured, and minus the extra variability that launches without the event also have at
  // that value. Only a result that both agree on is reported.
  std::vector<EffectByColumn> effects, beyond_others;
  const auto at = [&](std::size_t cell, bool relative_to_free) {
    const double free =
        relative_to_free && totals[kFree][cell] > 0 ? totals[kFreeGain][cell] / totals[kFree][cell] : 0.0;
    return EffectAtValue{totals[kLaunches][cell], totals[kGain][cell] - totals[kLaunches][cell] * free,
                         totals[kSquares][cell] * bound * bound};
  };
  for (std::size_t c = 0; c < columns; ++c) {
    const Column& column = frame_.columns[c];
    const bool same = column.source == own.source || (!own.family.empty() && column.family == own.family);
    if (same || totals[kReported][3 * c + 2] != 0) continue;
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
      std::llround(totals[kReported][cell]), all > 0 ? totals[kReportedVariability][cell] / all : 0.0});
}

} // namespace jitterscope::causal
