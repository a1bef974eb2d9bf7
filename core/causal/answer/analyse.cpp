#include "core/causal/answer/assembler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/causal/answer/sentences.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/table/blank_rows.h"
#include "core/causal/table/derived_rows.h"
#include "core/causal/table/directed_rows.h"
#include "core/causal/table/lagged_rows.h"
#include "core/causal/table/shuffled_rows.h"
#include "core/causal/table/survey_frame.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {

constexpr double kMostPercent = 50;

Expected<CausalResult> Assembler::run() {
  for (auto step :
       {&Assembler::prepare, &Assembler::give_rows_back, &Assembler::join_bends, &Assembler::describe,
        &Assembler::bootstrap, &Assembler::contributions, &Assembler::nonlinear, &Assembler::bends,
        &Assembler::interventions, &Assembler::add_open_associations})
    if (auto done = (this->*step)(); !done) return forward(done.error());
  fold_causes();
  note_configurations();
  for (const Contribution& c : result_.contributions)
    if (c.role == Role::cause && c.only_where) result_.warnings.push_back(note_on_condition(c));
  add_notes(result_, frame_, model_, {acts_, source_.features().size(), half_of_variability_, far_values()});
  for (auto& remark : source_.remarks()) result_.warnings.push_back(std::move(remark));
  drop_edges_between_levels();
  write_sentences();
  return std::move(result_);
}

void Assembler::drop_edges_between_levels() {
  std::map<std::string_view, std::size_t> category; // by name of a level: the feature
  for (const Column& column : frame_.columns)
    if (column.kind == Column::Kind::level) category.emplace(column.name, column.source);
  std::erase_if(result_.edges, [&](const Edge& e) {
    const auto from = category.find(e.from), to = category.find(e.to);
    return from != category.end() && to != category.end() && from->second == to->second;
  });
}

Expected<void> Assembler::prepare() {
  auto done = assign(frame_, survey_frame(source_, options_, communicator_, job_));
  if (!done) return done;
  if (frame_.target_kind != TargetKind::variability && options_.reading == Reading::automatic &&
      rows_with_peers() < kMinRowsToDistinguish && frame_.rows_used >= kMinRowsToDistinguish) {
    options_.reading = Reading::pooled, all_ran_once_ = true;
    return prepare();
  }
  if (frame_.rows_used == 0 && frame_.rows_single > 0)
    return failure(
        ErrorKind::BadInput,
        "every configuration ran once in the analysed launches, so none of them has launches of the "
        "same configuration to compare with");
  if (frame_.rows_used < kMinRowsToDistinguish)
    return failure(ErrorKind::BadInput,
                   fmt::format("{}, but at least {} are needed to distinguish a cause from chance",
                               frame_.rows_used < source_.rows()
                                   ? fmt::format("only {} of {} rows can be used", grouped(frame_.rows_used),
                                                 grouped(source_.rows()))
                               : frame_.rows_used == 1
                                   ? std::string("there is only 1 row")
                                   : fmt::format("there are only {} rows", frame_.rows_used),
                               kMinRowsToDistinguish));
  done = assign(statistics_, gather_statistics(frame_, options_, communicator_, job_));
  if (!done) return done;
  if (!(statistics_.raw.total().cross(raw_target(), raw_target()) > 0))
    return failure(ErrorKind::BadInput,
                   fmt::format("{} is the same in all rows used: there is nothing to explain", frame_.target),
                   {}, kTargetPlace, "Name another target with --target.");
  choice_ = choose_nodes(frame_, statistics_);
  result_.warnings = choice_.warnings;
  return assign(model_, Model::discover(frame_, statistics_, choice_, options_, result_.warnings, job_));
}

std::int64_t Assembler::rows_with_peers() const {
  if (frame_.groups.count == 0) return frame_.rows_used;
  std::map<std::uint32_t, std::int64_t> of_kernel;
  for (std::uint32_t g = 0; g < frame_.groups.count; ++g)
    of_kernel[frame_.groups.kernel[g]] += frame_.groups.rows[g];
  std::int64_t rows = 0;
  for (const auto& [kernel, count] : of_kernel) rows += count > 1 ? count : 0;
  return rows;
}

Expected<void> Assembler::give_rows_back() {
  if (frame_.rows_incomplete == 0) return {};
  std::set<std::size_t> joined;
  for (const ModelEdge& e : model_.edges())
    for (const int v : {e.from, e.to})
      if (v < model_.nodes()) joined.insert(column_of(v).source);
  std::set<std::string> leaving;
  for (const Column& c : frame_.columns) {
    const std::string& name = source_.features()[c.source].name;
    const bool asked = std::ranges::any_of(
        options_.interventions, [&](const auto& i) { return i.first == name || i.first == c.name; });
    if (c.missing > 0 && name != frame_.target && !asked && !joined.contains(c.source)) leaving.insert(name);
  }
  if (leaving.empty()) return {};
  options_.left_out.insert(options_.left_out.end(), leaving.begin(), leaving.end());
  if (auto done = prepare(); !done) return done;
  for (FeatureReport& r : frame_.reports)
    if (leaving.contains(r.name))
      r.reason =
          "has no edge in the rows that have a value; left out so that rows without a value can be used";
  return {};
}

Expected<void> Assembler::describe() {
  auto& r = result_;
  r.target = frame_.target;
  r.target_label = words_for(frame_.target);
  if (frame_.target_kind == TargetKind::variability)
    r.target_label += ", |duration − mean of its configuration|";
  r.target_unit = frame_.target_kind == TargetKind::column ? frame_.columns[frame_.target_column].unit : "ns";
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
  std::ranges::stable_sort(r.features, {}, [](const FeatureReport& f) { return std::tie(f.tier, f.name); });
  return {};
}

void Assembler::describe_reading() {
  const bool groups = frame_.groups.count > 0;
  const Reading reading = groups ? options_.reading : Reading::pooled;
  const auto& centring = statistics_.centring;
  const bool config = std::ranges::any_of(
      choice_.nodes, [&](const Node& n) { return centring[n.column] == Centring::kernel; });
  const bool automatic = reading == Reading::automatic;
  result_.reading = automatic && config ? "within kernel" : automatic ? "within" : to_string(reading);
  result_.reading_text =
      reading == Reading::pooled ? "All rows are compared with each other."
      : reading == Reading::between && !options_.part.empty()
          ? "Means of these groups are compared, each weighted by its rows."
      : reading == Reading::between ? "Means of configurations are compared, each weighted by its launches."
      : automatic && config
          ? "Launches are compared with launches of the same configuration, and configurations with other "
            "configurations of the same kernel."
          : "Launches are compared with launches of the same configuration.";
  if (automatic && frame_.target_kind == TargetKind::variability)
    result_.reading_text += " Variance shares and effects are computed over all launches.";
  if (frame_.target_kind == TargetKind::variability)
    result_.reading_text += " Attributable shares are parts of Σ |duration − median of the configuration|.";
  if (all_ran_once_)
    result_.reading_text += " Hardly any kernel ran more than once, so there are too few launches with the "
                            "same configuration to compare.";
}

void Assembler::write_sentences() {
  SentenceContext t;
  t.target = frame_.target_kind;
  t.acts = acts_, t.part = options_.part, t.besides_groups = options_.besides_groups;
  std::vector<std::uint32_t> kernels;
  for (std::uint32_t g = 0; g < frame_.groups.count; ++g)
    if (frame_.groups.rows[g] > 0) kernels.push_back(frame_.groups.kernel[g]);
  std::ranges::sort(kernels);
  const bool one = !kernels.empty() && kernels.front() == kernels.back();
  if (const auto name = one ? source_.kernel_name(kernels.front()) : std::string(); !name.empty())
    t.of_what = fmt::format(" of `{}`", name);
  t.call_sites = source_.call_sites_in_words(frame_.groups.rows);
  result_.without_cause_percent = percent_without_cause(result_);
  result_.sentences = sentences(result_, t);
  // A table that states no kernel lists runs of one program, whose parameters are part of the question.
  const double between = percent_between_configurations();
  if (one && source_.kernel_name(kernels.front()).empty() && between >= kMostPercent)
    result_.sentences.push_back(
        fmt::format("This answer compares rows of one configuration; {:.0f} % of the variance of the "
                    "durations is between "
                    "configurations: choose the duration as the target to explain it (--target duration).",
                    between));
}

double Assembler::percent_between_configurations() const {
  const Groups& groups = frame_.groups;
  if (frame_.target_kind != TargetKind::variability || groups.count < 2) return 0;
  double n = 0, sum = 0, between = 0;
  for (std::uint32_t g = 0; g < groups.count; ++g)
    n += static_cast<double>(groups.rows[g]), sum += static_cast<double>(groups.rows[g]) * groups.mean[g];
  if (!(n > 0)) return 0;
  for (std::uint32_t g = 0; g < groups.count; ++g)
    between += static_cast<double>(groups.rows[g]) * std::pow(groups.mean[g] - sum / n, 2);
  const double within = n * (std::pow(result_.target_mean, 2) + std::pow(result_.target_std, 2));
  return between + within > 0 ? 100 * between / (between + within) : 0;
}

Expected<CausalResult> analyse(const RowSource& source, const Options& options, Communicator& communicator,
                               const Job& job) {
  const auto blanks = BlankRows::make(source, options, communicator, job);
  if (!blanks) return forward(blanks.error());
  const auto ordered = ShuffledRows::make(*blanks, options, job);
  if (!ordered) return forward(ordered.error());
  const auto directed = DirectedRows::make(*ordered, options, job);
  if (!directed) return forward(directed.error());
  auto rows = GroupedRows::make(*directed, options, communicator, job);
  if (!rows) return forward(rows.error());
  auto lags = rows->by_unit() ? std::vector<Lag>() : find_lags(*rows, options, communicator, job);
  if (!lags) return forward(lags.error());
  const LaggedRows lagged(*rows, std::move(*lags));
  const auto warm_up = find_warm_up(*rows, communicator, job);
  if (!warm_up) return forward(warm_up.error());
  const auto previous = rows->by_unit() ? Expected<bool>(false) : depends_on_previous_kernel(*rows, job);
  if (!previous) return forward(previous.error());
  const DerivedRows derived(lagged, *previous, *warm_up);
  const auto ask = [&](const Options& asked) { return Assembler(derived, asked, communicator, job).run(); };
  Options named = options;
  named.knowledge = lagged.renamed(std::move(named.knowledge));
  auto answer = rows->row_groups() ? answer_by_groups(*rows, named, ask, communicator, job) : ask(named);
  if (answer && *warm_up) answer->warnings.insert(answer->warnings.begin(), note_on(**warm_up));
  return answer;
}

} // namespace jitterscope::causal
