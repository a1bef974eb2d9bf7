// Causes of a target that is a column or a duration: shares by levels and values, and tests of the rows.

#include "core/causal/answer/assembler.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/duration_names.h"
#include "core/causal/answer/sentences.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/effects/level_shares.h"
#include "core/causal/effects/nonlinear.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {

Expected<void> Assembler::share_by_levels(double expansion) {
  const auto& parents = model_.parents_of_target();
  if (!options_.nonlinear || frame_.target_kind == TargetKind::variability ||
      std::ranges::any_of(parents, [&](int p) { return only_between(p); }))
    return {};
  // Whether an event happened is in the graph, but its amount has the share.
  auto columns = mapped(parents, [&](int p) { return column_index(p); });
  bool by_amount = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& event = frame_.columns[columns[i]];
    if (event.kind != Column::Kind::positive) continue;
    const auto amount = std::ranges::find_if(frame_.columns, [&](const Column& column) {
      return column.kind == Column::Kind::value && column.source == event.source;
    });
    const auto place = static_cast<int>(amount - frame_.columns.begin());
    if (amount == frame_.columns.end() || contains(columns, place)) continue;
    columns[i] = place, by_amount = true;
    result_.contributions[i].label = label_of_column(place);
  }
  auto sample = sample_for_curves(frame_, columns, options_, communicator_, job_);
  if (!sample) return forward(sample.error());
  if (!*sample) return {};
  auto levels =
      level_shares(**sample, model_.inflation(), options_.bootstrap, options_.seed, job_, by_amount);
  if (!levels) return forward(levels.error());
  if (!*levels) return {};
  result_.shares_of_levels = true;
  result_.unexplained_percent = 100 * (1 - (*levels)->r_squared);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    Contribution& c = result_.contributions[i];
    const double share = (*levels)->share[i];
    const Range ci = expanded((*levels)->intervals[i], share,
                              expansion * interval_expansion(model_.n_eff(), model_.nodes() + 1));
    c.percent = 100 * share, c.alone_percent = 100 * (*levels)->alone[i];
    c.ci_low = percent_of(ci.low), c.ci_high = percent_of(ci.high);
  }
  return {};
}

// A state that is measured during the run (a temperature, a clock) may merely follow what also acts on the
// target. If that is a column whose direction is open, no edge of the graph says so, because measured states
// come before open columns: the state is then no cause unless it predicts the target in addition to these
// columns. A consequence of the target leaves part of the correlation.
void Assembler::test_given_open() {
  constexpr double kClear = 3;    // standard errors
  constexpr double kSame = 0.995; // R² of a column that is nearly the target itself
  std::vector<int> open;
  for (const ModelEdge& e : model_.edges())
    if (!e.directed && (e.from == model_.target() || e.to == model_.target()))
      open.push_back(column_index(e.from == model_.target() ? e.to : e.from));
  if (open.empty() || frame_.target_kind == TargetKind::variability) return;
  const Moments& total = statistics_.discovery.total();
  const Eigen::MatrixXd covariance = total.cross / total.n;
  const auto target = static_cast<int>(raw_target());
  std::vector<int> others = mapped(model_.parents_of_target(), [&](int p) { return column_index(p); });
  for (const int o : open)
    if (!contains(others, o)) others.push_back(o);
  if (regress(covariance, target, open).r_squared > kSame) return;
  for (std::size_t i = 0; i < result_.contributions.size(); ++i) {
    Contribution& c = result_.contributions[i];
    const int node = model_.parents_of_target()[i], column = column_index(node);
    if (c.role != Role::cause || is_required(c.feature) ||
        column_of(node).tier != static_cast<int>(Tier::context))
      continue;
    auto without = others;
    std::erase(without, column);
    auto with = without;
    with.push_back(column);
    const auto all = regress(covariance, target, with);
    const double before = regress(covariance, target, without).r_squared,
                 partial = std::sqrt(
                     std::clamp((all.r_squared - before) / std::max(1 - before, 1e-12), 0.0, 1 - 1e-12)),
                 clear = std::atanh(partial) *
                         std::sqrt(std::max(model_.n_eff() - static_cast<double>(with.size()) - 3, 1.0));
    const double slope = all.coefficients(static_cast<Eigen::Index>(with.size()) - 1);
    if (clear >= kClear && slope * c.sign >= 0) continue;
    c.role = Role::associated;
    const int strongest = *std::ranges::max_element(
        open, {}, [&](int o) { return covariance(o, target) * covariance(o, target) / covariance(o, o); });
    c.explained_by = label_of_column(strongest);
  }
}

// As for the suspects of launches (amounts/judgement.h), for other targets than their variability.
Expected<void> Assembler::test_rows(const std::vector<int>& nodes, std::vector<Contribution>& of_nodes) {
  if (frame_.target_kind == TargetKind::variability) return {};
  std::vector<std::size_t> tested;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto& name = of_nodes[i].feature;
        !only_between(nodes[i]) && !is_required(name) && !column_of(nodes[i]).factor && name != kLaunchAge)
      tested.push_back(i);
  if (tested.empty()) return {};
  const auto columns = mapped(tested, [&](std::size_t i) { return column_index(nodes[i]); });
  const auto sample = StretchSample::draw(frame_, columns, false, communicator_, job_);
  if (!sample) return forward(sample.error());
  const bool lasts = frame_.target_kind == TargetKind::duration ||
                     frame_.columns[frame_.target_column].tier == static_cast<int>(Tier::duration) ||
                     duration_name(words_of(frame_.target)) != DurationName::none;
  for (std::size_t k = 0; k < tested.size(); ++k) {
    if (job_.cancelled()) return Job::cancelled_error();
    const int node = nodes[tested[k]];
    Contribution& c = of_nodes[tested[k]];
    const CauseTest test = test_cause(*sample, static_cast<Eigen::Index>(k), column_of(node), lasts,
                                      model_.is_bent(node), static_cast<std::size_t>(model_.nodes()));
    c.of_length = test == CauseTest::follows_from_length, c.drifts = test == CauseTest::drifts;
    if (test != CauseTest::passed) c.role = Role::associated;
  }
  return {};
}

// The graph has a column for each value of a category, but users ask for the category. The strongest value
// represents it, with the sum of the shares.
Expected<void> Assembler::join_values() {
  if (frame_.target_kind == TargetKind::variability) return {};
  const auto& parents = model_.parents_of_target();
  std::map<std::size_t, std::vector<std::size_t>> of_category; // contributions by feature of the source
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const Contribution& c = result_.contributions[i];
    const Column& column = column_of(parents[i]);
    if (column.kind == Column::Kind::level && !c.undirected && !c.drifts && !c.of_length &&
        c.explained_by.empty() && c.stability >= kStableEdge)
      of_category[column.source].push_back(i);
  }
  for (auto& [source, values] : of_category) {
    if (values.size() < 2) continue;
    std::ranges::stable_sort(values, std::greater(),
                             [&](auto i) { return result_.contributions[i].percent; });
    Contribution& c = result_.contributions[values.front()];
    double below = 0, above = 0, percent = 0;
    for (const auto i : values) {
      const Contribution& value = result_.contributions[i];
      percent += value.percent;
      below += std::pow(value.percent - value.ci_low, 2), above += std::pow(value.ci_high - value.percent, 2);
    }
    c.percent = percent, c.sign = 0;
    c.ci_low = std::max(0.0, percent - std::sqrt(below)),
    c.ci_high = std::min(100.0, percent + std::sqrt(above));
    c.role = percent >= kMinPercent && c.ci_low > 0 ? Role::cause : Role::associated;
    const auto& name = source_.features()[source].name;
    c.label = words_for(name);
    std::vector<int> columns;
    for (std::size_t k = 0; k < frame_.columns.size(); ++k)
      if (frame_.columns[k].kind == Column::Kind::level && frame_.columns[k].source == source)
        columns.push_back(static_cast<int>(k));
    const auto sample = StretchSample::draw(frame_, columns, false, communicator_, job_);
    if (!sample) return forward(sample.error());
    std::vector<double> means;
    for (Eigen::Index k = 0; k < sample->predictors(); ++k) {
      const auto has =
          (sample->z.col(k).array() * sample->deviation(k) + sample->mean(k) > 0.5).cast<double>();
      means.push_back((has * sample->y().array()).sum() / std::max(has.sum(), 1.0));
    }
    const auto value_at = [&](auto found) {
      return frame_.columns[columns[found - means.begin()]].name.substr(name.size() + 1);
    };
    const auto [lowest, highest] = std::ranges::minmax_element(means);
    c.lowest_at = value_at(lowest), c.highest_at = value_at(highest);
    for (std::size_t k = 1; k < values.size(); ++k) {
      Contribution& value = result_.contributions[values[k]];
      value.under = c.feature, value.role = Role::associated;
      c.members.push_back(value.feature);
    }
  }
  return {};
}

} // namespace jitterscope::causal
