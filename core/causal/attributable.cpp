#include "core/causal/attributable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/base/exact_sums.h"
#include "core/base/ordered_double.h"
#include "core/causal/amount_effect.h"
#include "core/causal/bootstrap.h"
#include "core/causal/configuration_moments.h"
#include "core/causal/configuration_share.h"
#include "core/causal/group_medians.h"
#include "core/causal/partner.h"

namespace jitterscope::causal {

int share_step(double share) {
  return static_cast<int>(std::floor(share * 20));
}

double small_sample_share(std::int64_t n) {
  if (n < 2) return 0;
  const auto even = static_cast<double>(n - n % 2); // an odd configuration's median is one of its launches
  return std::sqrt(1.0 - (1.57 - 1.14 / even) / even);
}

namespace {

constexpr std::int64_t kRefitRows = 16'384; ///< rows on which the fit of an amount is repeated for every resample
constexpr double kWider = 4.0 / 3;          ///< launches vary more: by so much at least
constexpr double kLeastSpread = 0.25;       ///< where an amount is taken away, nothing becomes wider than this allows
constexpr double kLeastDuration = 1e-3;     ///< nor shorter, in usual durations

/// Values of the suspects' columns for the rows of this rank, and what is shared by all calculations.
class Attributor {
public:
  Attributor(const Frame& frame, const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
             Communicator& communicator, const Job& job)
      : frame_(frame), groups_(frame.groups), local_(frame.local), resamples_(resamples), seed_(seed),
        communicator_(communicator), job_(job) {}

  Expected<void> load(const std::vector<Suspect>& suspects) {
    x_.assign(suspects.size(), std::vector<double>(local_.used.size(), kMissing));
    auto walked = frame_.walk(job_, "attributable shares", [&](std::int64_t, const Tile& tile) {
      for (std::size_t s = 0; s < suspects.size(); ++s)
        for (std::size_t k = 0; k < tile.row.size(); ++k)
          x_[s][tile.row[k]] = tile.raw(static_cast<Eigen::Index>(k), suspects[s].column);
    });
    if (!walked) return walked;
    return measure();
  }

  /// Takes away what a cause acts on: launches with the event, the time that an amount adds.
  Expected<void> take_away(std::size_t s, const Suspect& suspect) {
    const Column& column = frame_.columns[static_cast<std::size_t>(suspect.column)];
    if (suspect.constant_in_configuration) {
      if (auto done = draw_together(x_[s]); !done) return done;
    } else if (column.event || column.zero_inflated) {
      for (std::size_t i = 0; i < local_.used.size(); ++i)
        if (local_.used[i] && x_[s][i] != 0) local_.used[i] = 0;
    } else {
      if (auto again = of_amount(x_[s], suspect); !again) return forward(again.error());
      local_.duration = moved_;
    }
    groups_.rows.assign(groups_.count, 0);
    std::vector<double> durations = local_.duration;
    for (std::size_t i = 0; i < local_.used.size(); ++i) {
      if (local_.used[i])
        ++groups_.rows[local_.group[i]];
      else
        durations[i] = kMissing;
    }
    if (auto done = communicator_.sum(groups_.rows); !done) return done;
    auto medians = group_medians(durations, local_.group, groups_.count, communicator_);
    if (!medians) return forward(medians.error());
    groups_.median = std::move(*medians);
    return measure();
  }

  Expected<Attribution> share_of_suspect(std::size_t s, const Suspect& suspect) {
    const Column& column = frame_.columns[static_cast<std::size_t>(suspect.column)];
    without_ = v_;
    corrections_.clear(), of_configurations_.reset();
    if (suspect.constant_in_configuration) return of_configuration(x_[s]);
    if (column.event || column.zero_inflated) return of_event(x_[s]);
    return of_amount(x_[s], suspect);
  }

  /// 1 − Σ w v' / Σ w v for the full sample and every resample of blocks.
  Expected<void> finish(double& full_share, Range& interval) {
    if (of_configurations_) {
      full_share = of_configurations_->share, interval = of_configurations_->interval;
      return {};
    }
    auto blocks = block_sums(without_);
    if (!blocks) return forward(blocks.error());
    const auto share = [&](const auto& weight) {
      double all = 0, left = 0;
      for (std::size_t b = 0; b < total_.size(); ++b)
        all += weight(b) * total_[b], left += weight(b) * (*blocks)[b];
      return all > 0 ? 1.0 - left / all : 0.0;
    };
    full_share = share([](std::size_t) { return 1.0; });
    std::vector<double> shares;
    for (const auto& weights : resamples_)
      shares.push_back(share([&](std::size_t b) { return static_cast<double>(weights[b]); }));
    for (std::size_t r = 0; r < corrections_.size(); ++r) shares[r] += corrections_[r];
    if (!shares.empty()) interval = percentile_interval(std::move(shares));
    return {};
  }

  Expected<std::optional<Attribution::Condition>> condition_of(std::size_t s, const Suspect& suspect);

  /// Mean variability of the rows at hand, ns.
  double mean_variability() const { return mean_v_; }

private:
  using Totals = Expected<std::vector<double>>;

  /// Durations of configurations that a configuration column makes unsteady move towards their usual one, so
  /// far that as much is left of their variability as without the column.
  Expected<void> draw_together(const std::vector<double>& x) {
    without_ = v_;
    if (auto again = of_configuration(x); !again) return forward(again.error());
    auto before = sum_by(groups_.count, groups_.longest,
                         [&](std::size_t i, ExactSums& sums) { sums.add(local_.group[i], v_[i]); });
    if (!before) return forward(before.error());
    for (std::size_t i = 0; i < local_.used.size(); ++i) {
      const auto g = local_.group[i];
      if (!local_.used[i] || std::isnan(configuration_level_[g]) || (*before)[g] <= 0) continue;
      const double left =
          std::min(1.0, configuration_level_[g] * static_cast<double>(groups_.rows[g]) / (*before)[g]);
      local_.duration[i] = groups_.median[g] + left * (local_.duration[i] - groups_.median[g]);
    }
    return {};
  }

  /// Σ v of every block for the rows and durations at hand.
  Expected<void> measure() {
    v_.assign(local_.used.size(), 0.0);
    for (std::size_t i = 0; i < v_.size(); ++i)
      if (local_.used[i]) v_[i] = std::fabs(local_.duration[i] - groups_.median[local_.group[i]]);
    auto blocks = block_sums(v_);
    if (!blocks) return forward(blocks.error());
    total_ = std::move(*blocks);
    double sum = 0, rows = 0;
    for (const double b : total_) sum += b;
    for (const auto n : groups_.rows) rows += static_cast<double>(n);
    mean_v_ = rows > 0 ? sum / rows : 0.0;
    return {};
  }

  /// Sums over rows by cell, exact over ranks; `visit` adds what it likes.
  template <class Visit>
  Totals sum_by(std::size_t cells, double bound, const Visit& visit) {
    ExactSums sums(cells, bound, frame_.plan.rows);
    for (std::size_t i = 0; i < local_.used.size(); ++i)
      if (local_.used[i]) visit(i, sums);
    return sums.total(communicator_);
  }

  Totals block_sums(const std::vector<double>& values) {
    std::vector<double> mine;
    for (std::int64_t b = local_.first_block; b < local_.last_block; ++b) {
      double sum = 0;
      for (auto i = frame_.plan.first(b) - local_.first_row; i < frame_.plan.first(b + 1) - local_.first_row;
           ++i)
        if (local_.used[static_cast<std::size_t>(i)]) sum += values[static_cast<std::size_t>(i)];
      mine.push_back(sum);
    }
    return communicator_.all_gather<double>(mine);
  }

  Expected<Attribution> of_event(const std::vector<double>& x);
  Expected<Attribution> of_amount(const std::vector<double>& x, const Suspect& suspect);
  Expected<Attribution> of_configuration(const std::vector<double>& x);
  double gain(std::size_t s, std::size_t row, bool of_configuration) const;
  Expected<AmountRows> amount_rows(const std::vector<double>& x, std::int64_t most);
  Expected<void> refit(AmountEffect effect, const std::vector<double>& x, const Suspect& suspect, double rows);

  const Frame& frame_;
  Groups groups_; // own copies: causes are taken away one after the other
  LocalRows local_;
  const std::vector<std::vector<int>>& resamples_;
  std::uint64_t seed_; ///< of the resamples of configurations
  Communicator& communicator_;
  const Job& job_;
  std::vector<double> corrections_; ///< of the share of every resample, by a fit of its own
  std::vector<double> v_, without_, moved_;
  std::vector<double>
      configuration_level_; ///< of_configuration: expected variability, NaN where nothing changes
  struct ConfigurationShare {
    double share = 0;
    Range interval;
  };
  std::optional<ConfigurationShare> of_configurations_; ///< of a column that only configurations differ in
  std::vector<std::vector<double>> x_;
  std::vector<double> total_;
  double mean_v_ = 0;
};

Expected<Attribution> Attributor::of_event(const std::vector<double>& x) {
  const std::size_t g_count = groups_.count;
  std::vector<double> free = local_.duration;
  std::vector<std::int64_t> peers(g_count, 0);
  Attribution result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_free = local_.used[i] && x[i] == 0;
    if (!is_free)
      free[i] = kMissing;
    else
      ++peers[local_.group[i]];
    result.affected += local_.used[i] && !is_free;
  }
  if (auto done = communicator_.sum(peers); !done) return forward(done.error());
  if (auto done = communicator_.sum({&result.affected, 1}); !done) return forward(done.error());
  auto usual = group_medians(free, local_.group, groups_.count, communicator_);
  if (!usual) return forward(usual.error());

  // Spread of the free launches of each configuration, as it would show with all launches of the
  // configuration.
  auto spread = sum_by(g_count, groups_.longest, [&](std::size_t i, ExactSums& sums) {
    if (x[i] == 0) sums.add(local_.group[i], std::fabs(local_.duration[i] - (*usual)[local_.group[i]]));
  });
  if (!spread) return forward(spread.error());
  double relative_top = 0, relative_bottom = 0;
  std::vector<double> expected(g_count, 0.0), correction(g_count, 1.0);
  for (std::size_t g = 0; g < g_count; ++g) {
    if (peers[g] < 2) continue;
    correction[g] = small_sample_share(groups_.rows[g]) / small_sample_share(peers[g]);
    expected[g] = correction[g] * (*spread)[g] / static_cast<double>(peers[g]);
    relative_top += expected[g] * static_cast<double>(peers[g]);
    relative_bottom += (*usual)[g] * static_cast<double>(peers[g]);
  }
  const double relative = relative_bottom > 0 ? relative_top / relative_bottom : 0.0;
  for (std::size_t g = 0; g < g_count; ++g)
    if (peers[g] == 1) expected[g] = relative * (*usual)[g];

  // How far the event explains the variability of the launches that have peers without it.
  enum { kSeen, kExpected, kExtra, kComparable, kCells };
  auto compared = sum_by(kCells, std::max(1.0, groups_.longest), [&](std::size_t i, ExactSums& sums) {
    const auto g = local_.group[i];
    if (x[i] == 0 || peers[g] == 0) return;
    sums.add(kSeen, v_[i]);
    sums.add(kExpected, expected[g]);
    sums.add(kExtra, local_.duration[i] - (*usual)[g]);
    sums.add(kComparable, 1.0);
  });
  if (!compared) return forward(compared.error());
  const auto& c = *compared;
  const double acts = c[kSeen] > 0 ? std::clamp(1.0 - c[kExpected] / c[kSeen], 0.0, 1.0) : 0.0;
  result.mean_extra_ns = c[kComparable] > 0 ? c[kExtra] / c[kComparable] : 0.0;
  result.compared = std::llround(c[kComparable]);

  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!local_.used[i]) continue;
    const auto g = local_.group[i];
    if (x[i] != 0) {
      without_[i] =
          peers[g] > 0 ? expected[g] : v_[i] - acts * std::max(0.0, v_[i] - relative * groups_.median[g]);
      continue;
    }
    // The expected value is an estimate from these rows: each carries its part of the estimate's deviation,
    // so that a resample of blocks shows the right uncertainty while the sum stays the same.
    const double own = correction[g] * std::fabs(local_.duration[i] - (*usual)[g]);
    const auto others = static_cast<double>(groups_.rows[g] - peers[g]);
    without_[i] =
        peers[g] < 2 ? expected[g] : own + others / static_cast<double>(peers[g]) * (own - expected[g]);
  }
  return result;
}

/// At most `most` of the rows at hand, evenly spread over the table, on every rank.
Expected<AmountRows> Attributor::amount_rows(const std::vector<double>& x, std::int64_t most) {
  std::int64_t rows = 0;
  for (const auto n : groups_.rows) rows += n;
  const std::int64_t stride = std::max<std::int64_t>(1, (rows + most - 1) / most);
  AmountRows mine, all;
  for (std::int64_t b = local_.first_block; b < local_.last_block; ++b)
    for (std::int64_t row = frame_.plan.first(b); row < frame_.plan.first(b + 1); ++row) {
      const auto i = static_cast<std::size_t>(row - local_.first_row);
      if (!local_.used[i] || row % stride != 0) continue;
      mine.x.push_back(x[i]), mine.duration.push_back(local_.duration[i]);
      mine.group.push_back(local_.group[i]), mine.block.push_back(static_cast<std::uint32_t>(b));
    }
  auto values = communicator_.all_gather<double>(mine.x);
  if (!values) return forward(values.error());
  auto durations = communicator_.all_gather<double>(mine.duration);
  if (!durations) return forward(durations.error());
  auto groups = communicator_.all_gather<std::uint32_t>(mine.group);
  if (!groups) return forward(groups.error());
  auto blocks = communicator_.all_gather<std::uint32_t>(mine.block);
  if (!blocks) return forward(blocks.error());
  return AmountRows{std::move(*values), std::move(*durations), std::move(*groups), std::move(*blocks)};
}

/// What refits on resamples add to each replicate's share: beside the rows, the fit is uncertain.
Expected<void> Attributor::refit(AmountEffect effect, const std::vector<double>& x, const Suspect& suspect,
                                 double rows) {
  if (resamples_.empty()) return {};
  if (rows > static_cast<double>(kRefitRows)) {
    auto few = amount_rows(x, kRefitRows);
    if (!few) return forward(few.error());
    effect = AmountEffect(std::move(*few), groups_.median);
    effect.fit(suspect.shifts, suspect.spreads, resamples_);
  }
  const double part = std::sqrt(static_cast<double>(effect.rows()) / std::max(rows, 1.0));
  const auto replicate = [&](int r) {
    const auto& weights = resamples_[static_cast<std::size_t>(r)];
    return std::vector{part * (effect.share_refitted(weights) - effect.share_as_fitted(weights))};
  };
  auto all = run_replicates(static_cast<int>(resamples_.size()), 1, replicate, communicator_, job_);
  if (!all) return forward(all.error());
  for (const auto& one : *all) corrections_.push_back(one.front());
  return {};
}

Expected<Attribution> Attributor::of_amount(const std::vector<double>& x, const Suspect& suspect) {
  auto sample = amount_rows(x, kExactRanks);
  if (!sample) return forward(sample.error());
  AmountEffect effect(std::move(*sample), groups_.median);
  effect.fit(suspect.shifts, suspect.spreads, resamples_);
  const AmountFit& fit = effect.fitted();

  moved_.assign(x.size(), kMissing);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i]) moved_[i] = local_.duration[i] * std::exp(-fit.level(x[i]));
  auto usual = group_medians(moved_, local_.group, groups_.count, communicator_);
  if (!usual) return forward(usual.error());
  enum { kRows, kAffected, kExtra, kCells };
  auto extra = sum_by(kCells, groups_.longest + 1.0, [&](std::size_t i, ExactSums& sums) {
    const double away = local_.duration[i] - moved_[i], spread = fit.spread(x[i]);
    const double normal = (*usual)[local_.group[i]];
    without_[i] = fit.correction * std::fabs(moved_[i] - normal) / spread;
    moved_[i] = std::max(normal + (moved_[i] - normal) / std::max(spread, kLeastSpread), kLeastDuration * normal);
    sums.add(kRows, 1.0);
    if (fit.acts_by_spread() ? spread <= kWider : fit.level(x[i]) <= fit.relative_left) return;
    sums.add(kAffected, 1.0), sums.add(kExtra, away);
  });
  if (!extra) return forward(extra.error());
  Attribution result;
  result.spreads = fit.acts_by_spread();
  result.direction = result.spreads                         ? fit.spread_direction
                     : fit.shape == LevelShape::rising  ? 1
                     : fit.shape == LevelShape::falling ? -1
                                                            : 0;
  result.affected = result.compared = std::llround((*extra)[kAffected]);
  result.mean_extra_ns = result.affected > 0 ? (*extra)[kExtra] / (*extra)[kAffected] : 0.0;
  if (auto done = refit(std::move(effect), x, suspect, (*extra)[kRows]); !done) return forward(done.error());
  return result;
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

/// Whether the event or configuration column last looked at acts only with one value of another column.
Expected<std::optional<Attribution::Condition>> Attributor::condition_of(std::size_t s, const Suspect& suspect) {
  enum { kLaunches, kGain, kSquares, kVariability, kKinds };
  const std::size_t columns = frame_.columns.size();
  const Column& own = frame_.columns[static_cast<std::size_t>(suspect.column)];
  const double bound = std::max(groups_.longest, 1.0);
  std::vector<ExactSums> sums; // by kind: low and high value of every column, then all rows with other values
  for (int kind = 0; kind < kKinds; ++kind)
    sums.emplace_back(3 * columns, kind == kLaunches ? 1.0 : kind == kSquares ? 1.0 : bound, frame_.plan.rows);
  auto walked = frame_.walk(job_, "conditions", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const std::size_t i = tile.row[k];
      const double vanishes = gain(s, i, suspect.constant_in_configuration);
      if (std::isnan(vanishes)) continue;
      const double part = std::clamp(vanishes, -bound, bound);
      for (std::size_t c = 0; c < columns; ++c) {
        const Column& column = frame_.columns[c];
        const double value = tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        const std::size_t cell = 3 * c + (value == column.minimum ? 0 : value == column.maximum ? 1 : 2);
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
  std::vector<EffectByColumn> effects;
  const auto at = [&](std::size_t cell) {
    return EffectAtValue{totals[kLaunches][cell], totals[kGain][cell], totals[kSquares][cell] * bound * bound,
                         totals[kVariability][cell]};
  };
  for (std::size_t c = 0; c < columns; ++c) {
    const Column& column = frame_.columns[c];
    const bool same = column.source == own.source || (!own.family.empty() && column.family == own.family);
    if (!same && totals[kLaunches][3 * c + 2] == 0)
      effects.push_back({static_cast<int>(c), at(3 * c), at(3 * c + 1)});
  }
  const auto partner = find_partner(effects);
  if (!partner) return std::optional<Attribution::Condition>();
  const auto c = static_cast<std::size_t>(partner->column);
  const std::size_t cell = 3 * c + (partner->high ? 1 : 0);
  const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
  return std::optional(Attribution::Condition{
      partner->column, partner->high ? frame_.columns[c].maximum : frame_.columns[c].minimum,
      std::llround(totals[kLaunches][cell]), all > 0 ? totals[kVariability][cell] / all : 0.0});
}

} // namespace

Expected<std::vector<Attribution>> attribute(const Frame& frame, const std::vector<Suspect>& suspects,
                                             const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
                                             double least_share, Communicator& communicator, const Job& job) {
  Attributor attributor(frame, resamples, seed, communicator, job);
  if (auto done = attributor.load(suspects); !done) return forward(done.error());
  std::vector<Attribution> results;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    auto result = attributor.share_of_suspect(s, suspects[s]);
    if (!result) return forward(result.error());
    if (auto done = attributor.finish(result->share, result->interval); !done)
      return forward(done.error());
    const Column& column = frame.columns[static_cast<std::size_t>(suspects[s].column)];
    const bool amount = !suspects[s].constant_in_configuration && !column.event && !column.zero_inflated;
    if (!amount && result->share >= least_share && result->interval.low > 0) {
      auto condition = attributor.condition_of(s, suspects[s]);
      if (!condition) return forward(condition.error());
      result->condition = *condition;
    }
    results.push_back(*result);
  }
  const double mean_v = attributor.mean_variability();
  std::vector<std::size_t> order(suspects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t s) {
    return std::tuple{!suspects[s].proxy, !suspects[s].summary, share_step(results[s].share), suspects[s].weight};
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) > key(b); });
  for (const std::size_t s : order) {
    if (job.cancelled()) return Job::cancelled_error();
    Attribution& result = results[s];
    auto rest = attributor.share_of_suspect(s, suspects[s]);
    if (!rest) return forward(rest.error());
    double share_of_rest = 0;
    if (auto done = attributor.finish(share_of_rest, result.rest_interval); !done)
      return forward(done.error());
    result.increment = mean_v > 0 ? share_of_rest * attributor.mean_variability() / mean_v : 0.0;
    const Column& column = frame.columns[static_cast<std::size_t>(suspects[s].column)];
    const bool event = !suspects[s].constant_in_configuration && (column.event || column.zero_inflated);
    const bool plausible = !event || suspects[s].sign * result.mean_extra_ns > 0;
    result.stands_alone = plausible && result.share >= least_share && result.interval.low > 0 &&
                          result.increment >= least_share && result.rest_interval.low > 0;
    if (!result.stands_alone) continue;
    if (auto done = attributor.take_away(s, suspects[s]); !done) return forward(done.error());
  }
  return results;
}

} // namespace jitterscope::causal
