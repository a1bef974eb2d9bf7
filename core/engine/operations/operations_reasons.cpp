#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "core/causal/base/tiers.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/operations/advice_answer.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/trace_tool.h"
#include "core/reasons/contrast.h"
#include "core/reasons/excess_along.h"
#include "core/reasons/launch_excess.h"
#include "core/reasons/peer_differences.h"

namespace jitterscope::engine {
namespace {

constexpr double kNormal95 = 1.96;

std::string to_string(analysis::Difference::Kind kind) {
  switch (kind) {
  case analysis::Difference::Kind::may_explain:
    return "associated";
  case analysis::Difference::Kind::only_here:
    return "only-here";
  case analysis::Difference::Kind::differs:
    break;
  }
  return "differs";
}

double percent_of(double part_ns, double whole_ns) {
  return whole_ns > 0 ? 100 * part_ns / whole_ns : std::nan("");
}

double percent_of_excess(const analysis::Contrast& contrast, double ns) {
  return contrast.clear() ? contrast.percent(ns) : std::nan("");
}

answers::ContributionAnswer packed(const analysis::Contrast& contrast, const analysis::Reason& reason,
                                   const Context& context) {
  double low = percent_of_excess(contrast, reason.low_ns), high = percent_of_excess(contrast, reason.high_ns);
  if (low > high) std::swap(low, high);
  answers::ContributionAnswer answer{.feature = reason.feature,
                                     .label = row_words(context, reason.label),
                                     .unit = reason.unit,
                                     .excess_ns = reason.excess_ns,
                                     .excess_low_ns = reason.low_ns,
                                     .excess_high_ns = reason.high_ns,
                                     .excess_percent = percent_of_excess(contrast, reason.excess_ns),
                                     .ci_low = low,
                                     .ci_high = high,
                                     .here = reason.here,
                                     .elsewhere = reason.elsewhere,
                                     .here_text = reason.here_text,
                                     .elsewhere_text = reason.elsewhere_text,
                                     .launches = reason.launches};
  if (reason.example >= 0) answer.example_row = reason.example;
  return answer;
}

answers::DifferenceAnswer packed(const analysis::Difference& d, const Context& context) {
  return {.feature = d.feature,
          .label = row_words(context, d.label),
          .unit = d.unit,
          .kind = to_string(d.kind),
          .here = d.here,
          .elsewhere = d.elsewhere,
          .here_text = d.here_text,
          .elsewhere_text = d.elsewhere_text,
          .chance = d.chance};
}

answers::ContrastAnswer packed(const analysis::Contrast& contrast, const Context& context) {
  answers::ContrastAnswer answer;
  answer.question = "against";
  answer.n = contrast.launches, answer.left_out = contrast.left_out;
  answer.different_work_ns = contrast.work.ns;
  answer.unexplained_ns = contrast.rest_ns;
  answer.unexplained_percent = percent_of_excess(contrast, contrast.rest_ns);
  answer.peers = std::make_unique<answers::PeersAnswer>(answers::PeersAnswer{
      .count = contrast.peers,
      .rule = row_words(context, "launches of the same configuration and call site outside the selection, at "
                                 "least 10")});
  answer.excess = std::make_unique<answers::ExcessAnswer>(
      answers::ExcessAnswer{.launches = contrast.launches,
                            .sum_ns = contrast.excess_ns,
                            .ci_low_ns = contrast.excess_low_ns,
                            .ci_high_ns = contrast.excess_high_ns,
                            .expected_ns = contrast.expected_ns,
                            .mean_percent = percent_of(contrast.excess_ns, contrast.expected_ns)});
  for (const auto& reason : contrast.reasons)
    answer.contributions.push_back(packed(contrast, reason, context));
  for (const auto& d : contrast.differences) answer.differences.push_back(packed(d, context));
  for (const auto& sentence : analysis::sentences_of(contrast))
    answer.sentences.push_back(row_words(context, sentence));
  return answer;
}

/// The leading reason of a moment; null if nothing recorded explains it.
std::unique_ptr<answers::LeadingReasonAnswer> reason_of(const analysis::Contrast& contrast,
                                                        const Context& context) {
  answers::LeadingReasonAnswer answer;
  if (contrast.of_work()) {
    const auto& work = contrast.work;
    const double percent = 100 * work.ns / work.difference_ns,
                 error = std::fabs(100 * kNormal95 * work.error_ns / work.difference_ns);
    answer = {.feature = std::string(analysis::kCallSite),
              .label = "different work",
              .unit = "ns",
              .excess_ns = work.ns,
              .excess_percent = std::nan(""),
              .percent = percent,
              .ci_low = percent - error,
              .ci_high = percent + error,
              .here = work.here_ns,
              .elsewhere = work.elsewhere_ns};
  } else if (const auto* reason = contrast.leading()) {
    auto part = packed(contrast, *reason, context);
    answer = {.feature = std::move(part.feature),
              .label = row_words(context, analysis::label_of(*reason)),
              .unit = std::move(part.unit),
              .excess_ns = part.excess_ns,
              .excess_percent = part.excess_percent,
              .percent = part.excess_percent,
              .ci_low = part.ci_low,
              .ci_high = part.ci_high,
              .here = part.here,
              .elsewhere = part.elsewhere,
              .excess_low_ns = part.excess_low_ns,
              .excess_high_ns = part.excess_high_ns,
              .here_text = std::move(part.here_text),
              .elsewhere_text = std::move(part.elsewhere_text),
              .launches = part.launches,
              .example_row = part.example_row};
  } else {
    return nullptr;
  }
  answer.text = row_words(context, analysis::short_reason(contrast));
  return std::make_unique<answers::LeadingReasonAnswer>(std::move(answer));
}

std::unique_ptr<answers::DifferenceAnswer> packed(const analysis::Difference* difference,
                                                  const Context& context) {
  return difference ? std::make_unique<answers::DifferenceAnswer>(packed(*difference, context)) : nullptr;
}

answers::MomentAnswer moment_of(const analysis::Contrast& contrast, const Context& context) {
  answers::MomentAnswer answer;
  answer.excess_ns = contrast.excess_ns;
  answer.excess_percent = percent_of(contrast.excess_ns, contrast.expected_ns);
  answer.sample_of = contrast.selected;
  answer.reason = reason_of(contrast, context);
  answer.differs_only_here = packed(contrast.only_here(), context);
  answer.associated = packed(contrast.may_explain(), context);
  if (!answer.reason) answer.reason_note = row_words(context, analysis::note_of(contrast));
  return answer;
}

/// Launches that satisfy a condition.
Expected<analysis::LaunchRows> rows_where(const Context& context, const SelectionOptions& requested) {
  const auto& workspace = context.workspace;
  auto selection = selection_of(context, requested);
  if (!selection) return forward(selection.error());
  auto typical = workspace.typical;
  auto rows =
      analysis::LaunchRows::make(*workspace.session, *workspace.columns, *selection, "kernel_variability",
                                 context.communicator, context.job, {}, std::move(typical));
  if (rows) rows->describe_single_launches();
  return rows;
}

Expected<void> prepare(const Context& context) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  if (auto typical = typical_rows_of(context); !typical) return forward(typical.error());
  return {};
}

/// Advice on the leading reason if it lengthens the launches, or on what to record if nothing recorded
/// explains a significant excess.
std::vector<causal::Advice> advice_on(const analysis::Contrast& contrast,
                                      const analysis::LaunchReasons& reasons, causal::Tool tool) {
  if (contrast.launches == 0 || !contrast.clear()) return {};
  if (const auto* leading = contrast.leading()) {
    if (!leading->lengthens()) return {};
    const auto advice = causal::advice_for(leading->feature, tool);
    return advice ? std::vector{*advice} : std::vector<causal::Advice>{};
  }
  causal::Recorded recorded;
  for (const auto& feature : reasons.sample().features)
    recorded.add(feature.name, feature.tier >= 0 ? feature.tier : causal::default_tier(feature.name));
  return causal::recording_advice(tool, recorded);
}

/// Comparison with all peers, or with those that `against` accepts. Collective.
Expected<std::shared_ptr<const analysis::Contrasts>>
make_contrasts(const Context& context, const analysis::LaunchReasons& reasons,
               std::shared_ptr<const analysis::Contrasts>& kept,
               const std::function<bool(std::int64_t)>& against = {}) {
  const auto make = [&]() -> Expected<analysis::Contrasts> {
    analysis::Contrasts made(reasons, context.job, against);
    if (context.job.cancelled()) return Job::cancelled_error();
    return made;
  };
  return kept_by_all(context.communicator, kept, make);
}

/// Comparison with all peers, made once for a session. Collective.
Expected<std::shared_ptr<const analysis::Contrasts>> contrasts_of(const Context& context,
                                                                  const analysis::LaunchReasons& reasons) {
  return make_contrasts(context, reasons, context.workspace.contrasts);
}

/// contrast → why the selected launches took longer than
/// their peers: those outside the selection, optionally only those that pass the filter text `against`; with
/// `provisional` a first answer by a model from a smaller sample, marked as such.
Expected<answers::ContrastAnswer> contrast(const Context& context, const ContrastOptions& options) {
  if (auto ready = prepare(context); !ready) return forward(ready.error());
  const bool first = options.provisional;
  auto reasons = reasons_of(context, first);
  if (!reasons) return forward(reasons.error());
  auto rows = rows_where(context, selection_in(options));
  if (!rows) return forward(rows.error());
  if (rows->rows() == 0)
    return failure(ErrorKind::BadInput, "no launches are selected", {}, {},
                   "Check the filter and the selected time.");
  std::function<bool(std::int64_t)> accepted;
  std::optional<analysis::LaunchRows> against;
  if (!options.against.empty()) {
    SelectionOptions elsewhere;
    elsewhere.where = options.against;
    auto peers = rows_where(context, elsewhere);
    if (!peers) return forward(peers.error());
    against = std::move(*peers);
    accepted = [&](std::int64_t row) { return against->contains(row); };
  }
  auto launches = (*reasons)->read(*rows, true, context.communicator, context.job);
  if (!launches) return forward(launches.error());
  analysis::FittedLaunches of_terms;
  of_terms.launches = launches->launches, of_terms.features = (*reasons)->fit().terms.size();
  of_terms.share = launches->share;
  std::vector<std::size_t> place;
  for (const auto& term : (*reasons)->fit().terms)
    for (std::size_t f = 0; f < rows->features().size(); ++f)
      if (rows->features()[f].name == term.feature.name) place.push_back(f);
  for (std::size_t i = 0; i < launches->launches.size(); ++i)
    for (const auto f : place) of_terms.values.push_back(launches->of(i)[f]);
  std::vector<std::size_t> all(launches->launches.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::shared_ptr<const analysis::Contrasts> unshared;
  auto contrasts = first || accepted ? make_contrasts(context, **reasons, unshared, accepted)
                                     : contrasts_of(context, **reasons);
  if (!contrasts) return forward(contrasts.error());
  const auto inside = [&](std::int64_t row) { return rows->contains(row); };
  auto found = (*contrasts)->of(of_terms, all, inside, context.job);
  if (found.launches > 0) {
    auto outside = (*contrasts)->peers();
    for (std::size_t i = 0; i < outside.size(); ++i)
      if (inside((*reasons)->sampled().launches[i].row)) outside[i] = 0;
    analysis::PeerDifferences(**reasons, outside, context.job).add_to(found, *launches, all, inside);
  }
  if (context.job.cancelled()) return Job::cancelled_error();
  auto answer = packed(found, context);
  if (accepted) {
    answer.against = options.against;
    answer.sentences.insert(answer.sentences.begin() + 1,
                            row_words(context, analysis::meaning_of_elsewhere(options.against)));
  }
  const auto advice = advice_on(found, **reasons, tool_of(context.workspace));
  answer.advice = packed(advice, context);
  const auto lines = causal::in_words(advice);
  for (const auto& line : lines) answer.sentences.push_back(row_words(context, line));
  answer.advice_sentences = static_cast<std::int64_t>(lines.size());
  answer.provisional = first;
  answer.sampled = (*reasons)->fit().fitted_rows;
  answer.selected = rows->rows();
  return answer;
}

/// The selected launches of one moment.
struct MomentLaunches {
  std::size_t moment = 0;
  const analysis::FittedLaunches& launches;
  const std::vector<std::size_t>& chosen; ///< indices of the launches
  const std::function<bool(std::int64_t)>& inside;
};

/// Reads the launches that start in these moments, which must not overlap, and in the intervals of `within`
/// if there are any. As many moments are read at once as have at most LaunchReasons::kSample launches, so
/// that what is read of a moment does not depend on the others. Collective.
Expected<void> for_each_moment(const Context& context, const analysis::LaunchReasons& model,
                               SelectionOptions within, const std::vector<Interval>& moments,
                               bool all_features, const std::function<void(const MomentLaunches&)>& use) {
  std::vector<std::size_t> by_begin(moments.size());
  std::iota(by_begin.begin(), by_begin.end(), std::size_t{0});
  std::ranges::sort(by_begin, {}, [&](std::size_t m) { return moments[m].begin; });
  const auto intervals = std::move(within.intervals);
  const auto starts_within = [&](Nanoseconds start) {
    return intervals.empty() ||
           std::ranges::any_of(intervals, [&](const Interval& of) { return of.contains(start); });
  };
  const auto launches_of = [&](const Interval& moment) {
    std::int64_t count = 0;
    for (const auto& segment : context.workspace.session->launches_in(moment)) count += segment.rows();
    return count;
  };
  for (std::size_t first = 0, last = 0; first < by_begin.size(); first = last) {
    std::vector<Interval> together;
    std::int64_t count = 0;
    for (; last < by_begin.size(); ++last) {
      count += launches_of(moments[by_begin[last]]);
      if (last > first && count > analysis::LaunchReasons::kSample) break;
      together.push_back(moments[by_begin[last]]);
    }
    within.intervals = together;
    auto rows = rows_where(context, within);
    if (!rows) return forward(rows.error());
    const auto launches = model.read(*rows, all_features, context.communicator, context.job);
    if (!launches) return forward(launches.error());
    std::vector<std::vector<std::size_t>> chosen(together.size());
    for (std::size_t i = 0; i < launches->launches.size(); ++i) {
      const Nanoseconds start{launches->launches[i].start_ns};
      const auto after = std::ranges::upper_bound(together, start, {}, &Interval::begin);
      if (after != together.begin() && starts_within(start))
        chosen[static_cast<std::size_t>(after - together.begin() - 1)].push_back(i);
    }
    for (std::size_t m = 0; m < chosen.size(); ++m) {
      if (context.job.cancelled()) return Job::cancelled_error();
      std::unordered_set<std::int64_t> own;
      for (const auto i : chosen[m]) own.insert(launches->launches[i].row);
      use({by_begin[first + m], *launches, chosen[m], [&](std::int64_t row) { return own.contains(row); }});
    }
  }
  return {};
}

/// Adds the differences of moments that are longer or shorter than others without a known reason.
Expected<void> add_differences(const Context& context, const analysis::LaunchReasons& model,
                               const analysis::Contrasts& contrasts, const ReasonsOptions& options,
                               std::vector<analysis::Contrast>& found) {
  std::vector<Interval> without;
  std::vector<std::size_t> place;
  for (std::size_t m = 0; m < found.size(); ++m)
    if (found[m].launches > 0 && found[m].clear() && !found[m].leading() && !found[m].of_work())
      without.push_back(options.moments[m]), place.push_back(m);
  if (without.empty()) return {};
  const analysis::PeerDifferences differences(model, contrasts.peers(), context.job);
  return for_each_moment(context, model, selection_in(options), without, true, [&](const MomentLaunches& of) {
    differences.add_to(found[place[of.moment]], of.launches, of.chosen, of.inside);
  });
}

/// The leading reasons of the launches that start in each of these intervals, which must not overlap.
Expected<answers::ReasonsAnswer> reasons(const Context& context, const ReasonsOptions& options) {
  if (auto ready = prepare(context); !ready) return forward(ready.error());
  auto model = reasons_of(context);
  if (!model) return forward(model.error());
  const auto contrasts = contrasts_of(context, **model);
  if (!contrasts) return forward(contrasts.error());
  std::vector<analysis::Contrast> found(options.moments.size());
  if (auto done = for_each_moment(context, **model, selection_in(options), options.moments, false,
                                  [&](const MomentLaunches& of) {
                                    found[of.moment] =
                                        (*contrasts)->of(of.launches, of.chosen, of.inside, context.job);
                                  });
      !done)
    return forward(done.error());
  if (auto done = add_differences(context, **model, **contrasts, options, found); !done)
    return forward(done.error());
  if (context.job.cancelled()) return Job::cancelled_error();
  answers::ReasonsAnswer answer;
  for (const auto& contrast : found) answer.reasons.push_back(moment_of(contrast, context));
  return answer;
}

Expected<answers::CausesAlongAnswer> causes_along(const Context& context, const CausesAlongOptions& options) {
  if (auto ready = prepare(context); !ready) return forward(ready.error());
  const Interval window{{options.begin_ns}, {options.end_ns}};
  const int count = static_cast<int>(std::max<std::int64_t>(options.columns, 0));
  constexpr std::int64_t kFarthest = std::int64_t{1} << 56;
  if (count < 1 || count > 20'000 || window.begin.count < -kFarthest || window.end.count > kFarthest ||
      window.end.count - window.begin.count < count)
    return failure(ErrorKind::BadUse,
                   "the window from " + std::to_string(window.begin.count) + " to " +
                       std::to_string(window.end.count) + " ns in " + std::to_string(count) +
                       " columns is empty or out of range",
                   {}, {}, "Request times within ±2^56 ns in 1 to 20,000 columns of at least 1 ns.");
  auto reasons = reasons_of(context);
  if (!reasons) return forward(reasons.error());
  const auto& workspace = context.workspace;
  const analysis::Excess excess(*reasons);
  const auto along =
      analysis::excess_along(*workspace.session, excess, window, count, context.communicator, context.job);
  if (!along) return forward(along.error());
  answers::CausesAlongAnswer answer{.window = window};
  for (std::size_t kind = 0; kind < analysis::Excess::kKinds; ++kind)
    answer.kinds.push_back({.column = std::string(analysis::Excess::kColumns[kind]),
                            .least_ns = static_cast<double>(along->minimum[kind])});
  for (std::size_t i = 0; i < along->ns.size(); ++i)
    for (const auto ns : along->ns[i])
      answer.excess.push_back(
          static_cast<float>(ns / static_cast<double>(along->borders[i + 1] - along->borders[i])));
  return answer;
}

Expected<answers::LaunchExcessAnswer> launch_excess(const Context& context,
                                                    const LaunchExcessOptions& options) {
  if (auto ready = prepare(context); !ready) return forward(ready.error());
  auto reasons = reasons_of(context);
  if (!reasons) return forward(reasons.error());
  auto found = analysis::excess_of_launch(**reasons, options.row);
  if (!found) return forward(found.error());
  answers::LaunchExcessAnswer answer{.duration_ns = found->duration_ns,
                                     .typical_ns = found->typical_ns,
                                     .waits = found->waits,
                                     .unexplained_ns = found->unexplained_ns,
                                     .peers = found->peers,
                                     .rank = found->rank,
                                     .edges = std::move(found->edges),
                                     .counts = std::move(found->counts)};
  for (const auto& part : found->parts)
    answer.parts.push_back({.label = row_words(context, part.label),
                            .value = part.value,
                            .ns = part.ns,
                            .error_ns = part.error_ns});
  return answer;
}

} // namespace

std::vector<Operation> reason_operations() {
  return {{Reach::AllRanks, contrast, true},
          {Reach::AllRanks, reasons, true},
          {Reach::AllRanks, causes_along, true},
          {Reach::AllRanks, launch_excess}};
}

} // namespace jitterscope::engine
