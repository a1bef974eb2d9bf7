#include "core/causal/answer/sentences.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {
namespace {

/// "the variability", or a target that is a column.
std::string subject_of(const CausalResult& r, const SentenceContext& t) {
  return t.target == TargetKind::variability ? "the variability" : r.target_label;
}

// A share and its interval are rounded to the same digits, so that the share is inside.
std::string percent_with_range(double percent, double low, double high, bool resampled) {
  const auto rounded = [](double v) { return std::clamp(v, 0.0, 100.0); };
  const int digits = percent >= 99.5 || percent < 9.95 ? 1 : 0;
  if (!resampled) return fmt::format("{:.{}f} %", rounded(percent), digits);
  return share_with_interval(rounded(percent), rounded(low), rounded(high), digits);
}

std::string share_of(const CausalResult& r, const Contribution& c) {
  return c.attributable_percent ? percent_with_range(*c.attributable_percent, c.attributable_ci_low,
                                                     c.attributable_ci_high, r.bootstrap > 0)
                                : percent_with_range(c.percent, c.ci_low, c.ci_high, r.bootstrap > 0);
}

/// Where launches take longer, along a curve.
std::string where_longer(const Contribution& c, const std::string& unit) {
  if (c.settings.size() < 2) return ": launches take longer at some of its values than at others";
  const auto [low, high] = std::ranges::minmax_element(c.settings, {}, &Setting::duration_change_ns);
  if (c.feature == kLaunchAge && high->value < low->value) return ": the first launches take longer";
  return fmt::format(": launches are shortest at {} and longest at {}", value_in_words(low->value, unit),
                     value_in_words(high->value, unit));
}

std::string affected_launches(const CausalResult& r, const Contribution& c, Acts acts) {
  const auto* feature = r.find(c.feature);
  const auto launches = fmt::format("{} of {} launches", grouped(c.affected), grouped(c.of_rows));
  if (acts == Acts::configuration)
    return fmt::format(": launches vary more at {} values, relative to their duration ({})",
                       c.sign < 0 ? "lower" : "higher", launches);
  const auto amount = words_for_ns(std::fabs(c.mean_extra_ns));
  if (is_call_site(c.feature)) // launches differ in both directions, so a count of the longer ones misleads
    return ": launches that look the same take longer at some call sites than at others, because they do "
           "more work or the launches before them leave less of their data in the cache";
  if (acts == Acts::event && c.mean_extra_ns != 0) {
    const bool all = c.compared >= c.affected;
    return fmt::format(
        " ({}; each {} {} on average{})", launches, c.mean_extra_ns > 0 ? "adds" : "saves", amount,
        all ? std::string()
            : fmt::format(", estimated from the {} of them that have comparable launches without it",
                          grouped(c.compared)));
  }
  if (acts == Acts::spread_by_event) return fmt::format(" ({}; they vary more)", launches);
  if (acts == Acts::bend)
    return where_longer(c, feature ? feature->unit : std::string()) +
           (c.affected > 0 ? fmt::format(" ({}; {} on average)", launches, amount) : std::string());
  if (acts == Acts::both_ways)
    return fmt::format(
        ": launches of some configurations take longer at its higher values, those of others at "
        "its lower ones ({}; {} on average)",
        launches, amount);
  if (acts == Acts::shift && c.sign != 0) {
    std::vector<std::string> facts;
    if (c.affected > 0) facts.push_back(fmt::format("{}; {} on average", launches, amount));
    if (c.reference)
      facts.push_back("compared with all launches at " +
                      value_in_words(*c.reference, feature ? feature->unit : std::string()));
    // No value is beyond the reference if that is the most common value at one end.
    const bool none_longer =
        c.reference && feature &&
        (c.sign > 0 ? *c.reference >= feature->maximum : *c.reference <= feature->minimum);
    return fmt::format(": launches at {} values {}{}", (c.sign < 0) != none_longer ? "lower" : "higher",
                       none_longer ? "are shorter" : "take longer",
                       facts.empty() ? std::string() : fmt::format(" ({})", fmt::join(facts, "; ")));
  }
  if (acts == Acts::spread && c.sign != 0)
    return fmt::format(": launches at {} values vary more ({})", c.sign < 0 ? "lower" : "higher", launches);
  return fmt::format(" ({})", launches);
}

/// Shares are estimated separately: what a cause adds is limited to what the previous causes leave.
double further(const Contribution& c, double explained) {
  return std::min(c.rest_percent, std::max(0.0, 100 - explained));
}

std::string cause_sentence(const CausalResult& r, const Contribution& c, const SentenceContext& t, Acts acts,
                           double explained) {
  if (c.attributable_percent && explained > 0)
    return fmt::format("A further {:.0f} % comes from {}{}; alone it would account for {}.",
                       further(c, explained), c.label, affected_launches(r, c, acts), share_of(r, c));
  if (!c.attributable_percent) {
    const auto* feature = r.find(c.feature);
    const bool is_or_not = feature && feature->unit.empty() && feature->minimum == 0 && feature->maximum == 1;
    const auto how =
        !c.highest_at.empty()
            ? fmt::format("{} is lowest at {} and highest at {}", r.target_label, c.lowest_at, c.highest_at)
        : is_or_not && c.sign != 0
            ? fmt::format("{} is {} there", r.target_label, c.sign < 0 ? "lower" : "higher")
        : c.sign == 0 ? fmt::format("{} is higher at some of its values than at others", r.target_label)
                      : fmt::format("higher values are associated with {} {}",
                                    c.sign < 0 ? "lower" : "higher", r.target_label);
    return fmt::format(
        "{} of the variance of {}{} comes from {}{}: {}.", share_of(r, c), r.target_label, t.part, c.label,
        t.part.empty() ? "" : fmt::format(", which alone accounts for {:.0f} %", c.alone_percent), how);
  }
  return fmt::format("{} of the variability{} comes from {}{}.", share_of(r, c), t.of_what, c.label,
                     affected_launches(r, c, acts));
}

/// Features that occur on nearly the same launches as a cause, and may be the cause instead.
std::string twin_sentence(const CausalResult& r, const Contribution& c, const SentenceContext& t) {
  std::vector<std::string> labels;
  for (const auto& name : c.twins)
    if (const auto* f = r.find(name)) labels.push_back(f->label);
  return fmt::format("Nearly the same {} have {} as well: the data can hardly separate {} from {}.",
                     t.target == TargetKind::variability ? "launches" : "rows", fmt::join(labels, " and "),
                     labels.size() == 1 ? "it" : "them", c.label);
}

bool is_twin(const CausalResult& r, const Contribution& c) {
  return std::ranges::any_of(r.contributions,
                             [&](const Contribution& cause) { return contains(cause.twins, c.feature); });
}

/// Reason why an association is not called a cause; empty if the causes above account for most of
/// it.
std::optional<std::string> why_not(const CausalResult& r, const Contribution& c, const SentenceContext& t) {
  if (t.target == TargetKind::variability && follows_from_earlier_work(c.feature))
    return "waiting shows how long earlier work took and does not lengthen the launch that waits";
  if (t.target == TargetKind::variability && c.sign < 0 && only_lengthens(c.feature))
    return "it cannot shorten a launch: the launches with it differ in something else";
  if (r.selected_by_target) return "the rows were selected by the target itself";
  if (c.of_earlier_work)
    return "it reflects the duration of the previous launch, and durations of consecutive launches are "
           "correlated "
           "for an unrecorded reason";
  if (r.bootstrap == 0) return "without bootstrap resamples its uncertainty is unknown";
  constexpr std::int64_t few = 10;
  if (c.attributable_percent && c.event && c.affected > 0 && c.affected < few)
    return fmt::format("only {} launch{}, too few to call it a cause", c.affected,
                       c.affected == 1 ? " has it" : "es have it");
  if (c.in_one_stretch && c.attributable_percent.value_or(0) >= kMinPercent &&
      c.rest_percent >= 0.5 * *c.attributable_percent)
    return "its effect is limited to a few short parts of the run, so another event in these parts may be "
           "the "
           "cause";
  if (c.drifts)
    return "the factor and the target only change slowly or rarely, so that something else that changed "
           "meanwhile may be the cause";
  if (!c.explained_by.empty())
    return fmt::format(
        "nothing of the association is left when {}, which may be what acts, is taken into account",
        c.explained_by);
  if (c.of_length)
    return fmt::format(
        "it is as frequent per unit of time in long {0} as in short ones: long {0} may have more "
        "of it only because they are longer",
        t.target == TargetKind::variability ? "launches" : "runs");
  const bool overlaps =
      c.attributable_percent.value_or(0) >= kMinPercent && c.rest_percent < 0.5 * *c.attributable_percent;
  const bool causes = contains(r.contributions, Role::cause, &Contribution::role);
  const bool small = c.attributable_percent
                         ? *c.attributable_percent < kMinPercent && c.attributable_ci_low > 0
                         : c.percent < kMinPercent && c.ci_low > 0 && !c.undirected;
  if (small && c.stability >= kStableEdge)
    return fmt::format("only factors of {:.0f} % or more are called causes", kMinPercent);
  if (!overlaps && c.sign == 0 && c.stability >= kStableEdge) return "the sign of its effect is uncertain";
  if (overlaps && causes) return std::nullopt;
  return overlaps ? "other associated factors account for most of this share"
                  : "the evidence is too weak to call it a cause";
}

/// Whether an association may have arisen without any effect between the two, in either direction.
bool only_seems(const Contribution& c) {
  return c.drifts || c.of_length;
}

/// Whether the direction is all that is unknown of an association.
bool is_open(const Contribution& c) {
  return c.undirected && !only_seems(c);
}

/// Whether the association has a sentence of its own.
bool is_listed(const CausalResult& r, const Contribution& c) {
  return c.role == Role::associated && c.under.empty() && !is_open(c) && !is_twin(r, c) &&
         c.attributable_percent.value_or(c.percent) >= 1.0;
}

/// Percent of the target that the association accounts for in addition to the causes.
double beyond_causes(const CausalResult& r, const Contribution& c, const SentenceContext& t) {
  if (c.role != Role::associated || follows_from_earlier_work(c.feature)) return 0;
  const double rest = c.attributable_percent ? c.rest_percent : c.percent;
  return rest >= kMinPercent || (is_listed(r, c) && why_not(r, c, t)) ? rest : 0;
}

/// A reason of why_not() for several factors.
std::string of_several(std::string reason) {
  constexpr std::pair<std::string_view, std::string_view> kPlural[] = {
      {"call it a cause", "call any of them a cause"},
      {"its effect is limited", "their effects are limited"},
      {"the factor and the target", "the factors and the target"},
      {"it is as frequent", "they are as frequent"},
      {"have more of it", "have more of them"},
      {"the sign of its effect is", "the signs of their effects are"}};
  for (const auto& [one, several] : kPlural)
    if (const auto at = reason.find(one); at != std::string::npos) reason.replace(at, one.size(), several);
  return reason;
}

/// One sentence for all associations that are not called causes for the same reason; the first three have
/// their shares.
std::vector<std::string> association_sentences(const CausalResult& r, const SentenceContext& t) {
  struct Alike {
    std::optional<std::string> reason;
    std::string_view of;
    std::vector<std::string> shares;
  };
  std::vector<Alike> sentences;
  for (const Contribution& c : r.contributions) {
    if (!is_listed(r, c)) continue;
    const auto reason = why_not(r, c, t);
    const std::string_view of = c.attributable_percent ? "it" : "its variance";
    auto alike = std::ranges::find_if(
        sentences, [&](const Alike& other) { return other.reason == reason && (!reason || other.of == of); });
    if (alike == sentences.end()) alike = sentences.insert(alike, {reason, of, {}});
    const bool first = alike->shares.empty() && reason;
    alike->shares.push_back(
        fmt::format("{}, {}{}", c.label, share_of(r, c), first ? fmt::format(" of {}", of) : std::string()));
  }
  std::vector<std::string> out;
  for (auto& [reason, of, shares] : sentences) {
    constexpr std::size_t kShown = 3;
    const auto more = shorten(shares, shares.size() == kShown + 1 ? kShown + 1 : kShown);
    const auto list = fmt::format("{}", fmt::join(shares, "; ")) +
                      (more > 0 ? fmt::format("; and {} more", more) : std::string());
    if (!reason)
      out.push_back(fmt::format("Also associated, mostly through the causes above: {}.", list));
    else
      out.push_back(fmt::format("Associated with {}{}: {}, but {}.", subject_of(r, t),
                                t.part.empty() ? t.of_what : t.part, list,
                                shares.size() > 1 ? of_several(*reason) : *reason));
  }
  return out;
}

/// Kernel with most of the rest; empty if there is none. `of_what`: words after the percentage, such as "of
/// it".
std::string place_of_rest(const CausalResult& r, const char* of_what) {
  if (!r.rest) return {};
  return fmt::format("{} {} on `{}` ({} launches)", share_in_words(r.rest->percent), of_what, r.rest->kernel,
                     grouped(r.rest->launches));
}

bool curves_explain(const CausalResult& r) {
  return r.nonlinear && r.nonlinear->part > 0;
}

/// What boosted trees explain beyond the contributions, as a fraction of the variance; 0 if it is not
/// significant.
double beyond_contributions(const CausalResult& r) {
  if (!curves_explain(r)) return 0;
  if (!r.shares_of_levels) return r.nonlinear->part;
  const double more = r.nonlinear->boosted_r2 - (1 - r.unexplained_percent / 100);
  return more >= kMinNonlinearPart ? more : 0;
}

/// Label of a column of texts of which a cause is one value, if the target differs between its other values,
/// too; else empty.
std::string column_with_other_values(const CausalResult& r) {
  for (const Contribution& cause : r.contributions) {
    if (cause.role != Role::cause) continue;
    for (const FeatureReport& column : r.features) {
      const auto is_value = [&](const std::string& name) { return name.starts_with(column.name + " "); };
      if (column.status != FeatureStatus::merged || !is_value(cause.feature)) continue;
      double others = 0;
      for (const Contribution& c : r.contributions)
        if (c.role == Role::associated && is_value(c.feature)) others += c.percent;
      if (others >= kMinPercent) return column.label;
    }
  }
  return {};
}

/// Sentence on the variability that no cause explains; `more`: other columns are associated with part of it.
std::string rest_sentence(const CausalResult& r, double rest, bool more, const SentenceContext& t) {
  const bool launches = t.target == TargetKind::variability;
  const double beyond = beyond_contributions(r);
  const auto what = fmt::format("{}{}", launches ? "variability" : "variance", t.of_what);
  const bool follows = std::ranges::any_of(r.contributions, [&](const Contribution& c) {
    return c.role == Role::associated && !is_twin(r, c) && c.percent >= 1;
  });
  constexpr double kMost = 0.5; // else the exception is the rule
  if (!launches && r.unexplained_percent < kMost * rest)
    return fmt::format(
        "A further {:.0f} % of the {} is associated with {}{}.", rest - r.unexplained_percent, what,
        follows ? "the columns below" : "columns that vary with these causes",
        r.unexplained_percent < 0.5
            ? std::string()
            : fmt::format(
                  "; {:.0f} % is not explained by {}", r.unexplained_percent,
                  beyond == 0 ? "anything recorded"
                  : r.shares_of_levels
                      ? fmt::format("any of them alone (together they explain {:.0f} %)", 100 * beyond)
                      : fmt::format("straight lines (curves and interactions of the recorded factors "
                                    "explain {:.0f} %)",
                                    100 * beyond)));
  if (const auto column = launches ? column_with_other_values(r) : std::string(); !column.empty())
    return fmt::format(
        "{:.0f} % of the {} is left without these launches: durations differ between the other "
        "values of {}, too.",
        rest, what, column);
  const auto place = place_of_rest(r, "of it");
  if (more)
    return fmt::format(
        "{:.0f} % of the {}{} has no identified cause; associated factors account for part of it.", rest,
        what, place.empty() ? std::string() : ", " + place + ",");
  if (!launches && beyond > 0)
    return r.shares_of_levels
               ? fmt::format("{:.0f} % of the {} is not explained by these factors one by one; their "
                             "interactions explain {:.0f} % of the variance in addition.",
                             rest, what, 100 * beyond)
               : fmt::format(
                     "{:.0f} % of the {} is not explained by straight lines; curves and interactions of the "
                     "recorded factors explain {:.0f} % of the variance more than straight lines.",
                     rest, what, 100 * beyond);
  return fmt::format("{:.0f} % of the {} is not explained by anything recorded{}{}.", rest, what,
                     place.empty() ? "" : ", ", place);
}

/// `alone`: no straight line explains anything. Parts of the variance of ranks are not stated together with
/// parts of the variability, which attributes curves, too.
std::string nonlinear_sentence(const Nonlinear& check, bool alone, const SentenceContext& t) {
  if (alone)
    return fmt::format(
        "Curves and interactions of the recorded factors explain {:.0f} % of the variance{}, but "
        "do not identify a cause.",
        100 * check.part, t.of_what);
  return "Effects are not linear: an effect per unit is only an average.";
}

/// Features on which the target depends non-linearly; empty if there are none.
std::string bend_sentence(const CausalResult& r, const SentenceContext& t) {
  auto reported =
      mapped(r.bends, [](const Bend& b) { return fmt::format("{} ({:.0f} %)", b.label, b.percent); });
  if (reported.empty()) return {};
  shorten(reported, 3);
  return fmt::format("{}{} depends non-linearly on these columns (in brackets: share of the variance of its "
                     "ranks): {}. The graph shows linear effects only: compare the distributions of the "
                     "target at different values of these columns.",
                     t.target == TargetKind::variability ? "The variability" : r.target_label, t.of_what,
                     fmt::join(reported, ", "));
}

/// Columns that act together, or on the spread alone; empty if there are none.
std::string joint_sentence(const CausalResult& r, const SentenceContext& t) {
  auto together = mapped(r.pairs, [](const Pair& p) {
    return fmt::format("{} and {} ({:.0f} %)", p.first_label, p.second_label, p.percent);
  });
  auto apart =
      mapped(r.spreads, [](const Spread& s) { return fmt::format("{} ({:.0f} %)", s.label, s.percent); });
  shorten(together, 3), shorten(apart, 3);
  std::string said;
  if (!together.empty())
    said = fmt::format("These columns explain {}{} only together (in brackets: share of the variance of its "
                       "ranks, beyond each column alone): {}.",
                       subject_of(r, t), t.of_what, fmt::join(together, "; "));
  if (!apart.empty())
    said += fmt::format("{}The spread of {}, not its level, is associated with these columns (in brackets: "
                        "share of the variance of the ranks of absolute residuals): {}.",
                        said.empty() ? "" : " ", r.target_label, fmt::join(apart, ", "));
  return said;
}

// Associations without a known direction; empty if there are none.
std::string open_sentence(const CausalResult& r, const SentenceContext& t) {
  std::vector<std::string> labels;
  for (const Edge& e : r.edges) {
    if (e.directed || (e.from != r.target && e.to != r.target)) continue;
    const auto& name = e.from == r.target ? e.to : e.from;
    const auto* feature = r.find(name);
    const auto found = std::ranges::find(r.contributions, name, &Contribution::feature);
    if (feature && (found == r.contributions.end() || !only_seems(*found))) labels.push_back(feature->label);
  }
  if (labels.empty()) return {};
  return fmt::format("{} {} associated with {}, but the data do not identify the direction. If you know the "
                     "direction, state it as background knowledge (tiers).",
                     fmt::join(labels, " and "), labels.size() == 1 ? "is" : "are", subject_of(r, t));
}

constexpr std::size_t kMaxShown = 4;

std::string some_of(std::vector<std::string> names) {
  for (auto& name : names) name = fmt::format("`{}`", name);
  if (names.size() > kMaxShown + 1) names.push_back(fmt::format("{} others", shorten(names, kMaxShown)));
  return listed(std::move(names));
}

std::string how_many(const Contribution& cause) {
  return fmt::format("{} launches, which account for {} of the variability", grouped(cause.affected),
                     share_in_words(cause.only_where->percent));
}

/// On which kernels the cause acts, and on which not.
std::string kernels_sentence(const Contribution& cause) {
  const OnKernels& on = *cause.only_on;
  return fmt::format("It acts on {}: the launches with this cause account for {} of the variability. It "
                     "does not act on {}, of which {} launches also have it.",
                     some_of(on.acts), share_in_words(on.percent), some_of(on.spares),
                     grouped(on.not_affected));
}

/// The only condition under which the cause acts.
std::string condition_sentence(const Contribution& cause) {
  return fmt::format("It acts only {}{}: {}.", cause.only_where->is_event ? "" : "where ",
                     cause.only_where->text, how_many(cause));
}

} // namespace

std::string words_for_condition(const Column& column, double value) {
  const std::string words = words_for(column.name);
  if (column.kind == Column::Kind::value) return fmt::format("{} = {:g}", words, value);
  return fmt::format("{} {}", value != 0 ? "with" : "without", words);
}

Warning note_on_condition(const Contribution& cause) {
  return note<notes::kInteraction>(cause.label, cause.only_where->is_event ? "" : "where ",
                                   cause.only_where->text, how_many(cause));
}

double percent_without_cause(const CausalResult& r) {
  double explained = 0;
  bool first = true;
  for (const Contribution& c : r.contributions) {
    if (c.role != Role::cause) continue;
    const bool measured = c.attributable_percent.has_value();
    if (first)
      explained += measured ? *c.attributable_percent : c.percent;
    else
      explained += measured || !c.under.empty() ? further(c, explained) : c.percent;
    first = false;
  }
  return 100.0 - explained;
}

std::vector<std::string> sentences(const CausalResult& r, const SentenceContext& t) {
  std::vector<std::string> out;
  double explained = 0;
  bool first = true;
  for (std::size_t i = 0; i < r.contributions.size(); ++i) {
    const Contribution& c = r.contributions[i];
    if (c.role != Role::cause) continue;
    if (!c.under.empty() && !first) {
      out.push_back(fmt::format("A further {:.0f} % is measured by {}, another measure of this cause.",
                                further(c, explained), c.label));
      if (c.only_where) out.push_back(condition_sentence(c));
      explained += further(c, explained);
      continue;
    }
    out.push_back(cause_sentence(r, c, t, t.acts[i], explained));
    explained += !c.attributable_percent ? c.percent
                 : first                 ? *c.attributable_percent
                                         : further(c, explained);
    first = false;
    if (const auto* other = r.find(c.apart_from))
      out.push_back(fmt::format("Launches with {} are left out of this effect, because they take longer "
                                "even without this cause.",
                                other->label));
    if (is_call_site(c.feature) && !t.call_sites.empty()) out.push_back(t.call_sites);
    if (c.only_on) out.push_back(kernels_sentence(c));
    if (c.only_where) out.push_back(condition_sentence(c));
    if (!c.twins.empty()) out.push_back(twin_sentence(r, c, t));
  }
  const bool none = out.empty();
  double associated = 0; // largest share of an associated factor
  for (const Contribution& c : r.contributions) associated = std::max(associated, beyond_causes(r, c, t));
  const bool launches = t.target == TargetKind::variability;
  const bool bends = !r.bends.empty() || !r.spreads.empty() || curves_explain(r);
  const bool only_joins = !bends && !r.pairs.empty();
  const bool is_associated = std::ranges::any_of(r.contributions, [&](const Contribution& c) {
    if (!launches) return c.percent >= kMinPercent;
    return c.role == Role::associated &&
           (c.undirected ? c.percent : c.attributable_percent.value_or(0)) >= kMinPercent &&
           !follows_from_earlier_work(c.feature);
  });
  if (none && is_associated)
    out.push_back(fmt::format("Recorded factors are associated with {}{}, but none can be called its cause "
                              "with confidence ({} {}).",
                              subject_of(r, t), launches ? t.of_what : t.part, grouped(r.n),
                              launches ? "launches" : "rows"));
  else if (none)
    out.push_back(fmt::format("{} {}{}{}{} ({} {}){}{}.",
                              only_joins         ? "No recorded factor alone explains"
                              : t.besides_groups ? "Nothing else recorded explains"
                                                 : "Nothing recorded explains",
                              associated >= 1 ? "more than " + share_in_words(associated) + " of " : "",
                              launches ? "the variability" : "the variance of " + r.target_label,
                              launches ? t.of_what : t.part, bends ? " linearly" : "", grouped(r.n),
                              launches ? "launches" : "rows", r.rest ? "; " : "",
                              place_of_rest(r, "of it is")));
  else if (const double rest = percent_without_cause(r); rest >= 10.0)
    out.push_back(rest_sentence(r, rest, associated >= 1, t));
  for (auto& sentence : association_sentences(r, t)) out.push_back(std::move(sentence));
  if (curves_explain(r)) out.push_back(nonlinear_sentence(*r.nonlinear, none && !is_associated, t));
  for (const auto& sentence : {bend_sentence(r, t), joint_sentence(r, t), open_sentence(r, t)})
    if (!sentence.empty()) out.insert(none ? out.begin() + 1 : out.end(), sentence);
  return out;
}

} // namespace jitterscope::causal
