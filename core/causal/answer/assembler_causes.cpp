#include "core/causal/answer/assembler.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/answer/notes.h"
#include "core/causal/answer/sentences.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/effects/level_shares.h"
#include "core/causal/effects/nonlinear.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {
namespace {

/// Percent: an interval that starts below this is treated as containing 0.
constexpr double kClearOfZero = 0.5;
constexpr double kMinShareOfRest = 0.5; ///< minimum fraction of the rest on one kernel, to report the kernel
constexpr double kClearlyMore = 1.5; ///< minimum ratio of a kernel's part of the rest to its part of launches
constexpr double kTwins = 0.9;       ///< correlation above which two columns are hard to distinguish

} // namespace

Expected<void> Assembler::contributions() {
  const auto& parents = model_.parents_of_target();
  const std::size_t first = 2 * model_.edges().size() + 4 * static_cast<std::size_t>(model_.nodes());
  const double expansion = expansion_of_variances();
  result_.unexplained_percent = 100.0 * (1.0 - shares_.r_squared);
  result_.own_percent = 100.0 * units_.own;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    Contribution c;
    c.feature = column_of(parents[i]).name;
    c.label = choice_.reports[static_cast<std::size_t>(column_index(parents[i]))].label;
    for (const int m : choice_.nodes[parents[i]].members) add_names(frame_.columns[m], c.members);
    const auto& also = column_of(parents[i]).also;
    c.members.insert(c.members.end(), also.begin(), also.end());
    c.percent = 100.0 * std::max(0.0, shares_.share[i]);
    const bool between = model_.between_configurations(parents[i]);
    const Range ci = expanded(interval_of(first + i, shares_.share[i], parents[i]), shares_.share[i],
                              between ? 1.0 : expansion);
    c.ci_low = percent_of(ci.low), c.ci_high = percent_of(ci.high);
    c.alone_percent = 100 * part_of_target(parents[i]);
    for (const Edge& e : result_.edges) {
      const bool open = !e.directed && e.from == result_.target && e.to == c.feature;
      if (open || (e.from == c.feature && e.to == result_.target)) c.sign = e.sign, c.stability = e.stability;
    }
    c.of_rows = frame_.rows_used;
    result_.contributions.push_back(std::move(c));
    acts_.push_back(Acts::column);
  }
  if (auto done = share_by_levels(expansion); !done) return done;
  if (frame_.target_kind == TargetKind::variability) {
    if (auto done = attributable(); !done) return done;
    auto done = assign(half_of_variability_, launches_with_half_of_the_variability(frame_, communicator_));
    if (!done) return done;
  } else {
    auto done = assign(half_of_variability_, rows_with_half_of_the_variance(frame_, communicator_, job_));
    if (!done) return done;
  }
  for (std::size_t i = 0; i < result_.contributions.size(); ++i) {
    Contribution& c = result_.contributions[i];
    const bool own = is_separate_.empty() || is_separate_[i];
    const bool large = c.attributable_percent
                           ? *c.attributable_percent >= kMinPercent && c.attributable_ci_low >= kClearOfZero
                           : c.percent >= kMinPercent && c.ci_low > 0;
    // A bent effect may have different signs by ranks (used by the graph) and in units (used by
    // interventions).
    if (const auto* f = result_.find(c.feature); !c.attributable_percent && f != nullptr &&
                                                 f->total_effect_ci.excludes_zero() &&
                                                 c.sign * f->total_effect < 0)
      c.sign = 0;
    const bool may_act = !(is_proxy(c.feature) || has_impossible_sign(c)) || is_required(c.feature);
    c.undirected = std::ranges::any_of(result_.edges, [&](const Edge& e) {
      return !e.directed && std::minmax(e.from, e.to) == std::minmax(c.feature, result_.target);
    });
    c.role = large && own && may_act && !c.undirected && (c.sign != 0 || model_.is_bent(parents[i])) &&
                     c.stability >= kStableEdge &&
                     !(only_between(parents[i]) && few_configurations(statistics_.configurations))
                 ? Role::cause
                 : Role::associated;
  }
  test_given_open();
  if (auto done = test_rows(parents, result_.contributions); !done) return done;
  if (auto done = join_values(); !done) return done;
  report_earlier_work();
  apply_selection();
  report_twins();
  for (std::size_t i = 0; i < is_separate_.size(); ++i)
    if (is_separate_[i] && result_.contributions[i].role != Role::cause)
      result_.rest.reset(); // computed without this feature, which is not a cause
  sort_contributions();
  return {};
}

double Assembler::part_of_target(int node) const {
  const Eigen::MatrixXd& cross = statistics_.discovery.total().cross;
  const auto c = static_cast<Eigen::Index>(column_index(node));
  const auto part = [&](Eigen::Index side) {
    const double variances = cross(c, c) * cross(side, side);
    return variances > 0 ? cross(c, side) * cross(c, side) / variances : 0.0;
  };
  if (!statistics_.derived()) return part(static_cast<Eigen::Index>(frame_.target_column));
  double maximum = 0;
  for (Eigen::Index side = statistics_.columns(); side < cross.cols(); ++side)
    maximum = std::max(maximum, part(side));
  return maximum;
}

// With an unknown direction, the share of a column is what it explains alone, also along a curve.
Expected<void> Assembler::share_of_open(const std::vector<int>& nodes, std::vector<Contribution>& open) {
  if (!options_.nonlinear || frame_.target_kind == TargetKind::variability) return {};
  const auto columns = mapped(nodes, [&](int node) { return column_index(node); });
  const auto sample = sample_for_curves(frame_, columns, options_, communicator_, job_);
  if (!sample) return forward(sample.error());
  if (!*sample) return {};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto levels = level_shares((*sample)->with_only(static_cast<Eigen::Index>(i)), model_.inflation(),
                                     options_.bootstrap, options_.seed, job_);
    if (!levels) return forward(levels.error());
    if (!*levels) {
      const auto& z = (*sample)->z;
      set_share_of_line(open[i], std::pow(z.col(static_cast<Eigen::Index>(i)).dot((*sample)->y()) /
                                              static_cast<double>(z.rows()),
                                          2));
      continue;
    }
    const double share = (*levels)->share.front();
    const Range ci = expanded((*levels)->intervals.front(), share, interval_expansion(model_.n_eff(), 2));
    open[i].percent = 100 * share;
    open[i].ci_low = percent_of(ci.low), open[i].ci_high = percent_of(ci.high);
  }
  return {};
}

// The interval of a squared correlation by Fisher's z transformation.
void Assembler::set_share_of_line(Contribution& c, double share) const {
  const double z = std::atanh(std::min(std::sqrt(share), 1 - 1e-12)),
               error = 1.96 / std::sqrt(std::max(model_.n_eff() - 3, 1.0));
  c.percent = 100 * share;
  c.ci_low = 100 * std::pow(std::tanh(std::max(0.0, z - error)), 2),
  c.ci_high = 100 * std::pow(std::tanh(z + error), 2);
}

Expected<void> Assembler::add_open_associations() {
  std::vector<int> nodes;
  std::vector<Contribution> open;
  const auto is_cause = [](const Contribution& c) { return c.role == Role::cause; };
  const auto at = std::ranges::find_if_not(result_.contributions, is_cause) - result_.contributions.begin();
  for (std::size_t i = 0; i < model_.edges().size(); ++i) {
    const ModelEdge& e = model_.edges()[i];
    const int node = e.from == model_.target() ? e.to : e.from;
    if (e.directed || (e.to != model_.target() && e.from != model_.target())) continue;
    if (contains(result_.contributions, name_of(node), &Contribution::feature) || contains(nodes, node))
      continue;
    Contribution c;
    c.feature = name_of(node), c.label = label_of_column(column_index(node));
    c.undirected = true, c.sign = result_.edges[i].sign, c.stability = result_.edges[i].stability;
    c.of_rows = frame_.rows_used;
    set_share_of_line(c, std::max(part_of_target(node), e.part));
    nodes.push_back(node), open.push_back(std::move(c));
  }
  if (open.empty()) return {};
  if (auto done = share_of_open(nodes, open); !done) return done;
  if (auto done = test_rows(nodes, open); !done) return done;
  for (Contribution& c : open) {
    auto place = result_.contributions.begin() + at;
    while (place != result_.contributions.end() && place->undirected && place->percent > c.percent) ++place;
    acts_.insert(acts_.begin() + (place - result_.contributions.begin()), Acts::column);
    result_.contributions.insert(place, std::move(c));
  }
  return {};
}

bool Assembler::only_between(int node) const {
  const auto column = static_cast<std::size_t>(column_index(node));
  const bool target = frame_.target_kind == TargetKind::column && column == frame_.target_column;
  return statistics_.only_configurations_differ_in(column) && !target;
}

void Assembler::note_configurations() {
  std::vector<std::string> labels;
  for (int v = 0; v < model_.nodes(); ++v)
    if (only_between(v)) labels.push_back(words_for(name_of(v)));
  if (auto note = note_on_configurations(statistics_.configurations, labels))
    result_.warnings.push_back(*note);
}

void Assembler::apply_selection() {
  const auto& by = options_.selected_by;
  if (by.empty()) return;
  result_.selected_by_target = contains(by, frame_.target);
  for (Contribution& c : result_.contributions)
    if (result_.selected_by_target) c.role = Role::associated;
  const auto labels = mapped(by, [](const std::string& name) { return words_for(name); });
  result_.warnings.push_back(note<notes::kSelectedByOutcome>(
      fmt::join(labels, " and "), result_.selected_by_target ? ", so nothing is called a cause here" : ""));
}

void Assembler::report_earlier_work() {
  const auto found = std::ranges::find(frame_.columns, kEarlierDeviation, &Column::name);
  if (found == frame_.columns.end()) return;
  const auto earlier = static_cast<int>(found - frame_.columns.begin());
  const Moments& discovery = statistics_.discovery.total();
  if (!(discovery.cross(earlier, earlier) > 0)) return;
  const auto& parents = model_.parents_of_target();
  for (std::size_t i = 0; i < parents.size(); ++i) {
    Contribution& c = result_.contributions[i];
    if ((c.role != Role::cause && !c.drifts) || !begins_at_the_end_of_earlier_work(c.feature) ||
        is_required(c.feature))
      continue;
    const int column = column_index(parents[i]);
    c.of_earlier_work =
        c.of_earlier_work || only_reflects_earlier(discovery, model_.sides_with(parents[i]), column, earlier);
    if (c.of_earlier_work) c.role = Role::associated, c.drifts = false;
  }
}

void Assembler::report_twins() {
  const Eigen::MatrixXd r = correlation_of(statistics_.raw.total().cross);
  const auto& parents = model_.parents_of_target();
  const auto measures = [&](std::size_t parent) {
    const Node& node = choice_.nodes[parents[parent]];
    std::vector<int> columns = node.members;
    columns.push_back(node.column);
    return columns;
  };
  const auto nearest = [&](std::size_t i, std::size_t k) {
    double maximum = 0;
    for (const int a : measures(i))
      for (const int b : measures(k)) maximum = std::max(maximum, std::fabs(r(a, b)));
    return maximum;
  };
  for (std::size_t i = 0; i < parents.size(); ++i)
    for (std::size_t k = 0; k < parents.size(); ++k)
      if (result_.contributions[i].role == Role::cause && result_.contributions[k].role != Role::cause &&
          nearest(i, k) > kTwins)
        result_.contributions[i].twins.push_back(result_.contributions[k].feature);
}

/// Sign of the joint effect of the events that occur on nearly the same launches as event `i`: 0 if it is
/// uncertain, or if there is only one such event. The coefficients of nearly collinear columns have large
/// errors of opposite sign, in their sum they cancel (Belsley, Kuh, Welsch 1980, chapter 3).
int Assembler::joint_sign(std::size_t i) const {
  const auto& parents = model_.parents_of_target();
  const auto& edges = model_.edges();
  const auto coefficients = model_.standardised(statistics_.discovery.total());
  const Eigen::MatrixXd r = correlation_of(statistics_.discovery.total().cross);
  const auto column = [&](std::size_t k) { return column_index(parents[k]); };
  std::vector<std::size_t> alike;
  for (std::size_t k = 0; k < parents.size(); ++k)
    if (is_event_parent(k) && (k == i || r(column(i), column(k)) > kTwins))
      for (std::size_t e = 0; e < edges.size(); ++e)
        if (edges[e].from == parents[k] && edges[e].to == model_.target()) alike.push_back(e);
  if (alike.size() < 2 || replicates_.empty()) return 0;
  double sum = 0;
  std::vector<double> sums(replicates_.size());
  for (const auto e : alike) {
    sum += coefficients[e];
    for (std::size_t b = 0; b < sums.size(); ++b) sums[b] += replicates_[b][edges.size() + e];
  }
  const Range ci =
      expanded(percentile_interval(sums), sum, interval_expansion(model_.n_eff(), model_.nodes() + 1));
  return !ci.excludes_zero() ? 0 : sum > 0 ? 1 : -1;
}

/// The strongest event of a cause determines the sign of the cause's other events: their coefficients,
/// adjusted for it, may have either sign.
void Assembler::share_signs() {
  const auto& parents = model_.parents_of_target();
  const auto coefficient = [&](const std::string& feature) {
    for (const Edge& e : result_.edges)
      if (e.from == feature && e.to == result_.target) return std::fabs(e.coefficient);
    return 0.0;
  };
  std::map<std::string, const Contribution*> strongest;
  for (std::size_t i = 0; i < parents.size(); ++i)
    if (result_.contributions[i].sign == 0 && is_event_parent(i))
      result_.contributions[i].sign = joint_sign(i);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Contribution& c = result_.contributions[i];
    auto& maximum = strongest[cause_of(c.feature)];
    if (is_event_parent(i) && (!maximum || coefficient(c.feature) > coefficient(maximum->feature)))
      maximum = &c;
  }
  for (std::size_t i = 0; i < parents.size(); ++i)
    if (is_event_parent(i))
      result_.contributions[i].sign = strongest[cause_of(result_.contributions[i].feature)]->sign;
}

Expected<void> Assembler::attributable() {
  share_signs();
  std::vector<Suspect> suspects;
  for (const int p : model_.parents_of_target()) {
    Suspect s;
    s.column = column_index(p);
    s.constant_in_configuration = statistics_.centring[s.column] == Centring::kernel;
    s.shifts = model_.acts_by_shift(p), s.spreads = model_.acts_by_spread(p);
    s.sign = result_.contributions[suspects.size()].sign;
    s.proxy = is_proxy(result_.contributions[suspects.size()].feature) ||
              has_impossible_sign(result_.contributions[suspects.size()]);
    s.summary = counts_all_kinds(result_.contributions[suspects.size()].feature);
    s.required = is_required(result_.contributions[suspects.size()].feature);
    s.weight = result_.contributions[suspects.size()].percent;
    for (const int node : model_.nodes_after(p)) s.leads_to.push_back(column_index(node));
    suspects.push_back(s);
  }
  auto shares =
      attribute(frame_, suspects, resamples_, options_.seed, kMinPercent / 100, communicator_, job_);
  if (!shares) return forward(shares.error());
  result_.variability_mean = shares->variability_mean, result_.variability_std = shares->variability_std;
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    Contribution& c = result_.contributions[i];
    const Attribution& a = shares->suspects[i];
    c.attributable_percent = percent_of(a.share);
    c.attributable_ci_low = percent_of(a.interval.low), c.attributable_ci_high = percent_of(a.interval.high);
    c.rest_percent = 100.0 * std::max(0.0, a.increment);
    given_rarer_.push_back(a.given_rarer), is_separate_.push_back(a.is_separate);
    c.drifts = a.changes_apart, c.of_earlier_work = a.reflects_earlier;
    // Where the interval of the share is above 0, the monotone fit gives the direction, even if outliers hide
    // it from a straight line.
    if (a.direction != 0 && (c.sign != 0 || a.interval.low > 0)) c.sign = a.direction;
    if (suspects[i].constant_in_configuration || a.both_ways) c.sign = a.direction;
    const Column& column = frame_.columns[suspects[i].column];
    c.event = column.may_happen();
    // The sign is uncertain if the adjusted coefficient and the mean extra duration disagree.
    const bool widens = c.event && suspects[i].spreads && a.spreads && c.sign > 0;
    if (c.event && !widens && !suspects[i].constant_in_configuration && c.sign * a.mean_extra_ns < 0)
      c.sign = 0;
    for (Edge& e : result_.edges)
      if (e.from == c.feature && e.to == result_.target) e.sign = c.sign;
    c.of_length = a.of_length, c.in_one_stretch = a.in_one_stretch, c.settings = a.settings;
    if (!c.event && !suspects[i].constant_in_configuration) c.reference = a.reference;
    c.affected = a.affected, c.compared = a.compared, c.mean_extra_ns = a.mean_extra_ns;
    if (a.apart_from)
      c.apart_from = frame_.columns[static_cast<std::size_t>(suspects[*a.apart_from].column)].name;
    if (a.on_kernels && a.is_separate) report_kernels(*a.on_kernels, c);
    if (a.condition && a.is_separate) report_condition(*a.condition, c);
    acts_[i] = suspects[i].constant_in_configuration ? Acts::configuration
               : widens                              ? Acts::spread_by_event
               : c.event                             ? Acts::event
               : a.spreads                           ? Acts::spread
               : a.both_ways                         ? Acts::both_ways
               : a.direction != 0                    ? Acts::shift
                                                     : Acts::bend;
  }
  report_rest(shares->left), report_absent(shares->all);
  return {};
}

void Assembler::report_absent(const std::vector<Attributions::Left>& by_kernel) {
  double all = 0, waiting = 0;
  std::int64_t launches = 0;
  for (std::size_t k = 0; k < by_kernel.size(); ++k) {
    all += by_kernel[k].variability;
    if (source_.waits_for_absent(static_cast<std::uint32_t>(k)))
      waiting += by_kernel[k].variability, launches += by_kernel[k].launches;
  }
  const double percent = all > 0 ? 100 * waiting / all : 0.0;
  if (percent < kMinPercent) return;
  result_.warnings.push_back(note<notes::kRanksMissing>(percent, grouped(launches)));
}

void Assembler::report_rest(const std::vector<Attributions::Left>& left) {
  Attributions::Left all;
  for (const auto& kernel : left) all.launches += kernel.launches, all.variability += kernel.variability;
  const auto maximum = std::max_element(
      left.begin(), left.end(), [](const auto& a, const auto& b) { return a.variability < b.variability; });
  if (maximum == left.end() || !(all.variability > 0)) return;
  const double part = maximum->variability / all.variability;
  if (part < kMinShareOfRest ||
      part * static_cast<double>(all.launches) < kClearlyMore * static_cast<double>(maximum->launches))
    return;
  const auto name = source_.kernel_name(static_cast<std::uint32_t>(maximum - left.begin()));
  if (!name.empty()) result_.rest = Rest{name, 100 * part, maximum->launches};
}

void Assembler::report_kernels(const Attribution::OnKernels& on, Contribution& c) const {
  const auto names = [&](const std::vector<std::uint32_t>& kernels) {
    auto all = mapped(kernels, [&](std::uint32_t kernel) { return source_.kernel_name(kernel); });
    std::erase_if(all, [](const std::string& name) { return name.empty(); });
    return all;
  };
  OnKernels reported{names(on.acts), names(on.spares), on.not_affected, 100 * on.variability};
  if (reported.acts.empty() || reported.spares.empty()) return;
  c.only_on = std::move(reported);
  c.affected = on.affected, c.compared = on.compared, c.mean_extra_ns = on.mean_extra_ns;
}

void Assembler::report_condition(const Attribution::Condition& condition, Contribution& c) const {
  const Column& column = frame_.columns[condition.column];
  if (cause_of(column.name) != cause_of(c.feature)) // another measure of the cause is not a condition
    c.only_where = Condition{column.name, words_for_condition(column, condition.value), condition.value,
                             100 * condition.variability, column.kind != Column::Kind::value};
  const auto affected = static_cast<double>(condition.affected);
  if (condition.affected > 0) c.mean_extra_ns *= static_cast<double>(c.affected) / affected;
  c.affected = condition.affected, c.compared = std::min(c.compared, c.affected);
}

/// Moves the columns of one cause (migrations, their bytes, migrations since the previous launch) directly
/// after its first column, which the others name in `under`. Values that join_values() joined have no rows of
/// their own.
void Assembler::fold_causes() {
  std::vector<Contribution> folded;
  std::vector<Acts> acts;
  std::map<std::string, std::vector<std::size_t>> of_cause;
  const auto cause = [&](std::size_t i) { return cause_of(result_.contributions[i].feature); };
  for (std::size_t i = 0; i < result_.contributions.size(); ++i) of_cause[cause(i)].push_back(i);
  for (std::size_t i = 0; i < result_.contributions.size(); ++i) {
    const auto& same = of_cause[cause(i)];
    if (same.front() != i || !result_.contributions[i].under.empty()) continue; // a joined value
    for (const auto k : same) {
      folded.push_back(result_.contributions[k]), acts.push_back(acts_[k]);
      if (k != i) folded.back().under = result_.contributions[i].feature;
    }
  }
  result_.contributions = std::move(folded), acts_ = std::move(acts);
}

// Causes in the order in which their shares are removed, associated factors by their shares.
void Assembler::sort_contributions() {
  auto order = numbers_below(result_.contributions.size());
  const auto key = [&](std::size_t i) {
    const Contribution& c = result_.contributions[i];
    const double share = c.attributable_percent.value_or(0.0) / 100;
    return c.role == Role::cause
               ? std::tuple(0, -share_step(std::min(share, i < given_rarer_.size() ? given_rarer_[i] : 1.0)),
                            -c.percent, c.feature)
               : std::tuple(1, 0, -c.attributable_percent.value_or(c.percent), c.feature);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<Contribution> sorted;
  std::vector<Acts> acts;
  for (const auto i : order) sorted.push_back(result_.contributions[i]), acts.push_back(acts_[i]);
  result_.contributions = std::move(sorted), acts_ = std::move(acts);
}

} // namespace jitterscope::causal
