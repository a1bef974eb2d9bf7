#include "core/causal/attributable.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/exact_sums.h"
#include "core/base/ordered_double.h"
#include "core/causal/amount_classes.h"
#include "core/causal/bootstrap.h"
#include "core/causal/group_medians.h"

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

/// Values of the suspects' columns for the rows of this rank, and what is shared by all calculations.
class Attributor {
public:
  Attributor(const Frame& frame, Communicator& communicator, const Job& job)
      : frame_(frame), groups_(frame.groups), local_(frame.local), communicator_(communicator), job_(job) {}

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
    if (suspect.constant_in_configuration) return of_configuration(x_[s]);
    if (column.event || column.zero_inflated) return of_event(x_[s]);
    return of_amount(x_[s], suspect);
  }

  /// 1 − Σ w v' / Σ w v for the full sample and every resample of blocks.
  Expected<void> finish(double& full_share, Range& interval, const std::vector<std::vector<int>>& resamples) {
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
    for (const auto& weights : resamples)
      shares.push_back(share([&](std::size_t b) { return static_cast<double>(weights[b]); }));
    if (!shares.empty()) interval = percentile_interval(std::move(shares));
    return {};
  }

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
      if (!local_.used[i] || configuration_level_[g] < 0 || (*before)[g] <= 0) continue;
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
  Expected<std::vector<double>> class_edges(const std::vector<double>& x);

  const Frame& frame_;
  Groups groups_; // own copies: causes are taken away one after the other
  LocalRows local_;
  Communicator& communicator_;
  const Job& job_;
  std::vector<double> v_, without_, moved_;
  std::vector<double>
      configuration_level_; ///< of_configuration: expected variability, −1 where nothing changes
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

/// Upper edges of at most 20 classes of about equal size, at least 50 rows each.
Expected<std::vector<double>> Attributor::class_edges(const std::vector<double>& x) {
  std::vector<double> mine;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i] && frame_.in_sample(i)) mine.push_back(x[i]);
  auto sample = communicator_.all_gather<double>(mine);
  if (!sample) return forward(sample.error());
  std::sort(sample->begin(), sample->end());
  const std::size_t classes = std::clamp<std::size_t>(static_cast<std::size_t>(frame_.rows_used / 50), 2, 20);
  std::vector<double> edges;
  for (std::size_t k = 1; k < classes; ++k) {
    const double edge = (*sample)[k * sample->size() / classes];
    if (edge > sample->front() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges; // class of x: number of edges ≤ x
}

Expected<Attribution> Attributor::of_amount(const std::vector<double>& x, const Suspect& suspect) {
  auto edges = class_edges(x);
  if (!edges) return forward(edges.error());
  const std::size_t classes = edges->size() + 1;
  std::vector<std::size_t> class_of(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    class_of[i] =
        static_cast<std::size_t>(std::upper_bound(edges->begin(), edges->end(), x[i]) - edges->begin());
  const auto cell = [&](std::size_t i) { return local_.group[i] * classes + class_of[i]; };
  const auto y = [&](std::size_t i) {
    return std::log(local_.duration[i] / groups_.median[local_.group[i]]);
  };
  constexpr double most = 64; // |ln| of a ratio of durations
  const std::size_t cells = groups_.count * classes;
  auto counts = sum_by(cells, 1.0, [&](std::size_t i, ExactSums& sums) { sums.add(cell(i), 1.0); });
  if (!counts) return forward(counts.error());
  auto totals = sum_by(cells, most, [&](std::size_t i, ExactSums& sums) { sums.add(cell(i), y(i)); });
  if (!totals) return forward(totals.error());

  std::vector<double> weight(classes, 0.0);
  for (std::size_t at = 0; at < cells; ++at) weight[at % classes] += (*counts)[at];
  std::vector<double> effect(classes, 0.0), scale(classes, 1.0), mean(groups_.count, 0.0);
  std::size_t best = 0;
  const auto take = [&](std::vector<double> effects) {
    effect = std::move(effects);
    for (std::size_t k = best = 0; k < classes; ++k)
      if (weight[k] > 0 && (effect[k] < effect[best] || weight[best] == 0)) best = k;
    for (std::size_t g = 0; g < groups_.count; ++g) {
      double left = 0;
      for (std::size_t k = 0; k < classes; ++k)
        left += (*totals)[g * classes + k] - (*counts)[g * classes + k] * effect[k];
      if (groups_.rows[g] > 0) mean[g] = left / static_cast<double>(groups_.rows[g]);
    }
  };
  // Σ v when every launch is moved to the best class and scaled; `without_` has it by launch.
  const auto move = [&]() -> Expected<double> {
    moved_.assign(x.size(), kMissing);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!local_.used[i]) continue;
      const auto g = local_.group[i];
      const std::size_t k = class_of[i];
      moved_[i] =
          groups_.median[g] * std::exp((y(i) - effect[k] - mean[g]) * scale[k] + mean[g] + effect[best]);
    }
    auto usual = group_medians(moved_, local_.group, groups_.count, communicator_);
    if (!usual) return forward(usual.error());
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!local_.used[i]) continue;
      without_[i] = std::fabs(moved_[i] - (*usual)[local_.group[i]]);
      largest = std::max(largest, without_[i]);
    }
    std::int64_t bound[1] = {-ordered_integer(largest)};
    if (auto done = communicator_.minimum(bound); !done) return forward(done.error());
    auto sum = sum_by(1, from_ordered_integer(-bound[0]),
                      [&](std::size_t i, ExactSums& sums) { sums.add(0, without_[i]); });
    if (!sum) return forward(sum.error());
    return sum->front();
  };
  const double all = mean_v_ * std::accumulate(weight.begin(), weight.end(), 0.0);
  double left_by_shift = all;
  take(std::vector<double>(classes, 0.0));
  if (suspect.shifts) {
    take(class_effects(*counts, *totals, classes));
    auto left = move();
    if (!left) return forward(left.error());
    left_by_shift = std::min(*left, all);
    if (*left >= all) take(std::vector<double>(classes, 0.0)); // the level is not what makes them differ
  }
  Attribution result;
  double spread_slope = 0;
  if (suspect.spreads) {
    auto spread = sum_by(classes, most, [&](std::size_t i, ExactSums& sums) {
      sums.add(class_of[i], std::fabs(y(i) - effect[class_of[i]] - mean[local_.group[i]]));
    });
    if (!spread) return forward(spread.error());
    spread_slope = shrink_to_steady_end(*spread, weight, scale);
  }
  auto left = move();
  if (!left) return forward(left.error());
  result.spreads = suspect.spreads && 2 * (all - left_by_shift) < all - *left;
  result.direction = result.spreads ? (spread_slope > 0 ? 1 : -1) : trend_of(effect, weight);

  const double furthest = *std::max_element(effect.begin(), effect.end()) - effect[best];
  enum { kAffected, kExtra, kCells };
  auto extra = sum_by(kCells, groups_.longest + 1.0, [&](std::size_t i, ExactSums& sums) {
    const std::size_t k = class_of[i];
    const double away = effect[k] - effect[best];
    if (result.spreads ? scale[k] >= 0.75 : away <= 0.5 * furthest) return;
    sums.add(kAffected, 1.0), sums.add(kExtra, local_.duration[i] * -std::expm1(-away));
  });
  if (!extra) return forward(extra.error());
  result.affected = result.compared = std::llround((*extra)[kAffected]);
  result.mean_extra_ns = result.affected > 0 ? (*extra)[kExtra] / (*extra)[kAffected] : 0.0;
  return result;
}

Expected<Attribution> Attributor::of_configuration(const std::vector<double>& x) {
  // The column's value of every configuration, and each configuration's Σ v.
  std::vector<std::int64_t> keys(groups_.count, ordered_integer(std::numeric_limits<double>::infinity()));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i]) keys[local_.group[i]] = std::min(keys[local_.group[i]], ordered_integer(x[i]));
  if (auto done = communicator_.minimum(keys); !done) return forward(done.error());
  auto spread = sum_by(groups_.count, groups_.longest,
                       [&](std::size_t i, ExactSums& sums) { sums.add(local_.group[i], v_[i]); });
  if (!spread) return forward(spread.error());

  // Per kernel: the steadier end of the column, wide enough to hold a tenth of the kernel's rows.
  std::vector<std::vector<std::uint32_t>> of_kernel(groups_.kernels);
  for (std::uint32_t g = 0; g < groups_.count; ++g)
    if (groups_.rows[g] > 0) of_kernel[groups_.kernel[g]].push_back(g);
  std::vector<double> expected(groups_.count, kMissing), rate(groups_.count, 0.0);
  std::vector<std::uint8_t> reference(groups_.count, 0);
  double top_gain = 0; // Σ v that larger values add, less what smaller ones add
  for (auto& members : of_kernel) {
    const auto value = [&](std::uint32_t g) { return from_ordered_integer(keys[g]); };
    std::sort(members.begin(), members.end(),
              [&](auto a, auto b) { return value(a) != value(b) ? value(a) < value(b) : a < b; });
    if (members.empty() || value(members.front()) == value(members.back())) continue;
    double rows = 0;
    for (const auto g : members) rows += static_cast<double>(groups_.rows[g]);
    const auto end = [&](bool from_top) { // launches, Σ v and Σ usual duration of that end
      std::array<double, 3> sum{};
      double last = kMissing;
      for (std::size_t k = 0; k < members.size(); ++k) {
        const auto g = from_top ? members[members.size() - 1 - k] : members[k];
        if (sum[0] >= std::max(10.0, 0.1 * rows) && value(g) != last) break;
        last = value(g);
        const auto n = static_cast<double>(groups_.rows[g]);
        sum[0] += n, sum[1] += (*spread)[g], sum[2] += n * groups_.median[g];
      }
      return std::pair{sum, last};
    };
    const auto [low, low_last] = end(false);
    const auto [high, high_last] = end(true);
    const bool from_top = high[1] * low[2] < low[1] * high[2];
    const auto& steady = from_top ? high : low;
    const double border = from_top ? high_last : low_last;
    if (steady[0] <= 0 || steady[2] <= 0) continue;
    const double relative = steady[1] / steady[2], absolute = steady[1] / steady[0];
    double others = 0, gain = 0;
    for (const auto g : members) {
      reference[g] = from_top ? value(g) >= border : value(g) <= border;
      if (reference[g]) continue;
      const auto n = static_cast<double>(groups_.rows[g]);
      expected[g] = std::max(relative * groups_.median[g], absolute);
      others += n * expected[g], gain += (*spread)[g] - n * expected[g];
    }
    for (const auto g : members) {
      if (reference[g]) expected[g] = (*spread)[g] / static_cast<double>(groups_.rows[g]);
      if (gain <= 0) expected[g] = kMissing;
      rate[g] = others / steady[1];
    }
    if (gain > 0) top_gain += from_top ? -gain : gain;
  }

  configuration_level_.assign(groups_.count, -1);
  for (std::uint32_t g = 0; g < groups_.count; ++g)
    if (!std::isnan(expected[g]) && !reference[g]) configuration_level_[g] = expected[g];
  Attribution result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!local_.used[i]) continue;
    const auto g = local_.group[i];
    if (std::isnan(expected[g])) continue;
    // A launch of the steady end carries its part of the estimate's deviation (see of_event).
    if (reference[g])
      without_[i] = v_[i] + (rate[g] > 0 ? rate[g] * (v_[i] - expected[g]) : 0.0);
    else
      without_[i] = expected[g], ++result.affected;
  }
  result.direction = top_gain > 0 ? 1 : top_gain < 0 ? -1 : 0;
  if (auto done = communicator_.sum({&result.affected, 1}); !done) return forward(done.error());
  return result;
}

} // namespace

Expected<std::vector<Attribution>> attribute(const Frame& frame, const std::vector<Suspect>& suspects,
                                             const std::vector<std::vector<int>>& resamples,
                                             double least_share, Communicator& communicator, const Job& job) {
  Attributor attributor(frame, communicator, job);
  if (auto done = attributor.load(suspects); !done) return forward(done.error());
  std::vector<Attribution> results;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    auto result = attributor.share_of_suspect(s, suspects[s]);
    if (!result) return forward(result.error());
    if (auto done = attributor.finish(result->share, result->interval, resamples); !done)
      return forward(done.error());
    results.push_back(*result);
  }
  const double mean_v = attributor.mean_variability();
  std::vector<std::size_t> order(suspects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t s) { return std::pair{share_step(results[s].share), suspects[s].weight}; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) > key(b); });
  for (const std::size_t s : order) {
    if (job.cancelled()) return Job::cancelled_error();
    Attribution& result = results[s];
    auto rest = attributor.share_of_suspect(s, suspects[s]);
    if (!rest) return forward(rest.error());
    double share_of_rest = 0;
    if (auto done = attributor.finish(share_of_rest, result.rest_interval, resamples); !done)
      return forward(done.error());
    result.increment = mean_v > 0 ? share_of_rest * attributor.mean_variability() / mean_v : 0.0;
    const Column& column = frame.columns[static_cast<std::size_t>(suspects[s].column)];
    const bool event = !suspects[s].constant_in_configuration && (column.event || column.zero_inflated);
    const bool plausible = !event || suspects[s].sign * result.mean_extra_ns > 0;
    result.stands_alone = plausible && result.share >= least_share && result.interval.low > 0 &&
                          result.increment >= least_share && result.rest_interval.low > 0;
    if (!result.stands_alone || suspects[s].proxy) continue;
    if (auto done = attributor.take_away(s, suspects[s]); !done) return forward(done.error());
  }
  return results;
}

} // namespace jitterscope::causal
