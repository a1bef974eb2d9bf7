#include "core/causal/answer/assembler.h"

#include <cmath>

#include <fmt/format.h>

#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/effects/joint_effects.h"
#include "core/causal/effects/nonlinear.h"

namespace jitterscope::causal {

Expected<void> Assembler::nonlinear() {
  if (!options_.nonlinear) return {};
  const auto columns = mapped(result_.contributions, [&](const Contribution& c) {
    return column_index(choice_.find(frame_, c.feature));
  });
  auto done = assign(result_.nonlinear, check_nonlinear(frame_, columns, options_, communicator_, job_));
  if (!done || !result_.nonlinear) return done;
  for (std::size_t i = 0; i < columns.size(); ++i)
    result_.nonlinear->curves[i].feature = result_.contributions[i].feature,
    result_.nonlinear->curves[i].label = result_.contributions[i].label;
  return {};
}

std::vector<FarValues> Assembler::far_values() const {
  constexpr double clearly = 0.2;
  std::vector<FarValues> far;
  if (frame_.target_kind != TargetKind::column) return far;
  const Moments& units = statistics_.raw.total();
  const auto by_ranks = correlation_of(statistics_.discovery.total().cross),
             in_units = correlation_of(units.cross);
  const auto target = static_cast<Eigen::Index>(frame_.target_column);
  for (const Node& node : choice_.nodes) {
    const auto c = static_cast<Eigen::Index>(node.column);
    if (std::fabs(by_ranks(c, target)) < std::fabs(in_units(c, target)) + clearly) continue;
    const Column& column = frame_.columns[node.column];
    const FeatureReport* feature = result_.find(column.name);
    const double low = column.minimum, high = column.maximum, mean = units.mean(c);
    far.push_back({feature ? feature->label : column.name, by_ranks(c, target), in_units(c, target),
                   mean - low > high - mean ? low : high, mean});
  }
  return far;
}

Expected<Assembler::BendSearch> Assembler::search_bends(bool joined) {
  BendSearch search;
  for (const int node : model_.parents_of_target()) search.parents.push_back(column_index(node));
  for (const int node : model_.off_the_graph())
    if (may_bend(node)) search.candidates.push_back(column_index(node));
  if (joined)
    for (const int node : model_.next_to_target())
      if (may_bend(node)) search.candidates.push_back(column_index(node));
  auto done = assign(search.ranked, RankedSample::draw(frame_, search.parents, search.candidates, options_,
                                                       communicator_, job_));
  if (done && search.ranked) done = assign(search.found, find_bends(*search.ranked, search.candidates, job_));
  if (!done) return forward(done.error());
  return search;
}

Expected<void> Assembler::join_bends() {
  if (!options_.nonlinear) return {};
  auto search = search_bends(true);
  if (!search) return forward(search.error());
  const auto joined = model_.next_to_target();
  for (const ColumnBend& bend : search->found) {
    const int node = choice_.node_of[bend.column];
    if (!contains(joined, node))
      model_.join_bent(node, bend.part);
    else if (bend.part > part_of_target(node)) // the line is a small part of it, and its sign is chance
      model_.bend(node, bend.part);
  }
  return {};
}

Expected<void> Assembler::bends() {
  if (!options_.nonlinear) return {};
  auto search = search_bends();
  if (!search) return forward(search.error());
  if (!search->ranked) return {};
  for (const ColumnBend& bend : search->found)
    result_.bends.push_back({name_of_column(bend.column), label_of_column(bend.column), 100 * bend.part});
  std::vector<int> columns = search->parents;
  columns.insert(columns.end(), search->candidates.begin(), search->candidates.end());
  return joint_effects(*search->ranked, columns);
}

Expected<void> Assembler::joint_effects(const RankedSample& ranked, const std::vector<int>& columns) {
  const auto column = [&](int place) { return columns[place]; };
  auto pairs = find_pairs(ranked, job_);
  if (!pairs) return forward(pairs.error());
  // The duration is a product of its factors: each acts more where others lengthen the launch.
  const auto is_factor = [&](int place) {
    return place >= 0 && frame_.columns[static_cast<std::size_t>(column(place))].factor;
  };
  for (const ColumnPair& pair : *pairs) {
    if (is_factor(pair.first) || is_factor(pair.second)) continue;
    const bool configuration = pair.second == ColumnPair::kConfiguration;
    result_.pairs.push_back({name_of_column(column(pair.first)),
                             configuration ? "configuration" : name_of_column(column(pair.second)),
                             label_of_column(column(pair.first)),
                             configuration ? "configuration" : label_of_column(column(pair.second)),
                             100 * pair.part});
  }
  if (frame_.target_kind == TargetKind::variability) return {}; // the spread is the target itself
  auto spreads = find_spreads(ranked, job_);
  if (!spreads) return forward(spreads.error());
  for (const ColumnSpread& spread : *spreads) {
    const auto name = name_of_column(column(spread.column));
    const bool bends = contains(result_.bends, name, &Bend::feature);
    const bool curved = result_.shares_of_levels && spread.column < ranked.parents; // lines leave the curve
    if (!bends && !curved)
      result_.spreads.push_back({name, label_of_column(column(spread.column)), 100 * spread.part});
  }
  return {};
}

Expected<void> Assembler::interventions() {
  for (const auto& [feature, value] : options_.interventions) {
    auto done = intervene(result_, feature, value);
    if (!done) return forward(done.error());
    if (done->extrapolates) {
      const FeatureReport* f = result_.find(feature);
      result_.warnings.push_back(note<notes::kExtrapolation>(f->label, value, f->minimum, f->maximum));
    }
    result_.interventions.push_back(*done);
  }
  return options_.counterfactual_row < 0 ? Expected<void>{} : counterfactuals();
}

Expected<void> Assembler::counterfactuals() {
  if (options_.counterfactual_row >= source_.rows())
    return failure(ErrorKind::BadUse,
                   fmt::format("there is no row {} among {}", options_.counterfactual_row, source_.rows()));
  const auto row = frame_.row(options_.counterfactual_row);
  if (!row) return forward(row.error());
  for (const Intervention& i : result_.interventions) {
    const int node = choice_.find(frame_, i.feature);
    const double from = row->values(column_index(node));
    if (std::isnan(from) || std::isnan(row->target))
      return failure(ErrorKind::BadUse, fmt::format("row {} has no value of {} or of {}",
                                                    options_.counterfactual_row, i.feature, frame_.target));
    auto c = counterfactual(result_, i.feature, from, i.value, row->target, row->launch);
    if (!c) return forward(c.error());
    c->row = options_.counterfactual_row;
    result_.counterfactuals.push_back(std::move(*c));
  }
  return {};
}

} // namespace jitterscope::causal
