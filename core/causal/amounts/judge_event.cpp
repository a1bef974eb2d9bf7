#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/ordered_double.h"
#include "core/causal/amounts/judgement.h"
#include "core/causal/base/bootstrap.h"

namespace jitterscope::causal {
namespace {

/// An event acts by spread if its mean extra duration is below this fraction of the variability.
constexpr double kMostlySpread = 0.5;

/// Sets v and v² with the event for all launches: launches without the event take longer by its mean effect
/// on their configuration. If launches with the event also have other causes, their variability is not what
/// the event alone would cause.
Expected<void> set_with_by_effect(const RemainingLaunches& launches, const std::vector<double>& x,
                                  const EventPeers& peers, EventOutcomes& outcomes) {
  const Groups& groups = launches.groups();
  auto added = launches.sum_by(groups.count, 2 * launches.longest(), [&](std::size_t i, ExactSums& cells) {
    const auto g = launches.group(i);
    if (x[i] != 0 && peers.count[g] > 0) cells.add(g, peers.longer_by(launches, i));
  });
  if (!added) return forward(added.error());
  std::vector<double> moved = launches.rows().duration;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto g = launches.group(i);
    if (launches.used(i) && x[i] == 0 && groups.rows[g] > peers.count[g])
      moved[i] += (*added)[g] / static_cast<double>(groups.rows[g] - peers.count[g]);
  }
  const auto typical = launches.medians([&](std::size_t i) { return moved[i]; });
  if (!typical) return forward(typical.error());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    outcomes.with[i] = std::fabs(moved[i] - (*typical)[launches.group(i)]);
    outcomes.with_square[i] = outcomes.with[i] * outcomes.with[i];
  }
  return {};
}

/// Sets v and v² with the event for all launches, from launches with the event, and v² without the event of
/// launches that have it, from launches without it.
Expected<void> set_with_by_spread(const RemainingLaunches& launches, const std::vector<double>& x,
                                  const EventPeers& peers, EventOutcomes& outcomes) {
  const double longest = launches.longest();
  const auto typical =
      launches.medians([&](std::size_t i) { return x[i] != 0 ? launches.duration(i) : kMissing; });
  if (!typical) return forward(typical.error());
  const auto away = [&](std::size_t i) {
    return std::fabs(launches.duration(i) - (x[i] != 0 ? *typical : peers.typical)[launches.group(i)]);
  };
  enum { kWith, kWithSquares, kFreeSquares, kOfGroup };
  auto sums = launches.sum_by(kOfGroup * typical->size(), longest, [&](std::size_t i, ExactSums& cells) {
    const std::size_t cell = kOfGroup * launches.group(i);
    if (x[i] != 0) cells.add(cell + kWith, away(i));
    cells.add(cell + (x[i] != 0 ? kWithSquares : kFreeSquares), away(i) * away(i) / longest);
  });
  if (!sums) return forward(sums.error());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    const double* of = sums->data() + kOfGroup * g;
    const std::int64_t rows = launches.groups().rows[g], having = rows - peers.count[g];
    const auto free = static_cast<double>(peers.count[g]), with = static_cast<double>(having);
    if (x[i] != 0 && free > 0) outcomes.left_square[i] = longest * of[kFreeSquares] / free;
    if (having < 2) continue;
    const double correction = small_sample_share(rows) / small_sample_share(having);
    outcomes.with[i] = correction * (x[i] != 0 ? away(i) : of[kWith] / with);
    outcomes.with_square[i] = x[i] != 0 ? outcomes.with[i] * outcomes.with[i]
                                        : correction * correction * longest * of[kWithSquares] / with;
  }
  return {};
}

/// Sets the mean value of an event and the fraction of the launches that have it.
Expected<void> set_frequency(const RemainingLaunches& launches, const std::vector<double>& x,
                             EventOutcomes& outcomes) {
  double largest = 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (launches.used(i) && std::isfinite(x[i])) largest = std::max(largest, std::fabs(x[i]));
  std::int64_t key = -ordered_integer(largest);
  if (auto done = launches.input().communicator.minimum({&key, 1}); !done) return done;
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

Expected<EventOutcomes> outcomes_of_event(const RemainingLaunches& launches, const std::vector<double>& x,
                                          const EventPeers& peers) {
  EventOutcomes outcomes;
  for (auto* of_rows : {&outcomes.square, &outcomes.left, &outcomes.left_square, &outcomes.with,
                        &outcomes.with_square, &outcomes.extra, &outcomes.counted})
    of_rows->assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    double& left = outcomes.left[i] = outcomes.with[i] = launches.variability(i);
    outcomes.square[i] = outcomes.with_square[i] = left * left;
    if (x[i] == 0) {
      left = std::fabs(launches.duration(i) - peers.typical[g]);
    } else if (peers.count[g] > 0) {
      left = peers.in_class(i, peers.expected[g]);
      outcomes.extra[i] = peers.longer_by(launches, i), outcomes.counted[i] = 1;
    }
    outcomes.left_square[i] = left * left; // in a narrow class launches have nearly the same variability
  }
  const auto set_with = peers.classes.exist ? set_with_by_effect : set_with_by_spread;
  if (auto done = set_with(launches, x, peers, outcomes); !done) return forward(done.error());
  if (auto done = set_frequency(launches, x, outcomes); !done) return forward(done.error());
  return outcomes;
}

/// Sums over the launches that have the event and peers, ns.
struct Comparable {
  double seen = 0, expected = 0; ///< Σ v, as recorded and without the event
  double extra = 0, typical = 0; ///< Σ of what the event adds, Σ of the median durations without it
  /// Whether the event dominates: launches with it take at least twice as long.
  bool dominates() const { return extra >= typical; }
};

/// Sets v without the event, and what is carried.
Expected<void> estimate_without(const RemainingLaunches& launches, const Comparable& comparable,
                                Judgement& judgement) {
  const double seen = comparable.seen, expected = comparable.expected;
  const std::vector<double>& x = launches.input().x[judgement.suspect];
  const EventPeers& peers = *judgement.peers;
  const Groups& groups = launches.groups();
  // Configurations in which every launch has a weaker event may vary for any reason: nothing is attributed.
  const double acts = seen > 0 && comparable.dominates() ? std::clamp(1.0 - expected / seen, 0.0, 1.0) : 0.0;
  // The estimate for launches without peers depends on the effect of the event on the others: each of these
  // carries its part of the estimate's deviation, as below.
  const auto beyond = [&](std::size_t i) {
    const double of_group = peers.relative * groups.median[launches.group(i)];
    return std::max(0.0, launches.variability(i) - peers.in_class(i, of_group));
  };
  const auto borrowing = launches.sum_by(1, launches.longest(), [&](std::size_t i, ExactSums& sums) {
    if (x[i] != 0 && peers.count[launches.group(i)] == 0) sums.add(0, beyond(i));
  });
  if (!borrowing) return forward(borrowing.error());
  const double borrowed = acts > 0 && expected > 0 ? borrowing->front() / seen : 0.0;
  std::vector<double>&without = judgement.without, &carried = judgement.carried;
  without.assign(x.size(), 0.0), carried.assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    const auto free = static_cast<double>(peers.count[g]);
    const double v = launches.variability(i), alike = peers.in_class(i, peers.expected[g]);
    if (x[i] != 0) {
      without[i] = free > 0 ? alike : v - acts * beyond(i);
      if (borrowed > 0 && free > 0) carried[i] = -borrowed * (v * (1 - acts) - alike);
      continue;
    }
    // The expected value is an estimate from these rows. Each row carries its part of the estimate's
    // deviation, so that a resample of blocks shows the right uncertainty while the sum stays the same.
    const double own = peers.correction[g] * std::fabs(launches.duration(i) - peers.typical[g]);
    const double represented = peers.classes.exist
                                   ? peers.weight[peers.classes.fine[i]]
                                   : static_cast<double>(groups.rows[g] - peers.count[g]) / free;
    without[i] = free < 2 ? peers.expected[g] : own + represented * (own - alike);
  }
  return {};
}

/// Same as judge_event(), but without the share.
Expected<Judgement> estimate_event(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                                   bool settings) {
  const std::vector<double>& x = launches.input().x[s];
  auto found = find_peers(launches, x, std::move(classes));
  if (!found) return forward(found.error());
  Judgement judgement;
  judgement.suspect = s, judgement.peers = std::move(*found);
  const EventPeers& peers = *judgement.peers;
  enum { kSeen, kExpected, kExtra, kTypical, kComparable, kCells };
  const auto sums = launches.sum_by(kCells, 2 * launches.longest(), [&](std::size_t i, ExactSums& cells) {
    const auto g = launches.group(i);
    if (x[i] == 0 || peers.count[g] == 0) return;
    cells.add(kSeen, launches.variability(i)), cells.add(kExpected, peers.in_class(i, peers.expected[g]));
    cells.add(kExtra, peers.longer_by(launches, i)), cells.add(kTypical, peers.typical[g]);
    cells.add(kComparable, 1.0);
  });
  if (!sums) return forward(sums.error());
  const double seen = (*sums)[kSeen], extra = (*sums)[kExtra], comparable = (*sums)[kComparable];
  Attribution& result = judgement.attribution;
  for (std::size_t g = 0; g < peers.count.size(); ++g)
    result.affected += launches.groups().rows[g] - peers.count[g];
  result.mean_extra_ns = comparable > 0 ? extra / comparable : 0.0;
  result.compared = std::llround(comparable);
  result.spreads = seen > 0 && std::fabs(extra) < kMostlySpread * seen;
  if (settings) {
    auto done = assign(judgement.outcomes, outcomes_of_event(launches, x, peers));
    if (!done) return forward(done.error());
  }
  auto done = estimate_without(launches, {seen, (*sums)[kExpected], extra, (*sums)[kTypical]}, judgement);
  if (!done) return forward(done.error());
  return judgement;
}

/// Mean effect of an event on launches without another event, by configuration.
struct EffectApart {
  std::vector<double> launches; ///< launches with the event, without the other
  std::vector<double> gain;     ///< mean variability that vanishes without the event, ns
};

/// Configurations in which every launch with the event has the other event, too, have the mean effect
/// relative to the typical duration. `apart`: the launches without the other event.
Expected<EffectApart> effect_apart(const RemainingLaunches& all, const RemainingLaunches& apart,
                                   const Judgement& judgement) {
  enum { kWith, kGain, kTypical, kCells };
  const std::vector<double>& x = all.input().x[judgement.suspect];
  const std::size_t count = all.groups().count;
  const auto sums = apart.sum_by(kCells * count, apart.longest(), [&](std::size_t i, ExactSums& cells) {
    if (x[i] == 0) return;
    const std::size_t cell = kCells * apart.group(i);
    cells.add(cell + kWith, 1.0), cells.add(cell + kGain, apart.variability(i) - judgement.without[i]),
        cells.add(cell + kTypical, apart.groups().median[apart.group(i)]);
  });
  if (!sums) return forward(sums.error());
  double gain = 0, typical = 0;
  for (std::size_t g = 0; g < count; ++g)
    gain += (*sums)[kCells * g + kGain], typical += (*sums)[kCells * g + kTypical];
  EffectApart effect;
  for (std::size_t g = 0; g < count; ++g) {
    const double* of = sums->data() + kCells * g;
    effect.launches.push_back(of[kWith]);
    effect.gain.push_back(of[kWith] > 0 ? of[kGain] / of[kWith]
                          : typical > 0 ? gain / typical * all.groups().median[g]
                                        : 0.0);
  }
  return effect;
}

} // namespace

Expected<Judgement> judge_event(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                                bool settings) {
  auto judgement = estimate_event(launches, s, std::move(classes), settings);
  if (!judgement) return judgement;
  if (auto done = set_share(launches, *judgement); !done) return forward(done.error());
  return judgement;
}

Expected<Judgement> judge_event_apart(const RemainingLaunches& launches, std::size_t s, std::size_t other,
                                      const LaunchClasses& classes, bool settings) {
  const std::vector<double>&x = launches.input().x[s], &x_other = launches.input().x[other];
  const auto apart = launches.without(x_other);
  if (!apart) return forward(apart.error());
  auto judgement = estimate_event(*apart, s, classes, settings);
  if (!judgement) return judgement;
  const auto effect = effect_apart(launches, *apart, *judgement);
  if (!effect) return forward(effect.error());
  std::vector<std::int64_t> both(launches.groups().count, 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (launches.used(i) && x_other[i] != 0 && x[i] != 0) ++both[launches.group(i)];
  if (auto done = launches.input().communicator.sum(both); !done) return forward(done.error());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    const double gain = x[i] != 0 ? effect->gain[g] : 0.0, v = launches.variability(i);
    double &without = judgement->without[i], &carried = judgement->carried[i];
    if (x_other[i] == 0) { // carries the uncertainty of the estimate for launches with both
      if (x[i] != 0)
        carried -=
            static_cast<double>(both[g]) / effect->launches[g] * (apart->variability(i) - without - gain);
      continue;
    }
    without = v - gain, carried = 0;
    if (!settings) continue;
    EventOutcomes& outcomes = *judgement->outcomes;
    outcomes.left[i] = outcomes.with[i] = without; // with the event for all, the median includes it
    outcomes.square[i] = v * v;
    outcomes.left_square[i] = outcomes.with_square[i] = without * without;
  }
  judgement->peers.reset(), judgement->attribution.affected = 0;
  for (std::size_t g = 0; g < both.size(); ++g)
    judgement->attribution.affected += both[g] + std::llround(effect->launches[g]);
  if (auto done = set_share(launches, *judgement); !done) return forward(done.error());
  return judgement;
}

Expected<std::vector<Setting>> settings_of_event(const RemainingLaunches& launches,
                                                 const Judgement& judgement,
                                                 const std::vector<double>& shares,
                                                 const Resamples::Weights& weights) {
  enum { kRows, kSquares, kLeft, kLeftSquares, kWith, kWithSquares, kExtra, kCounted, kKinds };
  const EventOutcomes& outcomes = *judgement.outcomes;
  const std::vector<double> ones(launches.size(), 1.0);
  std::vector<std::vector<double>> blocks;
  for (const auto* of_rows : {&ones, &outcomes.square, &outcomes.left, &outcomes.left_square, &outcomes.with,
                              &outcomes.with_square, &outcomes.extra, &outcomes.counted}) {
    auto done = assign(blocks.emplace_back(), launches.block_sums(*of_rows));
    if (!done) return forward(done.error());
  }
  struct Drawn {
    double with = 1; ///< Σ v if all launches have the event, relative to the recorded Σ v
    double std_recorded = 0, std_left = 0, std_with = 0; ///< standard deviations of v, ns
    double adds = 0;                                     ///< ns per launch with the event
  };
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
    return Drawn{recorded > 0 ? sums[kWith] / recorded : 1.0, std_of(recorded, sums[kSquares]),
                 std_of(sums[kLeft], sums[kLeftSquares]), std_of(sums[kWith], sums[kWithSquares]),
                 sums[kCounted] > 0 ? sums[kExtra] / sums[kCounted] : 0.0};
  };
  const Drawn full = drawn([](std::size_t) { return 1.0; });
  const double std = full.std_recorded > 0 ? full.std_recorded : 1.0, affected = outcomes.affected;
  std::vector<double> left, with, std_left, std_with, shorter, longer;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const Drawn again = drawn([&](std::size_t b) { return static_cast<double>(weights[r][b]); });
    left.push_back(1 - shares[r]), with.push_back(again.with);
    std_left.push_back(again.std_left / std), std_with.push_back(again.std_with / std);
    shorter.push_back(-affected * again.adds), longer.push_back((1 - affected) * again.adds);
  }
  return std::vector<Setting>{
      {0, 1 - judgement.attribution.share, percentile_interval(left), full.std_left / std,
       percentile_interval(std_left), -affected * full.adds, percentile_interval(shorter)},
      {outcomes.value, full.with, percentile_interval(with), full.std_with / std,
       percentile_interval(std_with), (1 - affected) * full.adds, percentile_interval(longer)}};
}

} // namespace jitterscope::causal
