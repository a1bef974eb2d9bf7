#include <algorithm>
#include <cmath>
#include <utility>

#include "core/causal/amounts/judgement.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/partner.h"

namespace jitterscope::causal {
namespace {

/// Deviations are limited to this many mean variabilities: a few launches that another cause made long would
/// otherwise hide on which launches an event acts.
constexpr double kFarGain = 30;
/// Minimum launches without an event in a configuration, to compare launches with the event.
constexpr std::int64_t kMinPeers = 10;
/// Variance of a median relative to the variance of a mean, for normal values.
constexpr double kOfMedian = 1.57;

/// Limit of deviations, ns.
double far_of(const RemainingLaunches& launches) {
  return std::clamp(kFarGain * launches.mean_variability(), 1.0, launches.longest());
}

/// Sums over the launches of a kernel, ns.
struct EventOnKernel {
  double with = 0, variability = 0; ///< over all launches with the event
  /// Over launches with the event that have enough peers.
  double compared = 0, typical = 0, longer = 0, squares = 0, gain = 0, gain_squares = 0, error_of_typical = 0;

  EffectOnKernel effect() const {
    if (!(compared > 0)) return {compared, 0, 0, 0, 0, 0};
    const auto variance = [&](double sum, double squared) {
      return std::max(0.0, squared / compared - sum / compared * (sum / compared)) / compared;
    };
    const double of_typical = error_of_typical / compared / compared;
    return {compared,          typical / compared,
            longer / compared, std::sqrt(variance(longer, squares) + of_typical),
            gain / compared,   std::sqrt(variance(gain, gain_squares) + of_typical)};
  }
};

Expected<std::vector<EventOnKernel>> sums_of_kernels(const RemainingLaunches& launches,
                                                     const Judgement& judgement) {
  const Groups& groups = launches.groups();
  const EventPeers& peers = *judgement.peers;
  const std::vector<double>& x = launches.input().x[judgement.suspect];
  enum { kWith, kLonger, kLongerSquares, kGain, kGainSquares, kVariability, kFreeSquares, kKinds };
  const double far = far_of(launches);
  const auto near = [far](double value) { return std::clamp(value, -far, far); };
  auto sums =
      launches.sum_by(kKinds * groups.count, launches.longest(), [&](std::size_t i, ExactSums& cells) {
        const auto g = launches.group(i);
        const std::size_t cell = kKinds * g;
        const double v = launches.variability(i), vanishes = near(v - judgement.without[i]),
                     longer = peers.count[g] > 0 ? near(peers.longer_by(launches, i)) : 0.0;
        if (x[i] == 0) return cells.add(cell + kFreeSquares, longer / far * longer);
        cells.add(cell + kWith, 1.0), cells.add(cell + kVariability, v);
        cells.add(cell + kLonger, longer), cells.add(cell + kLongerSquares, longer / far * longer);
        cells.add(cell + kGain, vanishes), cells.add(cell + kGainSquares, vanishes / far * vanishes);
      });
  if (!sums) return forward(sums.error());
  std::vector<EventOnKernel> kernels(groups.kernels);
  for (std::size_t g = 0; g < groups.count; ++g) {
    const double* of = sums->data() + kKinds * g;
    EventOnKernel& k = kernels[groups.kernel[g]];
    k.with += of[kWith], k.variability += of[kVariability];
    if (peers.count[g] < kMinPeers) continue; // too few for a comparison
    const auto free = static_cast<double>(peers.count[g]);
    k.compared += of[kWith], k.typical += of[kWith] * peers.typical[g];
    k.longer += of[kLonger], k.squares += of[kLongerSquares] * far;
    k.gain += of[kGain], k.gain_squares += of[kGainSquares] * far;
    k.error_of_typical += of[kWith] * of[kWith] * kOfMedian * of[kFreeSquares] * far / free / free;
  }
  return kernels;
}

/// Whether a cause acts on a launch, and how much of its variability would vanish without it, ns; else NaN.
double gain_of(const RemainingLaunches& launches, const Judgement& judgement, std::size_t row) {
  const double v = launches.variability(row);
  if (!judgement.peers) return v - judgement.of_configurations[launches.group(row)];
  return launches.input().x[judgement.suspect][row] != 0 ? v - judgement.without[row] : kMissing;
}

/// 1 for the kernels in which the launches that a suspect acts on have both values of a column. A column that
/// differs only between kernels would merely identify the kernels. Index: column, then kernel.
Expected<std::vector<std::uint8_t>> columns_within_kernels(const RemainingLaunches& launches,
                                                           const Judgement& judgement,
                                                           const std::vector<std::uint8_t>& is_spared) {
  const AttributionInput& input = launches.input();
  const Groups& groups = launches.groups();
  const auto& columns = input.frame.columns;
  std::vector<std::int64_t> seen(2 * columns.size() * groups.kernels, 0);
  auto walked = input.frame.walk(input.job, "conditions", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const auto kernel = groups.kernel[launches.group(tile.row[k])];
      if (is_spared[kernel] || std::isnan(gain_of(launches, judgement, tile.row[k]))) continue;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double value = tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        const std::size_t cell = 2 * (c * groups.kernels + kernel);
        if (value == columns[c].minimum)
          seen[cell] = 1;
        else if (value == columns[c].maximum)
          seen[cell + 1] = 1;
      }
    }
  });
  if (!walked) return forward(walked.error());
  if (auto done = input.communicator.sum(seen); !done) return forward(done.error());
  std::vector<std::uint8_t> both(columns.size() * groups.kernels, 0);
  for (std::size_t cell = 0; cell < both.size(); ++cell)
    both[cell] = seen[2 * cell] > 0 && seen[2 * cell + 1] > 0;
  return both;
}

/// Sums over launches by column: those with its minimum, its maximum, other values. Gains are limited to
/// far_of().
struct ConditionSums {
  // In kernels in which the launches that the cause acts on have both values:
  std::vector<double> launches, gain, squares; ///< launches that it acts on; gains, ns; gains² / far_of()²
  std::vector<double> free, free_gain;         ///< launches without the event; v beyond their expected v, ns
  // In all kernels:
  std::vector<double> acted_on, variability; ///< launches that the cause acts on; their v, ns
};

Expected<ConditionSums> sums_of_conditions(const RemainingLaunches& launches, const Judgement& judgement,
                                           const std::vector<std::uint8_t>& is_spared) {
  const AttributionInput& input = launches.input();
  const Groups& groups = launches.groups();
  const auto& columns = input.frame.columns;
  const auto within = columns_within_kernels(launches, judgement, is_spared);
  if (!within) return forward(within.error());
  const double far = far_of(launches);
  const auto empty = [&](double bound) {
    return ExactSums(3 * columns.size(), bound, input.frame.plan.rows);
  };
  ExactSums with = empty(1), gain = empty(far), squares = empty(1), free = empty(1), free_gain = empty(far),
            acted_on = empty(1), variability = empty(launches.longest());
  auto walked = input.frame.walk(input.job, "conditions", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const std::size_t i = tile.row[k];
      const auto kernel = groups.kernel[launches.group(i)];
      if (is_spared[kernel]) continue;
      const double v = launches.variability(i), vanishes = gain_of(launches, judgement, i);
      const bool acts = !std::isnan(vanishes);
      if (!acts && !judgement.peers) continue;
      const double part =
          std::clamp(acts ? vanishes : v - judgement.peers->expected[launches.group(i)], -far, far);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double value = tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        const std::size_t cell = 3 * c + (value == columns[c].minimum   ? 0
                                          : value == columns[c].maximum ? 1
                                                                        : 2);
        if (acts) acted_on.add(cell, 1.0), variability.add(cell, v);
        if (!(*within)[c * groups.kernels + kernel]) continue;
        (acts ? with : free).add(cell, 1.0), (acts ? gain : free_gain).add(cell, part);
        if (acts) squares.add(cell, (part / far) * (part / far));
      }
    }
  });
  if (!walked) return forward(walked.error());
  ConditionSums totals;
  for (const auto& [sums, total] : {std::pair(&with, &totals.launches),
                                    {&gain, &totals.gain},
                                    {&squares, &totals.squares},
                                    {&free, &totals.free},
                                    {&free_gain, &totals.free_gain},
                                    {&acted_on, &totals.acted_on},
                                    {&variability, &totals.variability}})
    if (auto done = assign(*total, sums->total(input.communicator)); !done) return forward(done.error());
  return totals;
}

} // namespace

Expected<std::optional<Attribution::OnKernels>> kernels_of(const RemainingLaunches& launches,
                                                           const Judgement& judgement) {
  if (launches.groups().kernels < 2) return std::optional<Attribution::OnKernels>();
  const auto sums = sums_of_kernels(launches, judgement);
  if (!sums) return forward(sums.error());
  const std::vector<EventOnKernel>& kernels = *sums;
  const std::vector<OnKernel> on = kernels_acted_on(mapped(kernels, &EventOnKernel::effect));
  if (on.empty()) return std::optional<Attribution::OnKernels>();
  Attribution::OnKernels reported;
  const double all = launches.total_variability();
  double longer = 0, compared = 0;
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    const EventOnKernel& of = kernels[k];
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
  std::ranges::stable_sort(reported.acts, [&](auto a, auto b) { return total_gain(a) > total_gain(b); });
  std::ranges::stable_sort(reported.spares,
                           [&](auto a, auto b) { return kernels[a].with > kernels[b].with; });
  return std::optional(std::move(reported));
}

Expected<std::optional<Attribution::Condition>> condition_of(const RemainingLaunches& launches,
                                                             const Judgement& judgement,
                                                             const std::vector<std::uint32_t>& spared) {
  std::vector<std::uint8_t> is_spared(launches.groups().kernels, 0);
  for (const auto kernel : spared) is_spared[kernel] = 1;
  const auto sums = sums_of_conditions(launches, judgement, is_spared);
  if (!sums) return forward(sums.error());
  const auto& columns = launches.input().frame.columns;
  const Column& own = launches.input().column(judgement.suspect);
  const double far = far_of(launches);
  // Two versions: as measured, and minus the extra variability that launches without the event also have at
  // that value. Only a result that both agree on is reported.
  std::vector<EffectByColumn> effects, beyond_others;
  const auto at = [&](std::size_t cell, bool relative_to_free) {
    const double free =
        relative_to_free && sums->free[cell] > 0 ? sums->free_gain[cell] / sums->free[cell] : 0.0;
    return EffectAtValue{sums->launches[cell], sums->gain[cell] - sums->launches[cell] * free,
                         sums->squares[cell] * far * far};
  };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    const bool same = column.source == own.source || (!own.family.empty() && column.family == own.family);
    if (same || sums->acted_on[3 * c + 2] != 0) continue;
    effects.push_back({static_cast<int>(c), at(3 * c, false), at(3 * c + 1, false)});
    beyond_others.push_back({static_cast<int>(c), at(3 * c, true), at(3 * c + 1, true)});
  }
  const auto partner = find_partner(effects), again = find_partner(beyond_others);
  if (!partner || !again || partner->column != again->column || partner->high != again->high)
    return std::optional<Attribution::Condition>();
  const auto c = static_cast<std::size_t>(partner->column);
  const std::size_t cell = 3 * c + (partner->high ? 1 : 0);
  const double all = launches.total_variability();
  return std::optional(Attribution::Condition{
      partner->column, partner->high ? columns[c].maximum : columns[c].minimum,
      std::llround(sums->acted_on[cell]), all > 0 ? sums->variability[cell] / all : 0.0});
}

} // namespace jitterscope::causal
