#include <algorithm>
#include <array>
#include <cmath>

#include "core/causal/amounts/judgement.h"

namespace jitterscope::causal {
namespace {

/// An event acts by spread if its mean extra duration is below this fraction of the variability.
constexpr double kMostlySpread = 0.5;

/// An event, judged; `carried`, by row, ns: uncertainty of estimates that are based on other launches. It
/// sums to 0, so that it widens the interval of the share without changing the share.
struct JudgedEvent {
  Judgement judgement;
  std::vector<double> carried;

  Expected<void> set_share(const RemainingLaunches& launches) {
    std::vector<double> left = judgement.without;
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += carried[i];
    return causal::set_share(launches, left, judgement);
  }
};

/// Sums over launches that have an event and peers without it.
struct ComparedLaunches {
  double seen = 0, expected = 0; ///< Σ v as recorded; without the event, ns
  double extra = 0;              ///< Σ of the extra duration, ns
  double count = 0;
};

Expected<ComparedLaunches> compare_with_peers(const RemainingLaunches& launches, const std::vector<double>& x,
                                              const EventPeers& peers) {
  enum { kSeen, kExpected, kExtra, kComparable, kCells };
  const auto sums = launches.sum_by(kCells, 2 * launches.longest(), [&](std::size_t i, ExactSums& cells) {
    const auto g = launches.group(i);
    if (x[i] == 0 || peers.count[g] == 0) return;
    cells.add(kSeen, launches.variability(i)), cells.add(kExpected, peers.in_class(i, peers.expected[g]));
    cells.add(kExtra, peers.longer_by(launches, i)), cells.add(kComparable, 1.0);
  });
  if (!sums) return forward(sums.error());
  return ComparedLaunches{(*sums)[kSeen], (*sums)[kExpected], (*sums)[kExtra], (*sums)[kComparable]};
}

/// Sets v without the event. `acts`: part of the compared variability that the event explains.
Expected<void> estimate_without(const RemainingLaunches& launches, const ComparedLaunches& compared,
                                double acts, JudgedEvent& event) {
  const std::vector<double>& x = launches.input().x[event.judgement.suspect];
  const EventPeers& peers = *event.judgement.peers;
  const Groups& groups = launches.groups();
  // The estimate for launches without peers depends on the effect of the event on the others: each of these
  // carries its part of the estimate's deviation, as below.
  const auto beyond = [&](std::size_t i) {
    const double expected = peers.relative * groups.median[launches.group(i)];
    return std::max(0.0, launches.variability(i) - peers.in_class(i, expected));
  };
  const auto borrowing = launches.sum_by(1, launches.longest(), [&](std::size_t i, ExactSums& sums) {
    if (x[i] != 0 && peers.count[launches.group(i)] == 0) sums.add(0, beyond(i));
  });
  if (!borrowing) return forward(borrowing.error());
  const double carried =
      compared.seen > compared.expected && compared.expected > 0 ? borrowing->front() / compared.seen : 0.0;
  std::vector<double>& without = event.judgement.without;
  without.assign(x.size(), 0.0), event.carried.assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    const double v = launches.variability(i), expected = peers.in_class(i, peers.expected[g]);
    if (x[i] != 0) {
      without[i] = peers.count[g] > 0 ? expected : v - acts * beyond(i);
      if (carried > 0 && peers.count[g] > 0) event.carried[i] = -carried * (v * (1 - acts) - expected);
      continue;
    }
    // The expected value is an estimate from these rows. Each row carries its part of the estimate's
    // deviation, so that a resample of blocks shows the right uncertainty while the sum stays the same.
    const double own = peers.correction[g] * std::fabs(launches.duration(i) - peers.typical[g]);
    const double represented = peers.has_classes() ? peers.weight[peers.classes.fine[i]]
                                                   : static_cast<double>(groups.rows[g] - peers.count[g]) /
                                                         static_cast<double>(peers.count[g]);
    without[i] = peers.count[g] < 2 ? peers.expected[g] : own + represented * (own - expected);
  }
  return {};
}

/// As judge_event(), without the share.
Expected<JudgedEvent> estimate_event(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                                     bool settings) {
  const std::vector<double>& x = launches.input().x[s];
  auto peers = find_peers(launches, x, std::move(classes));
  if (!peers) return forward(peers.error());
  const auto compared = compare_with_peers(launches, x, *peers);
  if (!compared) return forward(compared.error());
  JudgedEvent event;
  event.judgement.suspect = s;
  Attribution& result = event.judgement.attribution;
  for (std::size_t g = 0; g < launches.groups().count; ++g)
    result.affected += launches.groups().rows[g] - peers->count[g];
  const auto& [seen, expected, extra, count] = *compared;
  result.mean_extra_ns = count > 0 ? extra / count : 0.0;
  result.compared = std::llround(count);
  result.spreads = seen > 0 && std::fabs(extra) < kMostlySpread * seen;
  if (settings) {
    auto outcomes = outcomes_of_event(launches, x, *peers);
    if (!outcomes) return forward(outcomes.error());
    event.judgement.outcomes = std::move(*outcomes);
  }
  event.judgement.peers = std::move(*peers);
  const double acts = seen > 0 ? std::clamp(1.0 - expected / seen, 0.0, 1.0) : 0.0;
  if (auto done = estimate_without(launches, *compared, acts, event); !done) return forward(done.error());
  return event;
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
    cells.add(cell + kWith, 1.0);
    cells.add(cell + kGain, apart.variability(i) - judgement.without[i]);
    cells.add(cell + kTypical, apart.groups().median[apart.group(i)]);
  });
  if (!sums) return forward(sums.error());
  double all_gain = 0, all_typical = 0;
  for (std::size_t g = 0; g < count; ++g)
    all_gain += (*sums)[kCells * g + kGain], all_typical += (*sums)[kCells * g + kTypical];
  EffectApart effect;
  for (std::size_t g = 0; g < count; ++g) {
    const double* of = sums->data() + kCells * g;
    effect.launches.push_back(of[kWith]);
    effect.gain.push_back(of[kWith] > 0     ? of[kGain] / of[kWith]
                          : all_typical > 0 ? all_gain / all_typical * all.groups().median[g]
                                            : 0.0);
  }
  return effect;
}

/// The launches that have both events.
struct LaunchesWithBoth {
  std::vector<std::uint8_t> other; ///< by row: remains and has the other event
  std::vector<std::int64_t> count; ///< launches with both events by configuration
};

Expected<LaunchesWithBoth> launches_with_both(const RemainingLaunches& launches, const std::vector<double>& x,
                                              const std::vector<double>& other) {
  LaunchesWithBoth both{std::vector<std::uint8_t>(x.size(), 0),
                        std::vector<std::int64_t>(launches.groups().count, 0)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    both.other[i] = launches.used(i) && other[i] != 0;
    if (both.other[i] && x[i] != 0) ++both.count[launches.group(i)];
  }
  if (auto done = launches.input().communicator.sum(both.count); !done) return forward(done.error());
  return both;
}

} // namespace

Expected<Judgement> judge_event(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                                bool settings) {
  auto event = estimate_event(launches, s, std::move(classes), settings);
  if (!event) return forward(event.error());
  if (auto done = event->set_share(launches); !done) return forward(done.error());
  return std::move(event->judgement);
}

Expected<Judgement> judge_event_apart(const RemainingLaunches& launches, std::size_t s, std::size_t other,
                                      const LaunchClasses& classes, bool settings) {
  const std::vector<double>& x = launches.input().x[s];
  const auto apart = launches.without(launches.input().x[other]);
  if (!apart) return forward(apart.error());
  auto event = estimate_event(*apart, s, classes, settings);
  if (!event) return forward(event.error());
  const auto effect = effect_apart(launches, *apart, event->judgement);
  if (!effect) return forward(effect.error());
  const auto both = launches_with_both(launches, x, launches.input().x[other]);
  if (!both) return forward(both.error());
  Judgement& judgement = event->judgement;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!launches.used(i)) continue;
    const auto g = launches.group(i);
    const double typical_gain = effect->gain[g];
    if (!both->other[i]) { // carries the uncertainty of the estimate for launches with both events
      if (x[i] != 0)
        event->carried[i] -= static_cast<double>(both->count[g]) / effect->launches[g] *
                             (apart->variability(i) - judgement.without[i] - typical_gain);
      continue;
    }
    const double v = launches.variability(i), without = v - (x[i] != 0 ? typical_gain : 0.0);
    judgement.without[i] = without, event->carried[i] = 0;
    if (!judgement.outcomes) continue;
    EventOutcomes& outcomes = *judgement.outcomes;
    outcomes.left[i] = outcomes.with[i] = without; // with the event for all, it is in the typical duration
    outcomes.square[i] = v * v;
    outcomes.left_square[i] = outcomes.with_square[i] = without * without;
  }
  judgement.peers.reset(), judgement.attribution.affected = 0;
  for (std::size_t g = 0; g < both->count.size(); ++g)
    judgement.attribution.affected += both->count[g] + std::llround(effect->launches[g]);
  if (auto done = event->set_share(launches); !done) return forward(done.error());
  return std::move(judgement);
}

} // namespace jitterscope::causal
