#include "core/causal/amounts/attributable.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/causal/amounts/attributor.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {

namespace {

constexpr std::int64_t kFewBlocks = 3; ///< 5 % of the resamples contain none of three blocks (e⁻³)
/// Minimum launches with one event and without another, to decide whether the one acts alone.
constexpr std::int64_t kMinCompared = 5;
constexpr std::size_t kMaxAdjustingEventsOfAmount = 3; ///< events that a numeric factor is adjusted for
constexpr std::size_t kMaxAdjustingEvents = 2;         ///< events that an event is adjusted for

bool is_event(const Column& column, const Suspect& suspect) {
  return !suspect.constant_in_configuration && (column.event || column.zero_inflated);
}

bool is_amount(const Column& column, const Suspect& suspect) {
  return !suspect.constant_in_configuration && !column.event && !column.zero_inflated;
}

std::vector<std::size_t> amounts_last(const Frame& frame, const std::vector<Suspect>& suspects) {
  std::vector<std::size_t> order(suspects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t s) {
    return !is_amount(frame.columns[static_cast<std::size_t>(suspects[s].column)], suspects[s]);
  });
  return order;
}

/// The events with the largest shares that may act in addition to a numeric factor: neither summaries,
/// proxies nor events of a later tier that the factor acts on.
std::vector<std::size_t> strongest_events(const Frame& frame, const std::vector<Suspect>& suspects,
                                          const std::vector<Attribution>& shares, std::size_t amount,
                                          double min_share) {
  const auto column = [&](std::size_t s) -> const Column& {
    return frame.columns[static_cast<std::size_t>(suspects[s].column)];
  };
  const auto acts_on = [&](std::size_t event) {
    const auto& after = suspects[amount].leads_to;
    return std::find(after.begin(), after.end(), suspects[event].column) != after.end();
  };
  std::vector<std::size_t> events;
  for (std::size_t s = 0; s < suspects.size(); ++s)
    if (is_event(column(s), suspects[s]) && !suspects[s].proxy && !suspects[s].summary &&
        shares[s].share >= min_share && (column(s).tier <= column(amount).tier || !acts_on(s)))
      events.push_back(s);
  std::stable_sort(events.begin(), events.end(),
                   [&](auto a, auto b) { return shares[a].share > shares[b].share; });
  events.resize(std::min(events.size(), kMaxAdjustingEventsOfAmount));
  return events;
}

/// The suspects that an event is adjusted for: none of its consequences, and only events known to precede it.
/// Their order must be known, because a launch that one event lengthens overlaps more of the other.
Attributor::OtherSuspects others_than(const Frame& frame, const std::vector<Suspect>& suspects,
                                      const std::vector<Attribution>& shares, std::size_t event,
                                      double min_share) {
  const auto column = [&](std::size_t s) -> const Column& {
    return frame.columns[static_cast<std::size_t>(suspects[s].column)];
  };
  const auto acts_on = [&](std::size_t from, std::size_t to) {
    const auto& after = suspects[from].leads_to;
    return std::find(after.begin(), after.end(), suspects[to].column) != after.end();
  };
  const Column& own = column(event);
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    const Column& other = column(s);
    if (s == event || suspects[s].constant_in_configuration || suspects[s].proxy || suspects[s].summary ||
        shares[s].share < min_share || other.tier > own.tier || other.source == own.source ||
        (!own.family.empty() && other.family == own.family) || acts_on(event, s))
      continue;
    order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return shares[a].share > shares[b].share; });
  Attributor::OtherSuspects others;
  for (const std::size_t s : order) {
    if (is_event(column(s), suspects[s])) {
      if (others.events.size() < kMaxAdjustingEvents && (column(s).tier < own.tier || acts_on(s, event)))
        others.events.push_back(s);
    } else if (!others.amount) {
      others.amount = s;
    }
  }
  return others;
}

Expected<std::vector<Attribution>> judge_alone(Attributor& attributor, const Frame& frame,
                                               const std::vector<Suspect>& suspects, double min_share,
                                               const Job& job) {
  std::vector<Attribution> results(suspects.size());
  for (const std::size_t s : amounts_last(frame, suspects)) {
    if (job.cancelled()) return Job::cancelled_error();
    const Column& column = frame.columns[static_cast<std::size_t>(suspects[s].column)];
    if (is_amount(column, suspects[s]))
      attributor.hold(strongest_events(frame, suspects, results, s, min_share));
    auto result = attributor.share_of_suspect(s, suspects[s]);
    if (!result) return forward(result.error());
    if (auto done = attributor.finish(result->share, result->interval); !done) return forward(done.error());
    result->settings = attributor.settings();
    result->in_one_stretch =
        is_event(column, suspects[s]) && result->share > 0 && attributor.blocks_of_main_part() <= kFewBlocks;
    if (!suspects[s].constant_in_configuration && result->share >= min_share) {
      auto together = attributor.changes_with_durations(s, suspects[s]);
      if (!together) return forward(together.error());
      // That the age of a run changes with the durations was tested where the warm-up was found.
      result->changes_apart = !*together && column.name != kLaunchAge;
      if (begins_at_the_end_of_earlier_work(column.name) && !suspects[s].required) {
        auto earlier = attributor.reflects_earlier_launch(s);
        if (!earlier) return forward(earlier.error());
        result->reflects_earlier = *earlier;
      }
      auto length = attributor.counts_length(s, suspects[s]);
      if (!length) return forward(length.error());
      result->of_length = *length && !suspects[s].required;
    }
    results[s] = std::move(*result);
  }
  return results;
}

/// Other events with at most half as many launches that are not consequences of the event: launches with both
/// may be long because of the other event alone.
std::vector<std::size_t> rarer_events(const Frame& frame, const std::vector<Suspect>& suspects,
                                      const std::vector<Attribution>& shares, std::size_t event,
                                      double min_share) {
  const auto column = [&](std::size_t s) -> const Column& {
    return frame.columns[static_cast<std::size_t>(suspects[s].column)];
  };
  const Column& own = column(event);
  const auto& after = suspects[event].leads_to;
  std::vector<std::size_t> rarer;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    const Column& other = column(s);
    const bool same =
        s == event || other.source == own.source || (!own.family.empty() && other.family == own.family);
    const bool follows =
        other.tier > own.tier || std::find(after.begin(), after.end(), suspects[s].column) != after.end();
    if (!same && !follows && is_event(other, suspects[s]) && !suspects[s].proxy && !suspects[s].summary &&
        shares[s].share >= min_share && 2 * shares[s].affected <= shares[event].affected)
      rarer.push_back(s);
  }
  return rarer;
}

/// True if the effect of an event on launches without another event is at least half of its effect on all
/// launches.
Expected<bool> acts_without(Attributor& attributor, const std::vector<Suspect>& suspects,
                            const std::vector<Attribution>& shares, std::size_t event, std::size_t other) {
  if (auto done = attributor.compare_given({}); !done) return forward(done.error());
  const auto apart = attributor.share_apart_from(event, suspects[event], other);
  if (!apart) return forward(apart.error());
  const auto of_launch = [](const Attribution& a) {
    return a.affected > 0 ? a.share / static_cast<double>(a.affected) : 0.0;
  };
  return apart->compared >= kMinCompared && 2 * of_launch(*apart) >= of_launch(shares[event]);
}

/// Judges an event on launches without one rarer event: the one whose exclusion lowers the share most. The
/// lower share is reported if the rarer event also acts without this one.
Expected<void> judge_apart(Attributor& attributor, const Frame& frame, const std::vector<Suspect>& suspects,
                           const std::vector<Attribution>& alone, std::size_t event,
                           const Attributor::OtherSuspects& given, double min_share, Attribution& result) {
  std::optional<Attribution> minimum;
  std::size_t from = 0;
  for (const std::size_t other : rarer_events(frame, suspects, alone, event, min_share)) {
    auto apart = attributor.share_apart_from(event, suspects[event], other);
    if (!apart) return forward(apart.error());
    if (!minimum || apart->share < minimum->share) minimum = std::move(*apart), from = other;
  }
  if (!minimum) return {};
  result.given_rarer = std::max(0.0, minimum->share);
  if (minimum->share >= result.share) return {};
  const auto acts = acts_without(attributor, suspects, alone, from, event);
  if (!acts) return forward(acts.error());
  if (auto done = attributor.compare_given(given); !done) return done;
  if (!*acts) return {};
  result.share = minimum->share, result.interval = minimum->interval, result.settings = minimum->settings,
  result.apart_from = from;
  result.mean_extra_ns = minimum->mean_extra_ns, result.affected = minimum->affected,
  result.compared = minimum->compared;
  result.spreads = minimum->spreads;
  return {};
}

/// Judges each event again, among launches with the same other causes, and finds where the event acts.
Expected<void> judge_given(Attributor& attributor, const Frame& frame, const std::vector<Suspect>& suspects,
                           std::vector<Attribution>& results, double min_share, const Job& job) {
  const std::vector<Attribution> alone = results;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    const Column& column = frame.columns[static_cast<std::size_t>(suspects[s].column)];
    if (is_amount(column, suspects[s])) continue;
    const bool event = is_event(column, suspects[s]);
    const auto given =
        event ? others_than(frame, suspects, alone, s, min_share) : Attributor::OtherSuspects{};
    if (given.empty() && !(alone[s].share >= min_share && alone[s].interval.low > 0)) continue;
    if (auto done = attributor.compare_given(given); !done) return done;
    auto result = attributor.share_of_suspect(s, suspects[s]);
    if (!result) return forward(result.error());
    if (auto done = attributor.finish(result->share, result->interval); !done) return done;
    result->in_one_stretch = event && result->share > 0 && attributor.blocks_of_main_part() <= kFewBlocks;
    result->changes_apart = alone[s].changes_apart, result->of_length = alone[s].of_length,
    result->reflects_earlier = alone[s].reflects_earlier, result->settings = attributor.settings();
    if (result->share >= min_share && result->interval.low > 0) {
      if (event) {
        auto on_kernels = attributor.kernels_of(s);
        if (!on_kernels) return forward(on_kernels.error());
        result->on_kernels = std::move(*on_kernels);
      }
      auto condition = attributor.condition_of(
          s, suspects[s], result->on_kernels ? result->on_kernels->spares : std::vector<std::uint32_t>{});
      if (!condition) return forward(condition.error());
      result->condition = *condition;
      if (event)
        if (auto done = judge_apart(attributor, frame, suspects, alone, s, given, min_share, *result); !done)
          return done;
    }
    results[s] = std::move(*result);
  }
  return {};
}

/// Judges suspects again after the stronger causes are removed, on launches without any of them. The effect
/// of an event on these launches is scaled to all launches in proportion to those with the event.
Expected<void> judge_on_the_rest(Attributor& attributor, const Frame& frame,
                                 const std::vector<Suspect>& suspects, std::vector<Attribution>& results,
                                 double min_share, const Job& job) {
  attributor.measure_shares_only();
  const double mean_v = attributor.mean_variability();
  std::vector<double> part_with_all;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    const auto part = attributor.part_with(s);
    if (!part) return forward(part.error());
    part_with_all.push_back(*part);
  }
  std::vector<std::size_t> order(suspects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t s) {
    // Among equal shares, factors known before the launch precede factors measured during it.
    const bool before =
        frame.columns[static_cast<std::size_t>(suspects[s].column)].tier < static_cast<int>(Tier::counters);
    return std::tuple{!suspects[s].proxy, !suspects[s].summary,
                      share_step(std::min(results[s].share, results[s].given_rarer)), before,
                      suspects[s].weight};
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) > key(b); });
  for (const std::size_t s : order) {
    if (job.cancelled()) return Job::cancelled_error();
    Attribution& result = results[s];
    const Column& column = frame.columns[static_cast<std::size_t>(suspects[s].column)];
    if (is_amount(column, suspects[s]))
      attributor.hold(strongest_events(frame, suspects, results, s, min_share));
    double given_rarer = 1.0;
    if (is_event(column, suspects[s])) {
      if (auto done = attributor.compare_given(others_than(frame, suspects, results, s, min_share)); !done)
        return done;
      if (result.share >= min_share && result.given_rarer >= min_share && result.interval.low > 0)
        for (const std::size_t other : rarer_events(frame, suspects, results, s, min_share)) {
          const auto apart = attributor.share_apart_from(s, suspects[s], other);
          if (!apart) return forward(apart.error());
          given_rarer = std::clamp(apart->share, 0.0, given_rarer);
        }
    }
    double share_of_rest = 0;
    if (result.apart_from) {
      const auto rest = attributor.share_apart_from(s, suspects[s], *result.apart_from);
      if (!rest) return forward(rest.error());
      share_of_rest = rest->share, result.rest_interval = rest->interval;
    } else {
      const auto rest = attributor.share_of_suspect(s, suspects[s]);
      if (!rest) return forward(rest.error());
      const auto share = attributor.share();
      if (!share) return forward(share.error());
      share_of_rest = *share;
    }
    double of_all = mean_v > 0 ? attributor.mean_variability() / mean_v : 0.0;
    if (is_event(column, suspects[s])) {
      const auto part = attributor.part_with(s);
      if (!part) return forward(part.error());
      if (*part > 0) of_all *= std::min(1.0, part_with_all[s] / *part);
    }
    result.increment = std::min({share_of_rest * of_all, given_rarer * of_all, result.given_rarer});
    const bool event = is_event(column, suspects[s]);
    const bool widens = suspects[s].spreads && result.spreads &&
                        suspects[s].sign > 0; // the sign of the mean difference is chance
    const bool plausible = !event || widens || suspects[s].sign * result.mean_extra_ns > 0;
    result.is_separate = plausible && !result.changes_apart && !result.of_length &&
                         !result.reflects_earlier && result.share >= min_share && result.interval.low > 0 &&
                         result.increment >= min_share;
    if (!result.is_separate) continue;
    if (!result.apart_from)
      if (auto done = attributor.finish(share_of_rest, result.rest_interval); !done) return done;
    result.is_separate = result.rest_interval.low > 0;
    if (!result.is_separate) continue;
    if (auto done = attributor.remove_cause(s, suspects[s], result.apart_from); !done) return done;
  }
  return {};
}

} // namespace

Expected<Attributions> attribute(const Frame& frame, const std::vector<Suspect>& suspects,
                                 const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
                                 double min_share, Communicator& communicator, const Job& job) {
  Attributor attributor(frame, resamples, seed, communicator, job);
  if (auto done = attributor.load(suspects); !done) return forward(done.error());
  const double mean = attributor.mean_variability();
  const auto std = attributor.std_variability();
  if (!std) return forward(std.error());
  auto all = attributor.left_by_kernel();
  if (!all) return forward(all.error());
  auto results = judge_alone(attributor, frame, suspects, min_share, job);
  if (!results) return forward(results.error());
  if (auto done = judge_given(attributor, frame, suspects, *results, min_share, job); !done)
    return forward(done.error());
  if (auto done = judge_on_the_rest(attributor, frame, suspects, *results, min_share, job); !done)
    return forward(done.error());
  auto left = attributor.left_by_kernel();
  if (!left) return forward(left.error());
  return Attributions{std::move(*results), std::move(*left), std::move(*all), mean, *std};
}

} // namespace jitterscope::causal
