#include "core/causal/analyse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/attributable.h"
#include "core/causal/bends.h"
#include "core/causal/bootstrap.h"
#include "core/causal/concentration.h"
#include "core/causal/condition.h"
#include "core/causal/configuration_note.h"
#include "core/causal/earlier.h"
#include "core/causal/frame.h"
#include "core/causal/joint_effects.h"
#include "core/causal/model.h"
#include "core/causal/nodes.h"
#include "core/causal/nonlinear.h"
#include "core/causal/notes.h"
#include "core/causal/sentences.h"
#include "core/causal/statistics.h"
#include "core/causal/tiers.h"
#include "core/causal/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kFewestRows = 10;

/// Of a share, which is neither below nothing nor above all, whatever an interval around it reaches.
double percent_of(double share) {
  return 100.0 * std::clamp(share, 0.0, 1.0);
}

constexpr double kClearOfZero = 0.5;   ///< percent: an interval from less is told as one from 0
constexpr double kMostOfTheRest = 0.5; ///< of what the causes leave: so much on one kernel is told …
constexpr double kClearlyMore = 1.5;   ///< … where it is so many times its part of the launches
constexpr double kTwins = 0.9; ///< correlation above which two columns are hard to tell apart

/// Turns frame, statistics and model into the result.
class Assembler {
public:
  Assembler(const RowSource& source, const Options& options, Communicator& communicator, const Job& job)
      : source_(source), options_(options), communicator_(communicator), job_(job) {}

  Expected<CausalResult> run() {
    if (auto done = prepare(); !done) return forward(done.error());
    if (auto done = give_rows_back(); !done) return forward(done.error());
    describe();
    if (auto done = bootstrap(); !done) return forward(done.error());
    if (auto done = contributions(); !done) return forward(done.error());
    if (auto done = nonlinear(); !done) return forward(done.error());
    if (auto done = bends(); !done) return forward(done.error());
    if (auto done = interventions(); !done) return forward(done.error());
    note_configurations();
    for (const Contribution& c : result_.contributions)
      if (c.role == Role::cause && c.only_where) result_.warnings.push_back(note_on_condition(c));
    add_notes(result_, frame_, model_, {acts_, source_.features().size(), half_of_variability_, far_values()});
    for (auto& remark : source_.remarks()) result_.warnings.push_back(std::move(remark));
    telling();
    return std::move(result_);
  }

private:
  Expected<void> prepare() {
    auto frame = Frame::survey(source_, options_, communicator_, job_);
    if (!frame) return forward(frame.error());
    frame_ = std::move(*frame);
    if (frame_.target_kind != TargetKind::variability && options_.reading == Reading::automatic &&
        rows_with_peers() < kFewestRows && frame_.rows_used >= kFewestRows) {
      options_.reading = Reading::pooled, all_ran_once_ = true;
      return prepare();
    }
    if (frame_.rows_used == 0 && frame_.rows_single > 0)
      return failure(ErrorKind::BadInput,
                     "every configuration ran once: there are no equal launches to compare");
    if (frame_.rows_used < kFewestRows)
      return failure(
          ErrorKind::BadInput,
          fmt::format("only {} of {} rows can be used, at least {} are needed to tell a cause from "
                      "chance",
                      grouped(frame_.rows_used), grouped(source_.rows()), kFewestRows));
    auto statistics = gather_statistics(frame_, options_, communicator_, job_);
    if (!statistics) return forward(statistics.error());
    statistics_ = std::move(*statistics);
    if (!(statistics_.raw.total().cross(raw_target(), raw_target()) > 0))
      return failure(ErrorKind::BadInput, fmt::format("{} is the same in all rows used: there is nothing to explain", frame_.target),
                     {}, kTargetPlace, "name another target with --target");
    choice_ = choose_nodes(frame_, statistics_);
    result_.warnings = choice_.warnings;
    auto model = Model::discover(frame_, statistics_, choice_, options_, result_.warnings);
    if (!model) return forward(model.error());
    model_ = std::move(*model);
    return {};
  }

  /// Rows of kernels that ran more than once; all rows of a table without kernels.
  std::int64_t rows_with_peers() const {
    if (frame_.groups.count == 0) return frame_.rows_used;
    std::map<std::uint32_t, std::int64_t> of_kernel;
    for (std::uint32_t g = 0; g < frame_.groups.count; ++g)
      of_kernel[frame_.groups.kernel[g]] += frame_.groups.rows[g];
    std::int64_t rows = 0;
    for (const auto& [kernel, count] : of_kernel) rows += count > 1 ? count : 0;
    return rows;
  }

  /// Columns with missing values and without an edge leave, so that they cost the others no rows.
  Expected<void> give_rows_back() {
    if (frame_.rows_incomplete == 0) return {};
    std::set<std::size_t> joined;
    for (const ModelEdge& e : model_.edges())
      for (const int v : {e.from, e.to})
        if (v < model_.nodes()) joined.insert(column_of(v).source);
    std::set<std::string> leaving;
    for (const Column& c : frame_.columns) {
      const std::string& name = source_.features()[c.source].name;
      const bool asked = std::any_of(options_.interventions.begin(), options_.interventions.end(),
                                     [&](const auto& i) { return i.first == name || i.first == c.name; });
      if (c.missing > 0 && name != frame_.target && !asked && !joined.contains(c.source))
        leaving.insert(name);
    }
    if (leaving.empty()) return {};
    options_.left_out.insert(options_.left_out.end(), leaving.begin(), leaving.end());
    if (auto done = prepare(); !done) return done;
    for (FeatureReport& r : frame_.reports)
      if (leaving.contains(r.name))
        r.reason = "no edge in the rows that have a value; left out so that the others count";
    return {};
  }

  Eigen::Index raw_target() const {
    return statistics_.derived() ? statistics_.columns() : static_cast<Eigen::Index>(frame_.target_column);
  }
  const Column& column_of(int node) const {
    return frame_.columns[static_cast<std::size_t>(choice_.nodes[static_cast<std::size_t>(node)].column)];
  }
  std::string name_of(int vertex) const {
    return vertex == model_.target() ? frame_.target : column_of(vertex).name;
  }

  void describe() {
    auto& r = result_;
    r.target = frame_.target;
    r.target_label = words_for(frame_.target);
    if (frame_.target_kind == TargetKind::variability)
      r.target_label += options_.centre == Centre::mean ? ", |duration − mean of its configuration|"
                                                        : ", |duration − median of its configuration|";
    r.target_unit =
        frame_.target_kind == TargetKind::column ? frame_.columns[frame_.target_column].unit : "ns";
    r.rows = source_.rows(), r.n = frame_.rows_used, r.n_eff = model_.n_eff();
    for (const Method m : model_.other_methods()) r.other_methods.push_back(to_string(m));
    r.method = to_string(options_.method), r.scale = to_string(options_.scale),
    r.bootstrap = options_.bootstrap;
    describe_reading();
    const Moments& raw = statistics_.raw.total();
    r.target_mean = raw.mean(raw_target());
    r.target_std = std::sqrt(raw.cross(raw_target(), raw_target()) / raw.n);
    r.target_sum = r.target_mean * raw.n;
    r.features = frame_.reports;
    r.features.insert(r.features.end(), choice_.reports.begin(), choice_.reports.end());
    std::stable_sort(r.features.begin(), r.features.end(), [](const auto& a, const auto& b) {
      return std::tie(a.tier, a.name) < std::tie(b.tier, b.name);
    });
  }

  void describe_reading() {
    const bool groups = frame_.groups.count > 0;
    const Reading reading = groups ? options_.reading : Reading::pooled;
    const auto& centring = statistics_.centring;
    const bool config = std::any_of(choice_.nodes.begin(), choice_.nodes.end(), [&](const Node& n) {
      return centring[static_cast<std::size_t>(n.column)] == Centring::kernel;
    });
    switch (reading) {
    case Reading::pooled:
      result_.reading = "pooled", result_.reading_text = "All rows are compared with each other.";
      break;
    case Reading::between:
      result_.reading = "between",
      result_.reading_text = "Means of configurations are compared, each weighted by its launches.";
      break;
    case Reading::within:
      result_.reading = "within",
      result_.reading_text = "Launches are compared with launches of their own configuration.";
      break;
    case Reading::automatic:
      result_.reading = config ? "within kernel" : "within";
      result_.reading_text =
          config ? "Launches are compared with launches of their own configuration, and configurations "
                   "with other configurations of their kernel."
                 : "Launches are compared with launches of their own configuration.";
      if (frame_.target_kind == TargetKind::variability)
        result_.reading_text += " Percents of variance and effects in units are told over all launches together.";
    }
    if (frame_.target_kind == TargetKind::variability)
      result_.reading_text += " Shares of the variability are of the summed |duration − median of its configuration|.";
    if (all_ran_once_)
      result_.reading_text += " Hardly any kernel ran more than once: there are no equal launches to compare.";
  }

  /// Layout of a replicate: by edge found again and standardised coefficient; by node total effect, its range
  /// over the class (least, most), intrinsic share; by parent of the target its LMG share; by node the share of the
  /// target's variance that stays when it is held.
  Expected<void> bootstrap() {
    const std::size_t edges = model_.edges().size(), nodes = static_cast<std::size_t>(model_.nodes());
    const std::size_t parents = model_.parents_of_target().size();
    resamples_ =
        draw_resamples(statistics_.discovery.blocks(),
                       static_cast<double>(frame_.plan.rows) / static_cast<double>(frame_.plan.blocks),
                       model_.inflation(), options_.bootstrap, options_.seed);
    const auto replicate = [&](int r) {
      const auto& weights = resamples_[static_cast<std::size_t>(r)];
      const bool between = model_.has_between();
      const auto draws = between || statistics_.of_configurations ? draw_configurations(frame_.groups.rows, options_.seed, r) : std::vector<int>();
      const Moments discovery = statistics_.discovery_resampled(weights, draws);
      const Moments raw = statistics_.raw_resampled(weights, draws);
      Model::Again again = model_.found_again(discovery, raw, options_.seed + static_cast<std::uint64_t>(r));
      std::vector<double> values = again.found;
      const auto append = [&](const std::vector<double>& more) {
        values.insert(values.end(), more.begin(), more.end());
      };
      append(model_.standardised(discovery));
      Model::InUnits units = model_.in_units(raw);
      if (between) resample_configurations(draws, units, again);
      append(units.total_effect);
      for (const Range& range : units.effect_range) values.push_back(range.low), values.push_back(range.high);
      append(units.intrinsic);
      append(again.shares);
      append(units.kept);
      return values;
    };
    auto replicates =
        run_replicates(options_.bootstrap, 2 * edges + 5 * nodes + parents, replicate, communicator_, job_);
    if (!replicates) return forward(replicates.error());
    replicates_ = std::move(*replicates);
    units_ = model_.in_units(statistics_.raw.total());
    add_edges();
    add_total_effects();
    return {};
  }

  /// Replaces in a replicate what is said of columns that only configurations differ in: those are resampled.
  void resample_configurations(const std::vector<int>& draws, Model::InUnits& units, Model::Again& again) const {
    const Moments raw = statistics_.raw_of_configurations(draws);
    const Model::InUnits of_them = model_.in_units(raw);
    for (int v = 0; v < model_.nodes(); ++v) {
      if (!model_.between_configurations(v)) continue;
      const auto node = static_cast<std::size_t>(v);
      units.total_effect[node] = of_them.total_effect[node];
      units.effect_range[node] = of_them.effect_range[node];
      units.intrinsic[node] = of_them.intrinsic[node];
      units.kept[node] = of_them.kept[node];
    }
    const std::vector<double> shares = model_.shares_among(again.parents, raw);
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (model_.between_configurations(model_.parents_of_target()[i])) again.shares[i] = shares[i];
  }

  /// 95 % interval of one quantity of the replicates around its estimate; `node`: that it speaks of.
  Range interval_of(std::size_t quantity, double estimate, int node) const {
    const bool between = node < model_.nodes() && model_.between_configurations(node);
    return expanded(percentile_interval(replicates_, quantity), estimate,
                    between ? interval_expansion(statistics_.configurations.effective(), 2)
                            : interval_expansion(model_.n_eff(), model_.nodes() + 1));
  }

  void add_edges() {
    const auto coefficients = model_.standardised(statistics_.discovery.total());
    for (std::size_t i = 0; i < model_.edges().size(); ++i) {
      const ModelEdge& e = model_.edges()[i];
      Edge edge;
      edge.from = name_of(e.from), edge.to = name_of(e.to), edge.directed = e.directed;
      for (std::size_t k = 0; k < e.opinions.size(); ++k)
        edge.agreement.emplace_back(to_string(model_.other_methods()[k]), e.opinions[k]);
      edge.coefficient = coefficients[i], edge.coefficient_units = units_.coefficient[i];
      if (!replicates_.empty()) {
        const Range ci = interval_of(model_.edges().size() + i, coefficients[i], e.from);
        edge.ci_low = ci.low, edge.ci_high = ci.high;
        edge.sign = ci.excludes_zero() ? (edge.coefficient > 0 ? 1 : -1) : 0;
        for (const auto& r : replicates_) edge.stability += r[i];
        edge.stability /= static_cast<double>(replicates_.size());
      }
      result_.edges.push_back(std::move(edge));
    }
  }

  void add_total_effects() {
    for (int v = 0; v < model_.nodes(); ++v) {
      if (v == model_.target()) continue;
      const auto report = std::find_if(result_.features.begin(), result_.features.end(),
                                       [&](const auto& f) { return f.name == column_of(v).name; });
      report->total_effect = units_.total_effect[static_cast<std::size_t>(v)];
      report->total_effect_ci =
          interval_of(2 * model_.edges().size() + static_cast<std::size_t>(v), report->total_effect, v);
      add_range(v, *report);
      report->target_std_if_fixed = model_.std_when_fixed(statistics_.raw.total(), v);
      add_std_interval(v, *report);
    }
  }

  void add_std_interval(int v, FeatureReport& report) const {
    const auto node = static_cast<std::size_t>(v), nodes = static_cast<std::size_t>(model_.nodes());
    const std::size_t kept = 2 * model_.edges().size() + 4 * nodes + model_.parents_of_target().size();
    const double share = units_.kept[node];
    if (!(share > 0)) return;
    const Range ci = interval_of(kept + node, share, v);
    const auto scaled = [&](double of) { return report.target_std_if_fixed * std::sqrt(std::max(of, 0.0) / share); };
    report.target_std_if_fixed_ci = {scaled(ci.low), scaled(ci.high)};
  }

  void add_range(int v, FeatureReport& report) const {
    const auto node = static_cast<std::size_t>(v), nodes = static_cast<std::size_t>(model_.nodes());
    const std::size_t ranges = 2 * model_.edges().size() + nodes, intrinsic = ranges + 2 * nodes;
    report.effect_range = units_.effect_range[node];
    if (model_.has_open_effect(v)) {
      report.total_effect_ci.low = interval_of(ranges + 2 * node, report.effect_range.low, v).low;
      report.total_effect_ci.high = interval_of(ranges + 2 * node + 1, report.effect_range.high, v).high;
    }
    report.intrinsic_percent = 100 * units_.intrinsic[node];
    const Range ci = interval_of(intrinsic + node, units_.intrinsic[node], v);
    report.intrinsic_ci = {percent_of(ci.low), percent_of(ci.high)};
  }

  Expected<void> contributions() {
    const auto& parents = model_.parents_of_target();
    const std::size_t first = 2 * model_.edges().size() + 4 * static_cast<std::size_t>(model_.nodes());
    result_.unexplained_percent = 100.0 * (1.0 - units_.shares.r_squared);
    result_.own_percent = 100.0 * units_.own;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      Contribution c;
      c.feature = column_of(parents[i]).name;
      c.label = choice_.reports[static_cast<std::size_t>(choice_.nodes[static_cast<std::size_t>(parents[i])].column)].label;
      for (const int m : choice_.nodes[static_cast<std::size_t>(parents[i])].members)
        add_names(frame_.columns[static_cast<std::size_t>(m)], c.members);
      const auto& also = column_of(parents[i]).also;
      c.members.insert(c.members.end(), also.begin(), also.end());
      c.percent = 100.0 * std::max(0.0, units_.shares.share[i]);
      const Range ci = interval_of(first + i, units_.shares.share[i], parents[i]);
      c.ci_low = percent_of(ci.low), c.ci_high = percent_of(ci.high);
      for (const Edge& e : result_.edges)
        if (e.from == c.feature && e.to == result_.target) c.sign = e.sign, c.stability = e.stability;
      c.of_rows = frame_.rows_used;
      result_.contributions.push_back(std::move(c));
      acts_.push_back("column");
    }
    if (frame_.target_kind == TargetKind::variability) {
      if (auto done = attributable(); !done) return done;
      auto few = launches_with_half_of_the_variability(frame_, communicator_);
      if (!few) return forward(few.error());
      half_of_variability_ = *few;
    }
    for (std::size_t i = 0; i < result_.contributions.size(); ++i) {
      Contribution& c = result_.contributions[i];
      const bool own = stands_on_its_own_.empty() || stands_on_its_own_[i];
      const bool large = c.attributable_percent
                             ? *c.attributable_percent >= kLeastPercent && c.attributable_ci_low >= kClearOfZero
                             : c.percent >= kLeastPercent && c.ci_low > 0;
      const bool may_act = !is_proxy(c.feature) || is_required(c.feature);
      c.undirected = std::any_of(result_.edges.begin(), result_.edges.end(), [&](const Edge& e) {
        return !e.directed && std::minmax(e.from, e.to) == std::minmax(c.feature, result_.target);
      });
      c.role = large && own && may_act && !c.undirected && c.sign != 0 && c.stability >= kStableEdge &&
                       !(only_between(parents[i]) && few_configurations(statistics_.configurations))
                   ? Role::cause
                   : Role::associated;
    }
    tell_drift();
    tell_earlier_work();
    tell_selection();
    tell_twins();
    for (std::size_t i = 0; i < stands_on_its_own_.size(); ++i)
      if (stands_on_its_own_[i] && result_.contributions[i].role != Role::cause) result_.rest.reset(); // it was taken away
    sort_contributions();
    return {};
  }

  /// Whether launches of one configuration are alike in a node's column.
  bool only_between(int node) const {
    const auto column = static_cast<std::size_t>(choice_.nodes[static_cast<std::size_t>(node)].column);
    const bool target = frame_.target_kind == TargetKind::column && column == frame_.target_column;
    return statistics_.only_configurations_differ_in(column) && !target;
  }

  void note_configurations() {
    std::vector<std::string> labels;
    for (int v = 0; v < model_.nodes(); ++v)
      if (only_between(v)) labels.push_back(words_for(name_of(v)));
    if (auto note = note_on_configurations(statistics_.configurations, labels)) result_.warnings.push_back(*note);
  }

  /// Rows that were chosen by the outcome.
  void tell_selection() {
    const auto& by = options_.selected_by;
    if (by.empty()) return;
    result_.selected_by_target = std::find(by.begin(), by.end(), frame_.target) != by.end();
    for (Contribution& c : result_.contributions)
      if (result_.selected_by_target) c.role = Role::associated;
    std::vector<std::string> labels;
    for (const std::string& name : by) labels.push_back(words_for(name));
    warn("selected-by-outcome",
         fmt::format("The rows were selected by {}: among rows chosen by their outcome, columns go with it that do not "
                     "act on it, and causes that act everywhere disappear{}. Select by kernel, time or configuration.",
                     fmt::join(labels, " and "),
                     result_.selected_by_target ? ", so nothing is called a cause here" : ""));
  }

  /// What goes with the target only as both drift over the rows is no cause by that alone.
  void tell_drift() {
    const auto& parents = model_.parents_of_target();
    const SlowAndFast discovery(statistics_.discovery);
    for (std::size_t i = 0; i < parents.size(); ++i) {
      Contribution& c = result_.contributions[i];
      if (c.role != Role::cause || only_between(parents[i]) || is_required(c.feature)) continue;
      c.drifts = model_.drift_with(parents[i], discovery).only_drift();
      if (c.drifts) c.role = Role::associated;
    }
  }

  /// What depends on the end of the launch before may only tell how long that one took (earlier.h).
  void tell_earlier_work() {
    const auto found = std::find_if(frame_.columns.begin(), frame_.columns.end(),
                                    [](const Column& c) { return c.name == kEarlierDeviation; });
    if (found == frame_.columns.end()) return;
    const auto earlier = static_cast<int>(found - frame_.columns.begin());
    const Moments& discovery = statistics_.discovery.total();
    if (!(discovery.cross(earlier, earlier) > 0)) return;
    const auto& parents = model_.parents_of_target();
    for (std::size_t i = 0; i < parents.size(); ++i) {
      Contribution& c = result_.contributions[i];
      if (c.role != Role::cause || !begins_at_the_end_of_earlier_work(c.feature) || is_required(c.feature)) continue;
      const int column = choice_.nodes[static_cast<std::size_t>(parents[i])].column;
      c.of_earlier_work = only_tells_of_earlier(discovery, model_.sides_with(parents[i]), column, earlier);
      if (c.of_earlier_work) c.role = Role::associated;
    }
  }

  /// Causes and what happens to nearly the same rows, by any of their measures.
  void tell_twins() {
    const Eigen::MatrixXd r = correlation_of(statistics_.raw.total().cross);
    const auto& parents = model_.parents_of_target();
    const auto measures = [&](std::size_t parent) {
      const Node& node = choice_.nodes[static_cast<std::size_t>(parents[parent])];
      std::vector<int> columns = node.members;
      columns.push_back(node.column);
      return columns;
    };
    const auto nearest = [&](std::size_t i, std::size_t k) {
      double most = 0;
      for (const int a : measures(i))
        for (const int b : measures(k)) most = std::max(most, std::fabs(r(a, b)));
      return most;
    };
    for (std::size_t i = 0; i < parents.size(); ++i)
      for (std::size_t k = 0; k < parents.size(); ++k)
        if (result_.contributions[i].role == Role::cause && result_.contributions[k].role != Role::cause &&
            nearest(i, k) > kTwins)
          result_.contributions[i].twins.push_back(result_.contributions[k].feature);
  }

  /// Goes with long launches without making them long.
  bool is_proxy(const std::string& feature) const {
    return frame_.target_kind != TargetKind::column && follows_from_earlier_work(feature);
  }

  bool is_required(const std::string& feature) const {
    const auto& required = options_.knowledge.required;
    return std::find(required.begin(), required.end(), std::pair{feature, frame_.target}) != required.end();
  }

  static void add_names(const Column& column, std::vector<std::string>& names) {
    names.push_back(column.name);
    names.insert(names.end(), column.also.begin(), column.also.end());
  }

  Expected<void> attributable() {
    std::vector<Suspect> suspects;
    for (const int p : model_.parents_of_target()) {
      Suspect s;
      s.column = choice_.nodes[static_cast<std::size_t>(p)].column;
      s.constant_in_configuration =
          statistics_.centring[static_cast<std::size_t>(s.column)] == Centring::kernel;
      s.shifts = model_.acts_by_shift(p), s.spreads = model_.acts_by_spread(p);
      s.sign = result_.contributions[suspects.size()].sign;
      s.proxy = is_proxy(result_.contributions[suspects.size()].feature);
      s.summary = counts_all_kinds(result_.contributions[suspects.size()].feature);
      s.weight = result_.contributions[suspects.size()].percent;
      for (const int node : model_.nodes_after(p)) s.leads_to.push_back(choice_.nodes[static_cast<std::size_t>(node)].column);
      suspects.push_back(s);
    }
    auto shares = attribute(frame_, suspects, resamples_, options_.seed, kLeastPercent / 100, communicator_, job_);
    if (!shares) return forward(shares.error());
    for (std::size_t i = 0; i < suspects.size(); ++i) {
      Contribution& c = result_.contributions[i];
      const Attribution& a = shares->suspects[i];
      c.attributable_percent = percent_of(a.share);
      c.attributable_ci_low = percent_of(a.interval.low), c.attributable_ci_high = percent_of(a.interval.high);
      c.rest_percent = 100.0 * std::max(0.0, a.increment);
      stands_on_its_own_.push_back(a.stands_alone);
      if (c.sign != 0 && a.direction != 0) c.sign = a.direction;
      if (suspects[i].constant_in_configuration) c.sign = a.direction;
      const Column& column = frame_.columns[static_cast<std::size_t>(suspects[i].column)];
      c.event = column.event || column.zero_inflated;
      // Beside what goes with it the coefficient has the other sign: launches with the event are longer, and neither is sure.
      if (c.event && !suspects[i].constant_in_configuration && c.sign * a.mean_extra_ns < 0) c.sign = 0;
      for (Edge& e : result_.edges)
        if (e.from == c.feature && e.to == result_.target) e.sign = c.sign;
      c.in_one_stretch = a.in_one_stretch, c.settings = a.settings;
      c.affected = a.affected, c.compared = a.compared, c.mean_extra_ns = a.mean_extra_ns;
      if (a.condition && a.stands_alone) tell_condition(*a.condition, c);
      acts_[i] = suspects[i].constant_in_configuration  ? "configuration"
                 : column.event || column.zero_inflated ? "event"
                 : a.spreads                            ? "spread"
                 : a.direction != 0                     ? "shift"
                                                        : "bend";
    }
    tell_rest(shares->left);
    return {};
  }

  /// One kernel of several that holds most of what is left, and clearly more than its part of the launches.
  void tell_rest(const std::vector<Attributions::Left>& left) {
    Attributions::Left all;
    for (const auto& kernel : left) all.launches += kernel.launches, all.variability += kernel.variability;
    const auto most = std::max_element(left.begin(), left.end(),
                                       [](const auto& a, const auto& b) { return a.variability < b.variability; });
    if (most == left.end() || !(all.variability > 0)) return;
    const double part = most->variability / all.variability;
    if (part < kMostOfTheRest || part * static_cast<double>(all.launches) < kClearlyMore * static_cast<double>(most->launches)) return;
    const auto name = source_.kernel_name(static_cast<std::uint32_t>(most - left.begin()));
    if (!name.empty()) result_.rest = Rest{name, 100 * part, most->launches};
  }

  /// The launches without the other feature are none of the cause's.
  void tell_condition(const Attribution::Condition& condition, Contribution& c) const {
    const Column& column = frame_.columns[static_cast<std::size_t>(condition.column)];
    c.only_where = Condition{column.name, words_for_condition(column, condition.value), condition.value,
                             100 * condition.variability};
    if (condition.affected > 0)
      c.mean_extra_ns *= static_cast<double>(c.affected) / static_cast<double>(condition.affected);
    c.affected = condition.affected, c.compared = std::min(c.compared, c.affected);
  }

  void sort_contributions() {
    std::vector<std::size_t> order(result_.contributions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) {
      const Contribution& c = result_.contributions[i];
      return std::tuple(c.role == Role::cause ? 0 : 1,
                        -share_step(c.attributable_percent.value_or(0.0) / 100), -c.percent, c.feature);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<Contribution> sorted;
    std::vector<std::string> acts;
    for (const auto i : order) sorted.push_back(result_.contributions[i]), acts.push_back(acts_[i]);
    result_.contributions = std::move(sorted), acts_ = std::move(acts);
  }

  Expected<void> nonlinear() {
    if (!options_.nonlinear) return {};
    std::vector<int> columns;
    for (const auto& c : result_.contributions)
      columns.push_back(choice_.nodes[static_cast<std::size_t>(choice_.find(frame_, c.feature))].column);
    auto checked = check_nonlinear(frame_, columns, options_, communicator_, job_);
    if (!checked) return forward(checked.error());
    result_.nonlinear = std::move(*checked);
    if (!result_.nonlinear) return {};
    for (std::size_t i = 0; i < columns.size(); ++i)
      result_.nonlinear->curves[i].feature = result_.contributions[i].feature,
      result_.nonlinear->curves[i].label = result_.contributions[i].label;
    return {};
  }

  /// Of a target that is a column: what is derived from durations has its own account of few rows that hold much.
  std::vector<FarValues> far_values() const {
    constexpr double clearly = 0.2;
    std::vector<FarValues> far;
    if (frame_.target_kind != TargetKind::column) return far;
    const Moments& units = statistics_.raw.total();
    const auto by_ranks = correlation_of(statistics_.discovery.total().cross), in_units = correlation_of(units.cross);
    const auto target = static_cast<Eigen::Index>(frame_.target_column);
    for (const Node& node : choice_.nodes) {
      const auto c = static_cast<Eigen::Index>(node.column);
      if (std::fabs(by_ranks(c, target)) < std::fabs(in_units(c, target)) + clearly) continue;
      const Column& column = frame_.columns[static_cast<std::size_t>(node.column)];
      const FeatureReport* feature = result_.find(column.name);
      const double low = column.minimum, high = column.maximum, mean = units.mean(c);
      far.push_back({feature ? feature->label : column.name, by_ranks(c, target), in_units(c, target),
                     mean - low > high - mean ? low : high, mean});
    }
    return far;
  }

  /// Columns that only configurations differ in cannot tell equal launches apart.
  bool may_bend(int node) const {
    const auto column = static_cast<std::size_t>(choice_.nodes[static_cast<std::size_t>(node)].column);
    return statistics_.centring[column] != Centring::kernel &&
           !is_proxy(name_of(node));
  }

  Expected<void> bends() {
    if (!options_.nonlinear) return {};
    std::vector<int> parents, candidates;
    const auto column = [&](int node) { return choice_.nodes[static_cast<std::size_t>(node)].column; };
    for (const int node : model_.parents_of_target()) parents.push_back(column(node));
    for (const int node : model_.possible_causes_off_the_graph())
      if (may_bend(node)) candidates.push_back(column(node));
    auto ranked = RankedSample::draw(frame_, parents, candidates, options_, communicator_, job_);
    if (!ranked) return forward(ranked.error());
    if (!*ranked) return {};
    auto found = look_for_bends(**ranked, candidates, job_);
    if (!found) return forward(found.error());
    for (const ColumnBend& bend : *found)
      result_.bends.push_back({name_of_column(bend.column), label_of_column(bend.column), 100 * bend.part});
    parents.insert(parents.end(), candidates.begin(), candidates.end());
    return joint_effects(**ranked, parents);
  }

  /// `columns`: those of the sample.
  Expected<void> joint_effects(const RankedSample& ranked, const std::vector<int>& columns) {
    const auto column = [&](int place) { return columns[static_cast<std::size_t>(place)]; };
    auto pairs = look_for_pairs(ranked, job_);
    if (!pairs) return forward(pairs.error());
    for (const ColumnPair& pair : *pairs)
      result_.pairs.push_back({name_of_column(column(pair.first)), name_of_column(column(pair.second)),
                               label_of_column(column(pair.first)), label_of_column(column(pair.second)),
                               100 * pair.part});
    // The variability of launches is looked at from the side of its spread anyway.
    if (frame_.target_kind != TargetKind::column) return {};
    auto spreads = look_for_spreads(ranked, job_);
    if (!spreads) return forward(spreads.error());
    for (const ColumnSpread& spread : *spreads) {
      const auto name = name_of_column(column(spread.column));
      const bool bends = std::any_of(result_.bends.begin(), result_.bends.end(),
                                     [&](const Bend& b) { return b.feature == name; });
      if (!bends) result_.spreads.push_back({name, label_of_column(column(spread.column)), 100 * spread.part});
    }
    return {};
  }

  const std::string& name_of_column(int column) const { return frame_.columns[static_cast<std::size_t>(column)].name; }
  std::string label_of_column(int column) const {
    const FeatureReport* feature = result_.find(name_of_column(column));
    return feature ? feature->label : name_of_column(column);
  }

  Expected<void> interventions() {
    for (const auto& [feature, value] : options_.interventions) {
      auto done = intervene(result_, feature, value);
      if (!done) return forward(done.error());
      if (done->extrapolates) {
        const FeatureReport* f = result_.find(feature);
        warn("extrapolation", fmt::format("{} = {:g} lies outside the observed range, {:g} to {:g}.",
                                          f->label, value, f->minimum, f->maximum));
      }
      result_.interventions.push_back(*done);
    }
    return options_.counterfactual_row < 0 ? Expected<void>{} : counterfactuals();
  }

  /// Abduction, action, prediction.
  Expected<void> counterfactuals() {
    if (options_.counterfactual_row >= source_.rows())
      return failure(ErrorKind::BadUse,
                     fmt::format("there is no row {} among {}", options_.counterfactual_row, source_.rows()));
    const auto row = frame_.row_values(options_.counterfactual_row);
    if (!row) return forward(row.error());
    auto target = frame_.target_of_row(options_.counterfactual_row, options_.centre);
    if (!target) return forward(target.error());
    const auto launch = frame_.launch_of_row(options_.counterfactual_row, options_.centre);
    if (!launch) return forward(launch.error());
    for (const Intervention& i : result_.interventions) {
      const int node = choice_.find(frame_, i.feature);
      const double from = (*row)(choice_.nodes[static_cast<std::size_t>(node)].column);
      if (std::isnan(from) || std::isnan(*target))
        return failure(ErrorKind::BadUse, fmt::format("row {} misses a value of {} or of {}",
                                                      options_.counterfactual_row, i.feature, frame_.target));
      auto c = counterfactual(result_, i.feature, from, i.value, *target, *launch);
      if (!c) return forward(c.error());
      c->row = options_.counterfactual_row;
      result_.counterfactuals.push_back(std::move(*c));
    }
    return {};
  }

  void warn(std::string code, std::string text) {
    result_.warnings.push_back({std::move(code), std::move(text)});
  }

  void telling() {
    Telling t;
    t.target = frame_.target_kind;
    t.acts = acts_;
    std::vector<std::uint32_t> kernels;
    for (std::uint32_t g = 0; g < frame_.groups.count; ++g)
      if (frame_.groups.rows[g] > 0) kernels.push_back(frame_.groups.kernel[g]);
    std::sort(kernels.begin(), kernels.end());
    const bool one = !kernels.empty() && kernels.front() == kernels.back();
    if (const auto name = one ? source_.kernel_name(kernels.front()) : std::string(); !name.empty())
      t.of_what = fmt::format(" of `{}`", name);
    for (const auto& f : result_.features) {
      t.has_clocks = t.has_clocks || f.name.find("clock") != std::string::npos;
      t.has_migrations = t.has_migrations || f.name.starts_with("migration");
      t.has_counters = t.has_counters || f.tier == static_cast<int>(Tier::counters);
    }
    result_.sentences = sentences(result_, t);
  }

  const RowSource& source_;
  Options options_;
  Communicator& communicator_;
  const Job& job_;
  Frame frame_;
  Statistics statistics_;
  NodeChoice choice_;
  Model model_;
  Model::InUnits units_;
  std::vector<std::vector<int>> resamples_;
  std::vector<std::vector<double>> replicates_;
  std::vector<std::string> acts_;
  std::vector<bool> stands_on_its_own_;
  bool all_ran_once_ = false; ///< so that the automatic reading became the pooled one
  std::int64_t half_of_variability_ = 0; ///< launches that hold it
  CausalResult result_;
};

} // namespace

Expected<CausalResult> analyse(const RowSource& source, const Options& options, Communicator& communicator,
                               const Job& job) {
  return Assembler(source, options, communicator, job).run();
}

} // namespace jitterscope::causal
