#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include "core/causal/base/knowledge.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/result.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/effects/nodes.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/shapley.h"
#include "core/causal/table/statistics.h"

namespace jitterscope::causal {

/// An edge of the answer, by vertex; `to` is the target's vertex for edges into any side of the target.
struct ModelEdge {
  int from = 0;
  int to = 0;
  bool directed = true;
  std::vector<Opinion> opinions; ///< one per method of Model::other_methods()
  bool bent = false; ///< found along a curve, on rows not used in the fit: resamples of moments cannot
                     ///< reproduce it
  double part = 0;   ///< bent: fraction of the variance of the target's ranks
};

/// The graph over nodes and target, with everything that is estimated on it. Vertices are the nodes 0 … k −
/// 1; a derived target is vertex k and is searched for from several sides (Statistics::sides), whose parents
/// are joined.
class Model {
public:
  /// Runs the discovery with the effective sample size, in two steps: first with the autocorrelation of the
  /// target, then with the autocorrelation of its residual on the parents found first.
  static Expected<Model> discover(const Frame& frame, const Statistics& statistics, const NodeChoice& choice,
                                  const Options& options, std::vector<Warning>& warnings, const Job& job);

  int nodes() const { return nodes_; }
  int target() const { return target_; }
  double n_eff() const { return n_eff_; }
  double inflation() const { return inflation_; }
  /// Whether a node's column is constant within configurations: its sample size is the number of
  /// configurations.
  bool between_configurations(int node) const { return between_[node] != 0; }
  bool has_between() const { return contains(between_, 1); }
  const std::vector<ModelEdge>& edges() const { return edges_; }
  const std::vector<int>& parents_of_target() const { return parents_; }
  /// Column of the raw moments, by vertex.
  const std::vector<int>& raw_columns() const { return raw_columns_; }
  /// Adds an edge of a column on which the target depends non-linearly (joint_effects.h): a parent of the
  /// target, or without direction if the node may not act on it.
  void join_bent(int node, double part);
  /// Marks the edge of a node with the target as bent.
  void bend(int node, double part);
  /// The nodes joined to the target, ascending.
  std::vector<int> next_to_target() const;
  bool is_bent(int node) const {
    return std::ranges::any_of(edges_, [&](const ModelEdge& e) { return e.bent && e.from == node; });
  }
  /// Whether background knowledge allows the node to act on the target.
  bool may_act(int node) const { return background_.allows(node, target_vertices().front()); }
  /// Nodes without an edge to the target that may act on it, or of which it is unknown whether they do.
  std::vector<int> off_the_graph() const;
  /// Whether the node's effect differs between members of the equivalence class.
  bool has_open_effect(int node) const { return parent_sets_[node].size() > 1; }
  bool acts_by_shift(int node) const {
    return is_bent(node) || leads_to(node, {Side::shift_log, Side::shift_rank, Side::value});
  }
  bool acts_by_spread(int node) const {
    return leads_to(node, {Side::spread_rank, Side::spread_between, Side::value});
  }
  bool has_undirected_ancestor_edges() const;
  /// The nodes that a node acts on, directly or indirectly, by directed edges.
  std::vector<int> nodes_after(int node) const;
  /// Methods that are run in addition to the chosen one.
  const std::vector<Method>& other_methods() const { return other_methods_; }

  /// One standardised coefficient per edge, on the discovery scale; for edges into a derived target, that of
  /// the side on which the edge is strongest.
  std::vector<double> standardised(const Moments& discovery) const;
  /// Coefficients in units and everything derived from them.
  struct InUnits {
    std::vector<double> coefficient;  ///< coefficient of each edge
    std::vector<double> total_effect; ///< total effect of every node on the target
    /// By node: total effects over the members of the class (IDA); a single value if all edges are directed.
    std::vector<Range> effect_range;
    std::vector<double> intrinsic; ///< share of the target's variance that originates in each node
    /// By node: share of the variance that remains when the node is held fixed.
    std::vector<double> kept;
    double own = 0; ///< share of the variance that originates in the target itself
  };
  InUnits in_units(const Moments& raw) const;
  /// Of the target's variance, by parent.
  Shares shares(const Moments& raw) const { return lmg_shares(raw_covariance(raw), target_, parents_); }
  double std_when_fixed(const Moments& raw, int node) const;

  /// The sides of the target that a parent leads to, with all their parents: columns of the discovery
  /// moments.
  std::vector<TargetFit> sides_with(int parent) const;

  /// Result of a search on a resample.
  struct Again {
    std::vector<double> found;  ///< by edge: 1 if found again (if directed, in the same direction), else 0
    std::vector<double> shares; ///< LMG shares of parents_of_target() among the parents found; 0 if not found
    std::vector<int> parents;   ///< parents found in the resample
  };
  std::vector<double> shares_among(const std::vector<int>& parents, const Moments& raw) const;
  /// `cancelled` is polled by the calling thread.
  Again found_again(const Moments& discovery, const Moments& raw, std::uint64_t seed,
                    const std::function<bool()>& cancelled) const;

private:
  DiscoveryInput input(const Moments& discovery, double n) const;
  Expected<void> check_lingam(const Digraph& dag, const Eigen::MatrixXd& rows) const;
  /// Runs the other methods; returns the names of methods that were left out because they exceeded their work
  /// budget.
  std::vector<std::string> ask_others(const DiscoveryInput& input, const Eigen::MatrixXd& rows);
  Opinion opinion_on(const ModelEdge& edge, const Discovered& other) const;
  Eigen::MatrixXd discovery_covariance(const Moments& discovery) const {
    return discovery.cross(columns_, columns_) / discovery.n;
  }
  Eigen::MatrixXd raw_covariance(const Moments& raw) const {
    return raw.cross(raw_columns_, raw_columns_) / raw.n;
  }
  /// The target's vertices in the search: its sides, or the column.
  std::vector<int> target_vertices() const;
  std::vector<int> parents_in(const Digraph& dag) const;
  double residual_inflation(const Statistics& statistics, const Digraph& dag) const;
  void read_edges(const Discovered& found);
  /// Whether a node is a parent of one of these sides of the target.
  bool leads_to(int node, std::initializer_list<Side> sides) const;

  int nodes_ = 0;
  int target_ = 0;
  double n_eff_ = 0;
  double inflation_ = 1;
  double candidates_ = 0;
  double n_between_ = 0;              ///< sample size of columns constant within configurations
  std::vector<std::uint8_t> between_; ///< by search vertex: 1 if constant within configurations
  std::vector<Side> sides_;
  std::vector<int> columns_;     ///< column of the discovery matrix, by search vertex
  std::vector<int> raw_columns_; ///< column of the raw matrix, by vertex
  Background background_;
  Method method_ = Method::boss;
  std::vector<Method> other_methods_;
  DiscoveryOptions options_;
  Digraph search_dag_; ///< graph over nodes and sides
  Digraph dag_;        ///< graph over nodes and target
  std::vector<ModelEdge> edges_;
  std::vector<int> parents_;
  std::vector<std::vector<std::vector<int>>> parent_sets_; ///< by node: its possible sets of parents
};

} // namespace jitterscope::causal
