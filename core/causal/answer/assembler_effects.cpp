#include "core/causal/answer/assembler.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/stop.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/statistics/effects.h"

namespace jitterscope::causal {

Expected<void> Assembler::bootstrap() {
  const std::size_t edges = model_.edges().size(), nodes = static_cast<std::size_t>(model_.nodes());
  const std::size_t parents = model_.parents_of_target().size();
  auto done = assign(resamples_, draw_resamples(statistics_.discovery.blocks(), frame_.plan.rows_per_block(),
                                                model_.inflation(), options_.bootstrap, options_.seed, job_));
  if (!done) return done;
  Halt halt(job_);
  const auto replicate = [&](int r) {
    const auto& weights = resamples_[r];
    const bool between = model_.has_between();
    const auto draws = between || statistics_.of_configurations
                           ? draw_configurations(frame_.groups.rows, options_.seed, r)
                           : std::vector<int>();
    const Moments discovery = statistics_.discovery_resampled(weights, draws);
    const Moments raw = statistics_.raw_resampled(weights, draws);
    Model::Again again = model_.found_again(discovery, raw, options_.seed + static_cast<std::uint64_t>(r),
                                            [&halt] { return halt.requested(); });
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
  done = assign(replicates_, run_replicates(options_.bootstrap, 2 * edges + 5 * nodes + parents, replicate,
                                            communicator_, job_, threads_of_rank()));
  if (!done) return done;
  units_ = model_.in_units(statistics_.raw.total());
  shares_ = model_.shares(statistics_.raw.total());
  add_edges();
  add_total_effects();
  return {};
}

void Assembler::resample_configurations(const std::vector<int>& draws, Model::InUnits& units,
                                        Model::Again& again) const {
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

Range Assembler::interval_of(std::size_t quantity, double estimate, int node) const {
  const bool between = node < model_.nodes() && model_.between_configurations(node);
  return expanded(percentile_interval(replicates_, quantity), estimate,
                  between ? interval_expansion(statistics_.configurations.effective(), 2)
                          : interval_expansion(model_.n_eff(), model_.nodes() + 1));
}

double Assembler::expansion_of_variances() const {
  const auto& columns = model_.raw_columns();
  const auto& parents = model_.parents_of_target();
  const Moments& total = statistics_.raw.total();
  const Eigen::MatrixXd covariance = total.cross(columns, columns) / total.n;
  const auto b = regress(covariance, model_.target(), parents).coefficients;
  const int target = columns[static_cast<std::size_t>(model_.target())];
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(total.mean.size());
  weights(target) = 1;
  for (std::size_t i = 0; i < parents.size(); ++i)
    weights(columns[parents[i]]) -= b(static_cast<Eigen::Index>(i));
  std::vector<double> terms;
  for (std::size_t k = 0; k < statistics_.raw.blocks(); ++k) {
    const Moments& block = statistics_.raw.block(k);
    const Eigen::VectorXd away = block.mean - total.mean;
    const double residual = weights.dot(block.cross * weights) + block.n * std::pow(weights.dot(away), 2);
    const double all = block.cross(target, target) + block.n * away(target) * away(target);
    terms.push_back(residual - (1 - shares_.r_squared) * all);
  }
  const auto units = units_of_resamples(
      terms.size(), static_cast<double>(frame_.plan.rows) / static_cast<double>(terms.size()),
      model_.inflation());
  return std::max(1.0, expansion_of_units(terms, units));
}

void Assembler::add_edges() {
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
      edge.sign = !e.bent && ci.excludes_zero() ? (edge.coefficient > 0 ? 1 : -1) : 0;
      for (const auto& r : replicates_) edge.stability += r[i];
      edge.stability /= static_cast<double>(replicates_.size());
    }
    result_.edges.push_back(std::move(edge));
  }
}

void Assembler::add_total_effects() {
  for (int v = 0; v < model_.nodes(); ++v) {
    if (v == model_.target()) continue;
    const auto report = std::ranges::find(result_.features, column_of(v).name, &FeatureReport::name);
    report->total_effect = units_.total_effect[v];
    report->total_effect_ci =
        interval_of(2 * model_.edges().size() + static_cast<std::size_t>(v), report->total_effect, v);
    add_range(v, *report);
    report->target_std_if_fixed = model_.std_when_fixed(statistics_.raw.total(), v);
    add_std_interval(v, *report);
  }
}

void Assembler::add_std_interval(int v, FeatureReport& report) const {
  const auto node = static_cast<std::size_t>(v), nodes = static_cast<std::size_t>(model_.nodes());
  const std::size_t kept = 2 * model_.edges().size() + 4 * nodes + model_.parents_of_target().size();
  const double share = units_.kept[node];
  if (!(share > 0)) return;
  const Range ci = interval_of(kept + node, share, v);
  const auto scaled = [&](double of) {
    return report.target_std_if_fixed * std::sqrt(std::max(of, 0.0) / share);
  };
  report.target_std_if_fixed_ci = {scaled(ci.low), scaled(ci.high)};
}

void Assembler::add_range(int v, FeatureReport& report) const {
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

} // namespace jitterscope::causal
