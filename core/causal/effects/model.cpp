#include "core/causal/effects/model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/base/similar_names.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr int kTargetTier =
    1'000; ///< tier of a derived target: after everything except columns of unknown tier
/// DiscoveryOptions::lingam_work in a comparison; DirectLiNGAM is left out above four times this.
constexpr double kOpinionWork = 3e8;
constexpr double kOpinionTests = 5e6; ///< DiscoveryOptions::work of the other methods

/// Maps named edges to vertices; a merged column is its representative, a derived target all of its sides.
struct EdgeNames {
  const Frame& frame;
  const NodeChoice& choice;
  int sides;
  bool must_match;
  std::vector<Warning>& warnings;

  Expected<std::vector<std::pair<int, int>>>
  resolve(const std::vector<std::pair<std::string, std::string>>& named) {
    std::vector<std::pair<int, int>> edges;
    for (const auto& [from, to] : named) {
      const auto a = vertices(from), b = vertices(to);
      if (!a) return forward(a.error());
      if (!b) return forward(b.error());
      for (const int x : *a)
        for (const int y : *b)
          if (x != y) edges.emplace_back(x, y);
    }
    return edges;
  }

  Expected<std::vector<int>> vertices(const std::string& name) {
    const int k = static_cast<int>(choice.nodes.size());
    std::vector<int> all;
    if (sides > 0 && name == frame.target) {
      for (int side = 0; side < sides; ++side) all.push_back(k + side);
      return all;
    }
    if (const int node = choice.find(frame, name); node >= 0) all.push_back(node);
    const bool known =
        contains(frame.reports, name, &FeatureReport::name) || contains(frame.columns, name, &Column::name);
    if (!known && must_match)
      return failure(ErrorKind::BadUse,
                     fmt::format("background knowledge names \"{}\", which is not a column", name), {}, {},
                     did_you_mean(name, mapped(frame.reports, &FeatureReport::name)));
    if (!known)
      warnings.push_back(note<notes::kKnowledgeOfNoColumn>(name));
    else if (all.empty())
      warnings.push_back(note<notes::kKnowledgeOfRemoved>(name));
    return all;
  }
};

} // namespace

Expected<Model> Model::discover(const Frame& frame, const Statistics& statistics, const NodeChoice& choice,
                                const Options& options, std::vector<Warning>& warnings, const Job& job) {
  Model m;
  m.nodes_ = static_cast<int>(choice.nodes.size());
  m.sides_ = statistics.sides;
  m.options_ = options.discovery;
  m.options_.cancelled = job.cancelled;
  m.method_ = options.method;
  m.candidates_ = static_cast<double>(
      frame.columns.size() < static_cast<std::size_t>(frame.candidates) ? frame.candidates : 0);
  const int q = statistics.columns();
  m.columns_ = m.raw_columns_ = mapped(choice.nodes, &Node::column);
  for (const Node& node : choice.nodes) {
    const int tier = frame.columns[node.column].tier;
    m.background_.tier.push_back(
        statistics.derived() && tier == static_cast<int>(Tier::unknown) ? kTargetTier + 1 : tier);
  }
  m.target_ = statistics.derived() ? m.nodes_ : choice.node_of[frame.target_column];
  if (statistics.derived()) m.raw_columns_.push_back(q);
  m.n_between_ = statistics.configurations.effective();
  for (const Node& node : choice.nodes)
    m.between_.push_back(statistics.has_between() && statistics.centring[node.column] == Centring::kernel);
  for (const Side side : m.sides_) m.between_.push_back(causal::between_configurations(side));
  const int sides = static_cast<int>(m.sides_.size());
  for (int s = 0; s < sides; ++s) {
    m.columns_.push_back(q + s);
    m.background_.tier.push_back(kTargetTier);
  }
  EdgeNames names{frame, choice, sides, options.knowledge_must_match, warnings};
  auto& required = m.background_.required;
  auto done = assign(required, names.resolve(options.knowledge.required));
  if (done) done = assign(m.background_.forbidden, names.resolve(options.knowledge.forbidden));
  if (!done) return forward(done.error());
  if (sides > 0) // columns constant in configurations act between configurations, others within them
    std::erase_if(required, [&](const auto& e) {
      return e.second >= m.nodes_ && m.between_[e.first] != m.between_[e.second];
    });
  // The sides are transformations of one quantity, not causes of each other.
  for (int a = 0; a < sides; ++a)
    for (int b = 0; b < sides; ++b)
      if (a != b) m.background_.forbidden.emplace_back(m.nodes_ + a, m.nodes_ + b);
  Digraph asked(static_cast<int>(m.columns_.size()));
  for (const auto& [from, to] : required) {
    if (m.background_.tier_of(from) > m.background_.tier_of(to))
      return failure(ErrorKind::BadUse, "a required edge goes from a later to an earlier tier");
    asked.parents[to].push_back(from);
  }
  if (!asked.acyclic()) return failure(ErrorKind::BadUse, "the required edges form a cycle");

  const Moments& total = statistics.discovery.total();
  const double first = m.residual_inflation(statistics, Digraph(static_cast<int>(m.columns_.size())));
  const Discovered rough = boss(m.input(total, statistics.degrees_of_freedom / first), m.options_);
  if (!rough.complete) return Job::cancelled_error();
  m.inflation_ = std::min(first, m.residual_inflation(statistics, rough.dag));
  m.n_eff_ = std::max(2.0, statistics.degrees_of_freedom / m.inflation_);
  const Eigen::MatrixXd rows = statistics.linear_rows.size() > 0
                                   ? Eigen::MatrixXd(statistics.linear_rows(Eigen::all, m.columns_))
                                   : Eigen::MatrixXd();
  if (m.method_ == Method::lingam) done = m.check_lingam(rough.dag, rows);
  if (!done) return forward(done.error());
  const DiscoveryInput final_input = m.input(total, m.n_eff_);
  const bool same = m.inflation_ == first && m.method_ == Method::boss;
  const Discovered found = same ? rough : causal::discover(m.method_, final_input, rows, m.options_);
  if (!found.complete) return Job::cancelled_error();
  m.read_edges(found);
  if (!options.second_opinions) return m;
  const auto left_out = m.ask_others(final_input, rows);
  if (job.cancelled()) return Job::cancelled_error();
  if (!left_out.empty()) warnings.push_back(note<notes::kMethodsLeftOut>(listed(left_out), m.nodes_));
  return m;
}

/// With Gaussian residuals DirectLiNGAM cannot determine the order; the theory allows one such column.
Expected<void> Model::check_lingam(const Digraph& dag, const Eigen::MatrixXd& rows) const {
  const int gaussian = gaussian_residuals(dag, rows);
  if (gaussian <= 1) return {};
  return failure(ErrorKind::BadInput,
                 fmt::format("DirectLiNGAM cannot be used: the residuals of {} of {} columns look Gaussian",
                             gaussian, columns_.size()),
                 {}, {}, "Use the method boss.");
}

std::vector<std::string> Model::ask_others(const DiscoveryInput& input, const Eigen::MatrixXd& rows) {
  std::vector<std::string> left_out;
  DiscoveryOptions quick = options_;
  quick.lingam_work = kOpinionWork, quick.work = kOpinionTests;
  const double lingam_work =
      std::pow(static_cast<double>(rows.cols()), 3) * static_cast<double>(lingam_rows(rows.cols(), quick));
  for (const Method method : {Method::boss, Method::pc, Method::ges, Method::lingam}) {
    if (method == method_) continue;
    if (method == Method::lingam && !check_lingam(search_dag_, rows)) continue;
    const bool too_much = method == Method::lingam && lingam_work > 4 * kOpinionWork;
    const Discovered other = too_much ? Discovered{Digraph(), PartialGraph(), {}, false}
                                      : causal::discover(method, input, rows, quick);
    if (!other.complete) {
      left_out.push_back(display_name(method));
      continue;
    }
    other_methods_.push_back(method);
    for (auto& edge : edges_) edge.opinions.push_back(opinion_on(edge, other));
  }
  return left_out;
}

Opinion Model::opinion_on(const ModelEdge& e, const Discovered& other) const {
  if (!sides_.empty() && e.to == target_) {
    const auto adjacent = [&](int side) { return other.cpdag.adjacent(e.from, side); };
    return std::ranges::any_of(target_vertices(), adjacent) ? Opinion::same : Opinion::absent;
  }
  if (!other.cpdag.adjacent(e.from, e.to)) return Opinion::absent;
  if (other.cpdag.undirected(e.from, e.to)) return e.directed ? Opinion::undirected : Opinion::same;
  if (!e.directed) return Opinion::directed;
  return other.cpdag.directed(e.from, e.to) ? Opinion::same : Opinion::reversed;
}

DiscoveryInput Model::input(const Moments& discovery, double n) const {
  DiscoveryInput input{correlation_of(discovery_covariance(discovery)), n, background_, candidates_};
  if (has_between())
    for (const auto between : between_) input.n_of.push_back(between ? n_between_ : n);
  return input;
}

/// Maximum variance inflation, over the sides in ranks, of the residual of the target on its parents.
double Model::residual_inflation(const Statistics& statistics, const Digraph& dag) const {
  if (statistics.of_configurations) return 1; // rows of one configuration repeat its mean
  const Moments& total = statistics.discovery.total();
  const LinearModel model = fit(discovery_covariance(total), dag);
  const auto inflation = [&](int vertex) {
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(total.mean.size());
    weights(columns_[vertex]) = 1;
    for (const int p : dag.parents[vertex]) weights(columns_[p]) -= model.coefficients(vertex, p);
    return statistics.discovery.variance_inflation(weights);
  };
  if (sides_.empty()) return inflation(target_);
  double largest = 1;
  for (std::size_t s = 0; s < sides_.size(); ++s)
    if (sides_[s] != Side::shift_log && !causal::between_configurations(sides_[s]))
      largest = std::max(largest, inflation(target_vertices()[s]));
  return largest;
}

std::vector<int> Model::target_vertices() const {
  if (sides_.empty()) return {target_};
  auto vertices = numbers_below<int>(sides_.size());
  for (int& v : vertices) v += nodes_;
  return vertices;
}

std::vector<int> Model::parents_in(const Digraph& dag) const {
  std::set<int> all;
  for (const int v : target_vertices()) {
    const auto& parents = dag.parents[v];
    all.insert(parents.begin(), parents.end());
  }
  return {all.begin(), all.end()};
}

void Model::read_edges(const Discovered& found) {
  search_dag_ = found.dag;
  parents_ = parents_in(found.dag);
  dag_ = Digraph(sides_.empty() ? nodes_ : nodes_ + 1);
  const auto side = [&](int v) { return v >= nodes_; };
  for (int v = 0; v < nodes_; ++v) {
    auto& parents = dag_.parents[v] = found.dag.parents[v];
    if (sides_.empty() || std::ranges::none_of(parents, side)) continue;
    std::erase_if(parents, side);
    parents.push_back(target_);
  }
  dag_.parents[target_] = parents_;
  for (int a = 0; a < nodes_; ++a)
    for (int b = 0; b < nodes_; ++b) {
      if (found.cpdag.directed(a, b))
        edges_.push_back({a, b, true, {}});
      else if (a < b && found.cpdag.undirected(a, b))
        edges_.push_back({a, b, false, {}});
    }
  if (!sides_.empty())
    for (const int p : parents_) edges_.push_back({p, target_, true, {}});
  // The search places columns of unknown tier after the target: their edges with it stay undirected.
  if (!sides_.empty())
    for (int v = 0; v < nodes_; ++v)
      if (dag_.has(target_, v)) edges_.push_back({v, target_, false, {}});
  for (int v = 0; v < nodes_; ++v) {
    parent_sets_.push_back(possible_parents(found.cpdag, background_, v));
    for (auto& set : parent_sets_.back()) // sides, which only the search has, are not parents of nodes
      std::erase_if(set, [&](int x) { return x >= nodes_; });
  }
}

void Model::join_bent(int node, double part) {
  edges_.push_back({node, target_, may_act(node), {}, true, part});
  if (!may_act(node)) return;
  parents_.insert(std::ranges::upper_bound(parents_, node), node);
  dag_.parents[target_] = parents_;
}

void Model::bend(int node, double part) {
  for (ModelEdge& e : edges_)
    if (std::minmax(e.from, e.to) == std::minmax(node, target_) && !(e.directed && e.to == node)) {
      if (!e.directed) e.from = node, e.to = target_;
      e.bent = true, e.part = part;
    }
}

std::vector<int> Model::next_to_target() const {
  std::set<int> nodes;
  for (const auto& e : edges_)
    if (e.from == target_ || e.to == target_) nodes.insert(e.from == target_ ? e.to : e.from);
  return {nodes.begin(), nodes.end()};
}

bool Model::leads_to(int node, std::initializer_list<Side> sides) const {
  for (std::size_t s = 0; s < sides_.size(); ++s)
    if (contains(sides, sides_[s]) && search_dag_.has(node, target_vertices()[s])) return true;
  return false;
}

std::vector<int> Model::off_the_graph() const {
  const auto joined = next_to_target();
  std::vector<int> nodes;
  for (int v = 0; v < nodes_; ++v)
    if (v != target_ && !contains(joined, v) && (may_act(v) || background_.tier_of(v) > kTargetTier))
      nodes.push_back(v);
  return nodes;
}

std::vector<int> Model::nodes_after(int node) const {
  std::vector<int> after{node};
  for (std::size_t i = 0; i < after.size(); ++i)
    for (const auto& e : edges_)
      if (e.directed && e.from == after[i] && e.to != target_ && !contains(after, e.to))
        after.push_back(e.to);
  after.erase(after.begin());
  return after;
}

bool Model::has_undirected_ancestor_edges() const {
  std::set<int> ancestors{target_};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& e : edges_)
      if ((ancestors.contains(e.to) && ancestors.insert(e.from).second) ||
          (!e.directed && ancestors.contains(e.from) && ancestors.insert(e.to).second))
        grown = true;
  }
  return std::ranges::any_of(edges_,
                             [&](const ModelEdge& e) { return !e.directed && ancestors.contains(e.to); });
}

std::vector<double> Model::standardised(const Moments& discovery) const {
  const LinearModel model = fit(correlation_of(discovery_covariance(discovery)), search_dag_);
  std::vector<double> coefficients;
  for (const auto& e : edges_) {
    if (sides_.empty() || e.to != target_) {
      const bool forward_edge = search_dag_.has(e.from, e.to);
      coefficients.push_back(forward_edge ? model.coefficients(e.to, e.from)
                                          : model.coefficients(e.from, e.to));
      continue;
    }
    double strongest = 0;
    for (const int side : target_vertices()) {
      const double b = e.directed ? model.coefficients(side, e.from) : model.coefficients(e.from, side);
      if (std::fabs(b) > std::fabs(strongest)) strongest = b;
    }
    coefficients.push_back(strongest);
  }
  return coefficients;
}

std::vector<TargetFit> Model::sides_with(int parent) const {
  const auto column = [&](int vertex) { return columns_[vertex]; };
  std::vector<TargetFit> found;
  for (const int side : target_vertices()) {
    if (!search_dag_.has(parent, side)) continue;
    auto& with_parents = found.emplace_back(TargetFit{column(side), {}});
    for (const int p : search_dag_.parents[side]) with_parents.regressors.push_back(column(p));
  }
  return found;
}

Model::InUnits Model::in_units(const Moments& raw) const {
  const Eigen::MatrixXd covariance = raw_covariance(raw);
  const LinearModel model = fit(covariance, dag_);
  const Eigen::MatrixXd total = total_effects(model);
  InUnits result;
  for (const auto& e : edges_)
    result.coefficient.push_back(dag_.has(e.from, e.to) ? model.coefficients(e.to, e.from)
                                                        : model.coefficients(e.from, e.to));
  const Eigen::VectorXd intrinsic = intrinsic_shares(model, target_);
  const double variance = total.row(target_).cwiseAbs2().dot(model.residual_variance.transpose());
  for (int v = 0; v < nodes_; ++v) {
    result.total_effect.push_back(v == target_ ? 0.0 : total(target_, v));
    result.intrinsic.push_back(v == target_ ? 0.0 : intrinsic(v));
    result.kept.push_back(
        v == target_ || !(variance > 0) ? 0.0 : variance_when_fixed(model, total, v, target_) / variance);
    Range range{result.total_effect.back(), result.total_effect.back()};
    if (has_open_effect(v) && v != target_)
      for (const auto& parents : parent_sets_[v]) {
        const double effect = effect_given_parents(covariance, v, target_, parents);
        range = {std::min(range.low, effect), std::max(range.high, effect)};
      }
    result.effect_range.push_back(range);
  }
  result.own = intrinsic(target_);
  return result;
}

double Model::std_when_fixed(const Moments& raw, int node) const {
  const LinearModel model = fit(raw_covariance(raw), dag_);
  return std::sqrt(std::max(0.0, variance_when_fixed(model, total_effects(model), node, target_)));
}

Model::Again Model::found_again(const Moments& discovery, const Moments& raw, std::uint64_t seed,
                                const std::function<bool()>& cancelled) const {
  DiscoveryOptions once = options_;
  once.cancelled = cancelled;
  once.restarts = 2; // from the current order, and from a random one
  once.start = search_dag_.topological_order();
  once.seed = seed;
  // DirectLiNGAM needs rows, which a resample of blocks does not have: its graph is tested by BOSS.
  const Method method = method_ == Method::lingam ? Method::boss : method_;
  const Discovered again = causal::discover(method, input(discovery, n_eff_), {}, once);
  const std::vector<int> parents = parents_in(again.dag);
  Again result;
  for (const auto& e : edges_) {
    const bool into_sides = !sides_.empty() && e.to == target_;
    const auto& own = again.dag.parents[e.from];
    const bool same = e.bent ? true
                      : into_sides && !e.directed
                          ? std::ranges::any_of(own, [&](int p) { return p >= nodes_; })
                      : into_sides ? std::ranges::binary_search(parents, e.from)
                      : e.directed ? again.cpdag.directed(e.from, e.to)
                                   : again.cpdag.adjacent(e.from, e.to);
    result.found.push_back(same ? 1.0 : 0.0);
  }
  result.shares = shares_among(parents, raw);
  result.parents = parents;
  return result;
}

std::vector<double> Model::shares_among(const std::vector<int>& parents, const Moments& raw) const {
  const Shares shares = lmg_shares(raw_covariance(raw), target_, parents);
  std::vector<double> result;
  for (const int p : parents_) {
    const auto at = std::ranges::lower_bound(parents, p);
    const bool there = at != parents.end() && *at == p;
    result.push_back(there ? shares.share[static_cast<std::size_t>(at - parents.begin())] : 0.0);
  }
  return result;
}

} // namespace jitterscope::causal
