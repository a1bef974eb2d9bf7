#include "core/causal/amounts/event_outcomes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/ordered_double.h"
#include "core/causal/base/bootstrap.h"

namespace jitterscope::causal {
namespace {

/// By row: v if launches without the event took longer by its mean effect on their configuration, ns. If
/// launches with the event also have other causes, their variability is not what the event alone would cause.
Expected<std::vector<double>> variability_with_event(const RemainingLaunches& launches,
                                                     const std::vector<double>& x, const EventPeers& peers) {
  const Groups& groups = launches.groups();
  auto added = launches.sum_by(groups.count, 2 * launches.longest(), [&](std::size_t i, ExactSums& cells) {
    const auto g = launches.group(i);
    if (x[i] != 0 && peers.count[g] > 0) cells.add(g, peers.longer_by(launches, i));
  });
  if (!added) return added;
  std::vector<double> moved = launches.rows().duration;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto g = launches.group(i);
    if (launches.used(i) && x[i] == 0 && groups.rows[g] > peers.count[g])
      moved[i] += (*added)[g] / static_cast<double>(groups.rows[g] - peers.count[g]);
  }
  const auto typical = launches.medians([&](std::size_t i) { return moved[i]; });
  if (!typical) return typical;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (launches.used(i)) moved[i] = std::fabs(moved[i] - (*typical)[launches.group(i)]);
  return moved;
}

/// Launches with an event: their median durations and, of all launches, sums of deviations.
struct EventSpread {
  std::vector<double> typical; ///< by configuration: median duration with the event, ns
  /// By configuration: Σ |d − typical| with the event, ns; Σ (d − typical)² / longest() with and without it.
  std::vector<double> with, with_squares, free_squares;
};

Expected<EventSpread> spread_of_event(const RemainingLaunches& launches, const std::vector<double>& x,
                                      const EventPeers& peers) {
  const double longest = launches.longest();
  auto typical = launches.medians([&](std::size_t i) { return x[i] != 0 ? launches.duration(i) : kMissing; });
  if (!typical) return forward(typical.error());
  enum { kWith, kWithSquares, kFreeSquares, kOfGroup };
  auto sums =
      launches.sum_by(kOfGroup * launches.groups().count, longest, [&](std::size_t i, ExactSums& cells) {
        const auto g = launches.group(i);
        const double away = std::fabs(launches.duration(i) - (x[i] != 0 ? (*typical)[g] : peers.typical[g]));
        if (x[i] != 0) cells.add(kOfGroup * g + kWith, away);
        cells.add(kOfGroup * g + (x[i] != 0 ? kWithSquares : kFreeSquares), away * away / longest);
      });
  if (!sums) return forward(sums.error());
  EventSpread spread{std::move(*typical), {}, {}, {}};
  for (const double* of = sums->data(); spread.with.size() < launches.groups().count; of += kOfGroup) {
    spread.with.push_back(of[kWith]), spread.with_squares.push_back(of[kWithSquares]);
    spread.free_squares.push_back(of[kFreeSquares]);
  }
  return spread;
}

/// Sets the mean value of an event and the fraction of the launches that have it.
Expected<void> set_frequency(const RemainingLaunches& launches, const std::vector<double>& x,
                             EventOutcomes& outcomes) {
  double largest = 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (launches.used(i) && std::isfinite(x[i])) largest = std::max(largest, std::fabs(x[i]));
  std::int64_t key = -ordered_integer(largest);
  if (auto done = launches.input().communicator.minimum({&key, 1}); !done) return forward(done.error());
  enum { kRows, kAffected, kValue, kCells };
  const double bound = std::max(1.0, from_ordered_integer(-key));
  auto all = launches.sum_by(kCells, bound, [&](std::size_t i, ExactSums& cells) {
    cells.add(kRows, 1.0);
    if (x[i] != 0) cells.add(kAffected, 1.0), cells.add(kValue, std::fabs(x[i]));
  });
  if (!all) return forward(all.error());
  if ((*all)[kRows] > 0) outcomes.affected = (*all)[kAffected] / (*all)[kRows];
  if ((*all)[kAffected] > 0) outcomes.value = (*all)[kValue] / (*all)[kAffected];
  return {};
}

/// Sums over the launches of a resample, as recorded and with the event for none and for all.
struct DrawnOutcome {
  double with = 1; ///< Σ v if all launches have the event, relative to the recorded Σ v
  double std_recorded = 0, std_left = 0, std_with = 0; ///< ns
  double adds = 0;                                     ///< ns per launch with the event
};

} // namespace

Expected<EventOutcomes> outcomes_of_event(const RemainingLaunches& launches, const std::vector<double>& x,
                                          const EventPeers& peers) {
  const auto spread = spread_of_event(launches, x, peers);
  if (!spread) return forward(spread.error());
  std::vector<double> moved;
  if (peers.has_classes()) {
    auto with_event = variability_with_event(launches, x, peers);
    if (!with_event) return forward(with_event.error());
    moved = std::move(*with_event);
  }
  const double longest = launches.longest();
  EventOutcomes outcomes;
  outcomes.left = outcomes.with = std::vector<double>(x.size(), 0.0);
  outcomes.square = outcomes.left_square = outcomes.with_square = outcomes.left;
  outcomes.extra = outcomes.counted = outcomes.left;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    const double v = launches.variability(i), duration = launches.duration(i);
    const std::int64_t rows = launches.groups().rows[g], having = rows - peers.count[g];
    const auto free = static_cast<double>(peers.count[g]), with = static_cast<double>(having);
    double &left = outcomes.left[i], &with_all = outcomes.with[i];
    left = with_all = v;
    outcomes.square[i] = outcomes.left_square[i] = outcomes.with_square[i] = v * v;
    if (x[i] == 0) {
      left = std::fabs(duration - peers.typical[g]);
      outcomes.left_square[i] = left * left;
    } else if (free > 0) {
      left = peers.in_class(i, peers.expected[g]);
      // In a narrow class launches have nearly the same variability.
      outcomes.left_square[i] = peers.has_classes() ? left * left : longest * spread->free_squares[g] / free;
      outcomes.extra[i] = peers.longer_by(launches, i), outcomes.counted[i] = 1;
    }
    if (!moved.empty()) {
      with_all = moved[i];
      outcomes.with_square[i] = with_all * with_all;
    } else if (with >= 2) {
      const double correction = small_sample_share(rows) / small_sample_share(having);
      with_all = correction * (x[i] != 0 ? std::fabs(duration - spread->typical[g]) : spread->with[g] / with);
      outcomes.with_square[i] = x[i] != 0
                                    ? with_all * with_all
                                    : correction * correction * longest * spread->with_squares[g] / with;
    }
  }
  if (auto done = set_frequency(launches, x, outcomes); !done) return forward(done.error());
  return outcomes;
}

Expected<std::vector<Setting>> settings_of_event(const RemainingLaunches& launches,
                                                 const EventOutcomes& outcomes, double share,
                                                 const std::vector<double>& shares,
                                                 const Resamples::Weights& weights) {
  enum { kRows, kSquares, kLeft, kLeftSquares, kWith, kWithSquares, kExtra, kCounted, kKinds };
  const std::vector<double> ones(launches.size(), 1.0);
  std::vector<std::vector<double>> blocks;
  for (const auto* of_rows : {&ones, &outcomes.square, &outcomes.left, &outcomes.left_square, &outcomes.with,
                              &outcomes.with_square, &outcomes.extra, &outcomes.counted}) {
    auto sums = launches.block_sums(*of_rows);
    if (!sums) return forward(sums.error());
    blocks.push_back(std::move(*sums));
  }
  const std::vector<double>& total = launches.block_variability();
  const auto drawn = [&](const auto& weight) {
    std::array<double, kKinds> sums{};
    double recorded = 0;
    for (std::size_t b = 0; b < total.size(); ++b) {
      const double w = weight(b);
      recorded += w * total[b];
      for (std::size_t k = 0; k < kKinds; ++k) sums[k] += w * blocks[k][b];
    }
    const double rows = std::max(sums[kRows], 1.0);
    const auto std_of = [&](double sum, double squares) {
      return std::sqrt(std::max(0.0, squares / rows - sum / rows * (sum / rows)));
    };
    return DrawnOutcome{recorded > 0 ? sums[kWith] / recorded : 1.0, std_of(recorded, sums[kSquares]),
                        std_of(sums[kLeft], sums[kLeftSquares]), std_of(sums[kWith], sums[kWithSquares]),
                        sums[kCounted] > 0 ? sums[kExtra] / sums[kCounted] : 0.0};
  };
  const auto interval = [](std::vector<double>& values) {
    return values.empty() ? Range{} : percentile_interval(std::move(values));
  };
  const DrawnOutcome full = drawn([](std::size_t) { return 1.0; });
  const double std = full.std_recorded > 0 ? full.std_recorded : 1.0, affected = outcomes.affected;
  std::vector<double> left, with, std_left, std_with, shorter, longer;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const DrawnOutcome again = drawn([&](std::size_t b) { return static_cast<double>(weights[r][b]); });
    left.push_back(1 - shares[r]), with.push_back(again.with);
    std_left.push_back(again.std_left / std), std_with.push_back(again.std_with / std);
    shorter.push_back(-affected * again.adds), longer.push_back((1 - affected) * again.adds);
  }
  return std::vector<Setting>{{0, 1 - share, interval(left), full.std_left / std, interval(std_left),
                               -affected * full.adds, interval(shorter)},
                              {outcomes.value, full.with, interval(with), full.std_with / std,
                               interval(std_with), (1 - affected) * full.adds, interval(longer)}};
}

} // namespace jitterscope::causal
