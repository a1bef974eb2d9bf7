#include "core/causal/amounts/attributable.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "core/causal/amounts/judgement.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {

namespace {

/// Minimum launches with one event and without another, to decide whether the one acts alone.
constexpr std::int64_t kMinCompared = 5;
constexpr std::size_t kMaxAdjustingEventsOfAmount = 3; ///< events that a numeric factor is adjusted for
constexpr std::size_t kMaxAdjustingEvents = 2;         ///< events that an event is adjusted for

using Attributed = std::vector<Attribution>; ///< one result for each suspect

/// By suspect, then row of this rank: values of the columns; NaN for rows that are not used.
Expected<std::vector<std::vector<double>>> values_of(const Frame& frame, const std::vector<Suspect>& suspects,
                                                     const Job& job) {
  std::vector<std::vector<double>> x(suspects.size(), std::vector<double>(frame.local.used.size(), kMissing));
  auto walked = frame.walk(job, "attributable shares", [&](std::int64_t, const Tile& tile) {
    for (std::size_t s = 0; s < suspects.size(); ++s)
      for (std::size_t k = 0; k < tile.row.size(); ++k)
        x[s][tile.row[k]] = tile.raw(static_cast<Eigen::Index>(k), suspects[s].column);
  });
  if (!walked) return forward(walked.error());
  return x;
}

bool is_same_or_related(const AttributionInput& input, std::size_t a, std::size_t b) {
  const Column &first = input.column(a), &second = input.column(b);
  return a == b || first.source == second.source || (!first.family.empty() && first.family == second.family);
}

/// Whether a suspect has a sufficient share and is neither a proxy nor a summary of others.
bool is_candidate(const AttributionInput& input, const Attributed& results, std::size_t s) {
  return !input.suspects[s].proxy && !input.suspects[s].summary && results[s].share >= input.min_share;
}

bool is_significant(const AttributionInput& input, const Attribution& result) {
  return result.share >= input.min_share && result.interval.low > 0;
}

void sort_by_share(std::vector<std::size_t>& suspects, const Attributed& results) {
  std::ranges::stable_sort(suspects, std::greater(), [&](auto s) { return results[s].share; });
}

/// The events with the largest shares that may act in addition to a numeric factor: neither summaries,
/// proxies nor events of a later tier that the factor acts on. Ascending.
std::vector<std::size_t> strongest_events(const AttributionInput& input, const Attributed& results,
                                          std::size_t amount) {
  std::vector<std::size_t> events;
  for (std::size_t s = 0; s < results.size(); ++s)
    if (input.is_event(s) && is_candidate(input, results, s) &&
        (input.column(s).tier <= input.column(amount).tier || !input.acts_on(amount, s)))
      events.push_back(s);
  sort_by_share(events, results);
  events.resize(std::min(events.size(), kMaxAdjustingEventsOfAmount));
  std::ranges::sort(events);
  return events;
}

/// The suspects that an event is adjusted for: none of its consequences, and only events known to precede it.
/// Their order must be known, because a launch that one event lengthens overlaps more of the other.
OtherSuspects others_than(const AttributionInput& input, const Attributed& results, std::size_t event) {
  const int own_tier = input.column(event).tier;
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < results.size(); ++s)
    if (input.kind(s) != SuspectKind::configuration && is_candidate(input, results, s) &&
        input.column(s).tier <= own_tier && !is_same_or_related(input, event, s) && !input.acts_on(event, s))
      order.push_back(s);
  sort_by_share(order, results);
  OtherSuspects others;
  for (const std::size_t s : order) {
    if (!input.is_event(s)) {
      if (!others.amount) others.amount = s;
    } else if (others.events.size() < kMaxAdjustingEvents &&
               (input.column(s).tier < own_tier || input.acts_on(s, event))) {
      others.events.push_back(s);
    }
  }
  return others;
}

/// Other events with at most half as many launches that are not consequences of the event: launches with both
/// may be long because of the other event alone.
std::vector<std::size_t> rarer_events(const AttributionInput& input, const Attributed& results,
                                      std::size_t event) {
  std::vector<std::size_t> rarer;
  for (std::size_t s = 0; s < results.size(); ++s)
    if (input.is_event(s) && is_candidate(input, results, s) && !is_same_or_related(input, event, s) &&
        input.column(s).tier <= input.column(event).tier && !input.acts_on(event, s) &&
        2 * results[s].affected <= results[event].affected)
      rarer.push_back(s);
  return rarer;
}

/// The classes of launches with the same other causes as an event; one class for other suspects.
Expected<LaunchClasses> classes_for(const RemainingLaunches& launches, const Attributed& results,
                                    std::size_t s) {
  const AttributionInput& input = launches.input();
  return classes_of(launches, input.is_event(s) ? others_than(input, results, s) : OtherSuspects{});
}

/// `classes`: classes of launches, for an event. `results` decide which events a numeric factor is adjusted
/// for.
Expected<Judgement> judge(const RemainingLaunches& launches, std::size_t s, LaunchClasses classes,
                          const Attributed& results, bool settings) {
  const SuspectKind kind = launches.input().kind(s);
  return kind == SuspectKind::configuration ? judge_configuration(launches, s)
         : kind == SuspectKind::event
             ? judge_event(launches, s, std::move(classes), settings)
             : judge_amount(launches, s, strongest_events(launches.input(), results, s));
}

/// Results of each suspect on its own, and what was found for the numeric factors.
struct JudgedAlone {
  Attributed results;
  std::map<std::size_t, Judgement> amounts; ///< by suspect; without row vectors and state for refits
};

/// Adds the interval and the tests of a judgement to the results.
Expected<void> keep(const RemainingLaunches& launches, Judgement judgement, JudgedAlone& alone) {
  const AttributionInput& input = launches.input();
  const std::size_t s = judgement.suspect;
  auto result = with_interval(launches, judgement);
  if (!result) return forward(result.error());
  if (input.kind(s) != SuspectKind::configuration && result->share >= input.min_share)
    result = with_tests(launches, s, std::move(*result), judgement.amount ? &judgement.amount->fit : nullptr);
  if (!result) return forward(result.error());
  if (judgement.amount) {
    judgement.attribution = *result, judgement.without = {}, judgement.amount->effect.reset();
    alone.amounts.insert_or_assign(s, std::move(judgement));
  }
  alone.results[s] = std::move(*result);
  return {};
}

/// Judges every suspect; numeric factors last, as they are adjusted for events, and together where they are
/// correlated.
Expected<JudgedAlone> judge_alone(const RemainingLaunches& launches) {
  const AttributionInput& input = launches.input();
  auto order = numbers_below(input.suspects.size());
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t s) { return input.kind(s) != SuspectKind::amount; });
  JudgedAlone alone{Attributed(order.size()), {}};
  for (const std::size_t s : order) {
    if (input.job.cancelled()) return Job::cancelled_error();
    auto judgement = judge(launches, s, {}, alone.results, true);
    if (!judgement) return forward(judgement.error());
    if (auto done = keep(launches, std::move(*judgement), alone); !done) return forward(done.error());
  }
  auto amounts = alone.amounts;
  const auto again = judge_together(launches, amounts);
  if (!again) return forward(again.error());
  for (const std::size_t s : *again)
    if (auto done = keep(launches, std::move(amounts.at(s)), alone); !done) return forward(done.error());
  return alone;
}

/// True if the effect of an event on launches without another event is at least half of its effect on all
/// launches.
Expected<bool> acts_without(const RemainingLaunches& launches, const Attributed& alone, std::size_t event,
                            std::size_t other) {
  const auto judgement = judge_event_apart(launches, event, other, {}, false);
  if (!judgement) return forward(judgement.error());
  const auto of_launch = [](const Attribution& a) {
    return a.affected > 0 ? a.share / static_cast<double>(a.affected) : 0.0;
  };
  const Attribution& apart = judgement->attribution;
  return apart.compared >= kMinCompared && 2 * of_launch(apart) >= of_launch(alone[event]);
}

/// Judges an event on launches without one rarer event: the one whose exclusion lowers the share most. The
/// lower share is reported if the rarer event also acts without this one.
Expected<void> judge_apart(const RemainingLaunches& launches, const Attributed& alone, std::size_t event,
                           const LaunchClasses& classes, Attribution& result) {
  std::optional<Attribution> minimum;
  std::size_t from = 0;
  for (const std::size_t other : rarer_events(launches.input(), alone, event)) {
    const auto apart = judge_event_apart(launches, event, other, classes, true);
    if (!apart) return forward(apart.error());
    if (minimum && !(apart->attribution.share < minimum->share)) continue;
    auto lower = with_interval(launches, *apart);
    if (!lower) return forward(lower.error());
    minimum = std::move(*lower), from = other;
  }
  if (!minimum) return {};
  result.given_rarer = std::max(0.0, minimum->share);
  if (minimum->share >= result.share) return {};
  const auto acts = acts_without(launches, alone, from, event);
  if (!acts) return forward(acts.error());
  if (!*acts) return {};
  result.share = minimum->share, result.interval = minimum->interval, result.settings = minimum->settings,
  result.apart_from = from;
  result.mean_extra_ns = minimum->mean_extra_ns, result.affected = minimum->affected,
  result.compared = minimum->compared;
  result.spreads = minimum->spreads;
  return {};
}

/// Judges an event or configuration column, and on which launches it acts.
Expected<Attribution> judge_where_it_acts(const RemainingLaunches& launches, std::size_t s,
                                          const LaunchClasses& classes) {
  auto judgement = judge(launches, s, classes, {}, true);
  if (!judgement) return forward(judgement.error());
  auto result = with_interval(launches, *judgement);
  if (!result || !is_significant(launches.input(), *result)) return result;
  if (launches.input().is_event(s)) {
    auto done = assign(result->on_kernels, kernels_of(launches, *judgement));
    if (!done) return forward(done.error());
  }
  const auto spared = result->on_kernels ? result->on_kernels->spares : std::vector<std::uint32_t>{};
  auto done = assign(result->condition, condition_of(launches, *judgement, spared));
  if (!done) return forward(done.error());
  return result;
}

/// Judges each event again, among launches with the same other causes, and finds where the event acts.
Expected<Attributed> judge_given(const RemainingLaunches& launches, const Attributed& alone) {
  const AttributionInput& input = launches.input();
  Attributed results = alone;
  for (std::size_t s = 0; s < alone.size(); ++s) {
    if (input.job.cancelled()) return Job::cancelled_error();
    if (input.kind(s) == SuspectKind::amount) continue;
    const bool event = input.is_event(s);
    const auto classes = classes_for(launches, alone, s);
    if (!classes) return forward(classes.error());
    if (!classes->exist && !is_significant(input, alone[s])) continue;
    auto result = judge_where_it_acts(launches, s, *classes);
    if (!result) return forward(result.error());
    result->changes_apart = alone[s].changes_apart, result->of_length = alone[s].of_length,
    result->reflects_earlier = alone[s].reflects_earlier;
    if (event && is_significant(input, *result))
      if (auto done = judge_apart(launches, alone, s, *classes, *result); !done) return forward(done.error());
    results[s] = std::move(*result);
  }
  return results;
}

/// Order in which suspects are judged on the rest.
std::vector<std::size_t> order_of_removal(const AttributionInput& input, const Attributed& results) {
  auto order = numbers_below(results.size());
  const auto key = [&](std::size_t s) {
    // Among equal shares, factors known before the launch precede factors measured during it.
    const bool before = input.column(s).tier < static_cast<int>(Tier::counters);
    const Suspect& suspect = input.suspects[s];
    return std::tuple{!suspect.proxy, !suspect.summary,
                      share_step(std::min(results[s].share, results[s].given_rarer)), before, suspect.weight};
  };
  std::ranges::stable_sort(order, [&](auto a, auto b) { return key(a) > key(b); });
  return order;
}

/// Smallest share of an event on launches without a rarer event; 1 if it is not significant or none is rarer.
Expected<double> share_given_rarer(const RemainingLaunches& launches, const Attributed& results,
                                   std::size_t s, const LaunchClasses& classes) {
  const AttributionInput& input = launches.input();
  double share = 1.0;
  if (!is_significant(input, results[s]) || results[s].given_rarer < input.min_share) return share;
  for (const std::size_t other : rarer_events(input, results, s)) {
    const auto apart = judge_event_apart(launches, s, other, classes, false);
    if (!apart) return forward(apart.error());
    share = std::clamp(apart->attribution.share, 0.0, share);
  }
  return share;
}

/// Whether a suspect is a cause in addition to the stronger ones, by all but its interval on the rest.
bool may_be_separate(const AttributionInput& input, std::size_t s, const Attribution& result) {
  const Suspect& suspect = input.suspects[s];
  // An event that only widens the spread has a mean effect of random sign, so its sign is not compared.
  const bool widens = suspect.spreads && result.spreads && suspect.sign > 0;
  const bool plausible = !input.is_event(s) || widens || suspect.sign * result.mean_extra_ns > 0;
  return plausible && !result.changes_apart && !result.of_length && !result.reflects_earlier &&
         is_significant(input, result) && result.increment >= input.min_share;
}

/// Judges suspects again after the stronger causes are removed, on launches without any of them. The effect
/// of an event on these launches is scaled to all launches in proportion to those with the event.
Expected<void> judge_on_the_rest(RemainingLaunches& launches, std::map<std::size_t, Judgement> amounts,
                                 Attributed& results) {
  const AttributionInput& input = launches.input();
  const double mean_v = launches.mean_variability();
  std::vector<double> part_with_all;
  for (const auto& x : input.x) {
    const auto part = launches.part_with(x);
    if (!part) return forward(part.error());
    part_with_all.push_back(*part);
  }
  for (const std::size_t s : order_of_removal(input, results)) {
    if (input.job.cancelled()) return Job::cancelled_error();
    Attribution& result = results[s];
    auto classes = classes_for(launches, results, s);
    if (!classes) return forward(classes.error());
    double of_all = mean_v > 0 ? launches.mean_variability() / mean_v : 0.0, given_rarer = 1.0;
    if (input.is_event(s)) {
      const auto part = launches.part_with(input.x[s]);
      if (!part) return forward(part.error());
      if (*part > 0) of_all *= std::min(1.0, part_with_all[s] / *part);
      auto done = assign(given_rarer, share_given_rarer(launches, results, s, *classes));
      if (!done) return done;
    }
    // Until a cause is removed, a numeric factor that is adjusted for the same events has the same share.
    const auto known = amounts.find(s);
    const bool is_known =
        known != amounts.end() && known->second.amount->events == strongest_events(input, results, s);
    auto rest = is_known            ? std::move(known->second)
                : result.apart_from ? judge_event_apart(launches, s, *result.apart_from, *classes, false)
                                    : judge(launches, s, std::move(*classes), results, false);
    if (!rest) return forward(rest.error());
    const double share = rest->attribution.share;
    result.increment = std::min({share * of_all, given_rarer * of_all, result.given_rarer});
    result.is_separate = may_be_separate(input, s, result);
    if (!result.is_separate && !result.apart_from) continue;
    if (!is_known) {
      auto done = assign(rest->attribution, with_interval(launches, *rest));
      if (!done) return done;
    }
    result.rest_interval = rest->attribution.interval;
    result.is_separate = result.is_separate && result.rest_interval.low > 0;
    if (!result.is_separate) continue;
    if (auto done = remove_cause(launches, *rest, result.apart_from); !done) return done;
    amounts.clear();
  }
  return {};
}

} // namespace

int share_step(double share) {
  return static_cast<int>(std::floor(share * 20));
}

double small_sample_share(std::int64_t n) {
  if (n < 2) return 0;
  const auto even =
      static_cast<double>(n - n % 2); // with an odd number of launches, the median is one of them
  return std::sqrt(1.0 - (1.57 - 1.14 / even) / even);
}

Expected<Attributions> attribute(const Frame& frame, const std::vector<Suspect>& suspects,
                                 const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
                                 double min_share, Communicator& communicator, const Job& job) {
  auto x = values_of(frame, suspects, job);
  if (!x) return forward(x.error());
  Resamples drawn{resamples, seed, {}};
  const AttributionInput input{frame, suspects, drawn, min_share, communicator, job, std::move(*x)};
  auto launches = RemainingLaunches::recorded(input);
  if (!launches) return forward(launches.error());
  Attributions found;
  JudgedAlone alone;
  found.variability_mean = launches->mean_variability();
  auto done = assign(found.variability_std, launches->std_variability());
  if (done) done = assign(found.all, launches->left_by_kernel());
  if (done) done = assign(alone, judge_alone(*launches));
  if (done) done = assign(found.suspects, judge_given(*launches, alone.results));
  if (done) done = judge_on_the_rest(*launches, std::move(alone.amounts), found.suspects);
  if (done) done = assign(found.left, launches->left_by_kernel());
  if (!done) return forward(done.error());
  return found;
}

} // namespace jitterscope::causal
