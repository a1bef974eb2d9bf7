#pragma once

#include <vector>

#include "core/causal/base/knowledge.h"
#include "core/causal/base/result.h"
#include "core/causal/discovery/discovery.h"
#include "core/causal/effects/nodes.h"
#include "core/causal/statistics/drift.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/shapley.h"
#include "core/causal/table/statistics.h"

namespace jitterscope::causal {

/// An edge of the answer by vertex; `to` is the target's vertex for edges into any side of the target.
struct ModelEdge {
  int from = 0;
  int to = 0;
  bool directed = true;
  std::vector<Opinion> opinions; ///< one for each of Model::other_methods()
  bool bent = false; ///< seen along no straight line, on rows that were not looked at: resamples of moments
                     ///< cannot show it
};

/// The graph over nodes and target, and everything that is estimated on it. Vertices are the nodes 0 … k − 1;
/// a derived target is vertex k and is searched for from several sides (Statistics::sides), whose parents are
/// joined.
class Model {
public:
  /// Discovery with the effective sample size, in two steps: first with the autocorrelation of the target,
  /// then with that of what its first parents leave of it.
  static Expected<Model> discover(const Frame& frame, const Statistics& statistics, const NodeChoice& choice,
                                  const Options& options, std::vector<Warning>& warnings, const Job& job);

  int nodes() const { return nodes_; }
  int target() const { return target_; }
  double n_eff() const { return n_eff_; }
  double inflation() const { return inflation_; }
  /// Whether only configurations differ in a node's column: its sample size is their number.
  bool between_configurations(int node) const { return between_[static_cast<std::size_t>(node)] != 0; }
  bool has_between() const;
  const std::vector<ModelEdge>& edges() const { return edges_; }
  const std::vector<int>& parents_of_target() const { return parents_; }
  /// A parent of the target that acts along no straight line (bends.h).
  void join_bent(int node);
  bool is_bent(int node) const;
  /// Nodes without an edge to the target that background knowledge lets act on it.
  std::vector<int> possible_causes_off_the_graph() const;
  /// Whether the class leaves the node's effect open: different members give different effects.
  bool has_open_effect(int node) const { return parent_sets_[static_cast<std::size_t>(node)].size() > 1; }
  bool acts_by_shift(int node) const;
  bool acts_by_spread(int node) const;
  bool has_undirected_ancestor_edges() const;
  /// The nodes that a node acts on, directly or through others, by directed edges.
  std::vector<int> nodes_after(int node) const;
  /// Methods asked besides the chosen one.
  const std::vector<Method>& other_methods() const { return other_methods_; }

  /// One coefficient an edge, standardised, on the discovery scale: for edges into a derived target, that of
  /// the side on which the edge is strongest.
  std::vector<double> standardised(const Moments& discovery) const;
  /// Coefficients in units and all that follows from them.
  struct InUnits {
    std::vector<double> coefficient;  ///< by edge
    std::vector<double> total_effect; ///< of every node on the target
    std::vector<Range> effect_range; ///< over the members of the class (IDA); one value where all is directed
    std::vector<double> intrinsic;   ///< share of the target's variance that enters at every node
    std::vector<double> kept;        ///< share of it that stays when the node is held at a value
    double own = 0;                  ///< and at the target itself
    Shares shares;                   ///< of the target's parents
  };
  InUnits in_units(const Moments& raw) const;
  double std_when_fixed(const Moments& raw, int node) const;

  /// The sides of the target that a parent leads to, with all their parents: columns of the discovery
  /// moments.
  std::vector<TargetFit> sides_with(int parent) const;
  /// The target, on the side where it is strongest, on one of its parents (drift.h).
  WithoutTrend drift_with(int parent, const SlowAndFast& discovery) const;

  /// What a search on a resample finds again.
  struct Again {
    std::vector<double> found; ///< by edge, 1 or 0: directed edges in the same orientation, undirected in any
    std::vector<double> shares; ///< LMG shares of parents_of_target() among the parents found there, 0 if not
    std::vector<int> parents;   ///< found there
  };
  std::vector<double> shares_among(const std::vector<int>& parents, const Moments& raw) const;
  Again found_again(const Moments& discovery, const Moments& raw, std::uint64_t seed) const;

private:
  double share_kept(const Eigen::MatrixXd& total, const LinearModel& model, int node) const;
  DiscoveryInput input(const Moments& discovery, double n) const;
  Expected<void> check_lingam(const Digraph& dag, const Eigen::MatrixXd& rows) const;
  /// Methods that are not done after their budget of work are left out; their names are returned.
  std::vector<std::string> ask_others(const DiscoveryInput& input, const Eigen::MatrixXd& rows);
  Opinion opinion_on(const ModelEdge& edge, const Discovered& other) const;
  Eigen::MatrixXd discovery_covariance(const Moments& discovery) const;
  Eigen::MatrixXd raw_covariance(const Moments& raw) const;
  std::vector<int> parents_in(const Digraph& dag) const;
  double residual_inflation(const Statistics& statistics, const Digraph& dag) const;
  void read_edges(const Discovered& found);
  bool side_has(const Digraph& dag, std::size_t side, int node) const;

  int nodes_ = 0;
  int target_ = 0;
  double n_eff_ = 0;
  double inflation_ = 1;
  double candidates_ = 0;
  double n_between_ = 0;              ///< sample size of what only configurations differ in
  std::vector<std::uint8_t> between_; ///< by search vertex
  std::vector<Side> sides_;
  std::vector<int> columns_;     ///< column of the discovery matrix, by search vertex
  std::vector<int> raw_columns_; ///< column of the raw matrix, by vertex
  Background background_;
  Method method_ = Method::boss;
  std::vector<Method> other_methods_;
  DiscoveryOptions options_;
  Digraph search_dag_; ///< over nodes and sides
  Digraph dag_;        ///< over nodes and target
  std::vector<ModelEdge> edges_;
  std::vector<int> side_of_edge_;
  std::vector<int> parents_;
  std::vector<std::vector<std::vector<int>>> parent_sets_; ///< by node: what its parents may be
};

} // namespace jitterscope::causal
