#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/base/error.h"
#include "core/causal/base/graph.h"
#include "core/causal/base/knowledge.h"

namespace jitterscope::causal {

enum class Method { boss, pc, ges, lingam };

/// BadUse for unknown names.
Expected<Method> method_from(const std::string& text);
std::string to_string(Method method);
/// "BOSS", "PC-stable", "GES", "DirectLiNGAM".
std::string display_name(Method method);

/// Options of a search. The score of v given its parents is −(n/2) ln σ²(v | Pa) − λ |Pa|, λ by edge_price
/// (grow_shrink_tree.h).
struct DiscoveryOptions {
  double smallest_correlation = 0.03; ///< ρ0: smallest partial correlation worth an edge
  int restarts = 5;
  std::uint64_t seed = 1;
  double lingam_work = 3e9;    ///< DirectLiNGAM: maximum columns³ · rows
  std::vector<int> start = {}; ///< BOSS: an order to start with, before random ones; empty: none
  /// Limit of work, deterministic unlike a time limit. PC-stable counts independence tests, each by the
  /// square of its number of conditions plus one. GES counts candidate steps, and 500 for each graph that it
  /// completes. The other methods ignore it.
  double work = std::numeric_limits<double>::infinity();
  std::function<bool()> cancelled = {}; ///< polled by the searching thread; empty: never
};

/// Remaining budget of a search, which ends soon after the budget is spent or the search is cancelled.
class Effort {
public:
  explicit Effort(const DiscoveryOptions& options) : left_(options.work), cancelled_(options.cancelled) {}
  /// Subtracts `work` and returns whether the budget is spent or the search is cancelled.
  bool spent(double work = 1) {
    left_ -= work, since_asked_ += work;
    if (cancelled_ && since_asked_ >= kAskAfter) since_asked_ = 0, over_ = over_ || cancelled_();
    return over_ = over_ || left_ < 0;
  }

private:
  static constexpr double kAskAfter = 500; ///< units between polls; a unit takes at most a few microseconds
  double left_, since_asked_ = kAskAfter;
  std::function<bool()> cancelled_;
  bool over_ = false;
};

/// Statistical input of a search, without the rows.
struct DiscoveryInput {
  Eigen::MatrixXd correlation; ///< symmetric, ones on the diagonal
  double n = 0;                ///< effective sample size
  Background background;       ///< tiers, required and forbidden edges, one entry per column
  double candidates = 0;       ///< number of columns before some were left out; 0: the number in the matrix

  /// Effective sample size by vertex, if it is not n for all (columns that are constant within configurations
  /// have fewer); empty: n for all. Vertices of different sample size have no edge.
  std::vector<double> n_of = {};

  double rows_of(int vertex) const { return n_of.empty() ? n : n_of[vertex]; }
  double columns_tried() const { return std::max(candidates, static_cast<double>(correlation.rows()) - 1); }
};

struct GaussianScore;
/// Score of a vertex, from its sample size and the price of its parents (grow_shrink_tree.h).
GaussianScore score_of(const DiscoveryInput& input, const DiscoveryOptions& options, int vertex);

struct Discovered {
  Digraph dag;            ///< one member of the equivalence class
  PartialGraph cpdag;     ///< orientations from data and background knowledge; the rest is undirected
  std::vector<int> order; ///< a topological order of the dag, causes first
  bool complete = true;   ///< false: cancelled, or the work budget was spent; the graph is then meaningless
};

/// Best order score search with grow-shrink trees, solved tier after tier, best of `restarts` random starts
/// (Andrews, Ramsey, Sanchez-Romero, Camchong, Kummerfeld 2023, "Fast scalable and accurate discovery of DAGs
/// using the best order score search and grow-shrink trees"). Deterministic for equal input and seed.
Discovered boss(const DiscoveryInput& input, const DiscoveryOptions& options);

/// PC-stable with the majority rule for colliders (Colombo and Maathuis 2014, "Order-independent
/// constraint-based causal structure learning", algorithms 4.1 and section 4.2). Partial correlations are
/// tested by Fisher's z at 1 % and must reach `smallest_correlation`; nothing later than both ends is
/// conditioned on. Where orientations contradict each other, the dag keeps as many as it can.
Discovered pc_stable(const DiscoveryInput& input, const DiscoveryOptions& options);

/// Greedy equivalence search (Chickering 2002, "Optimal structure identification with greedy search"): the
/// best valid insertion until none improves the score, then the best deletion. After each step the graph is
/// completed under the background knowledge.
Discovered ges(const DiscoveryInput& input, const DiscoveryOptions& options);

/// DirectLiNGAM (Shimizu et al. 2011) with the pairwise measure of Hyvärinen and Smith 2013, tier after tier:
/// the order comes from how non-Gaussian residuals are, the parents from the score. `rows`: one row per
/// sample, columns as in `input`, in units (any scale), without missing values; at most `lingam_rows` are
/// used, evenly spread. Every edge is directed.
Discovered direct_lingam(const DiscoveryInput& input, const Eigen::MatrixXd& rows,
                         const DiscoveryOptions& options);
/// Number of rows that DirectLiNGAM uses: 500 to 100,000, fewer for many columns.
Eigen::Index lingam_rows(Eigen::Index columns, const DiscoveryOptions& options);
/// Number of columns whose residual on its parents in `dag` looks Gaussian (skewness and excess kurtosis
/// within 3 standard errors of 0). DirectLiNGAM cannot identify the direction between two such columns.
int gaussian_residuals(const Digraph& dag, const Eigen::MatrixXd& rows);

/// Runs any of the methods above. `rows` may be empty unless the method is lingam.
Discovered discover(Method method, const DiscoveryInput& input, const Eigen::MatrixXd& rows,
                    const DiscoveryOptions& options);

/// Error::place of errors about the target, for any source of rows.
inline constexpr const char* kTargetPlace = "target";

/// Which rows are compared.
///
/// pooled: all rows as they are. Mixes levels: signs can flip when kernels differ.
/// within: every column minus the mean of its configuration; configuration columns are left out.
/// between: configuration means only, each weighted by its rows.
/// automatic (default): answers "why do launches that should be equal differ, and which configurations vary
/// more". With groups, a column that varies within configurations is centred on the mean of the
/// configuration. A column that is constant within configurations (grid, registers …) is centred on the mean
/// of its kernel, because only configurations of one kernel can be compared. The two sets are orthogonal
/// (Mundlak 1978), so one graph holds both. Without groups: pooled.
enum class Reading { automatic, pooled, within, between };

/// Scale of numeric columns during discovery; effects are always reported in units.
///
/// automatic (default): columns with light tails (excess kurtosis at most 6, that of an exponential
/// distribution) stay unchanged; columns with heavier tails become normal scores of their ranks. Linear
/// relations between well-behaved columns stay linear, and no extreme value dominates.
enum class Scale { automatic, raw, log1p, rank_normal };

struct Options {
  /// "kernel_variability" (needs durations), "duration", or a column. Empty: kernel_variability when the
  /// source has durations, else the source's default target, else the last column. kernel_variability is
  /// measured from the mean of the configuration, in display and in `percent`. The attributable share uses
  /// the median: one extreme launch moves the mean of its configuration, which adds variability to all
  /// others.
  std::string target;
  Reading reading = Reading::automatic;
  Scale scale = Scale::automatic;
  Method method = Method::boss;
  DiscoveryOptions discovery;
  Knowledge knowledge;
  /// Knowledge of a column that these rows do not have is an error; else a warning.
  bool knowledge_must_match = true;
  std::vector<std::string> features; ///< columns to use; empty: all
  std::vector<std::string> left_out; ///< columns not to use
  /// Outcome columns (the target, durations) by whose values the rows were selected. The answer reports them;
  /// with the target among them nothing is called a cause.
  std::vector<std::string> selected_by;
  bool nonlinear = true;       ///< check whether straight lines suffice (nonlinear.h)
  bool second_opinions = true; ///< run the other methods, for the agreement on every edge
  int bootstrap = 200;         ///< replicates; 0: no intervals, nothing is called a cause
  std::uint64_t seed = 20251120;
  std::vector<std::pair<std::string, double>> interventions; ///< do(name = value)
  std::string
      part; ///< part of the variance that the reading explains, in words: " between GPUs"; empty: all of it
  bool besides_groups = false; ///< the answer states differences between groups of rows apart from the causes
  std::int64_t counterfactual_row = -1; ///< with interventions: row to predict a counterfactual for; −1: none
};

Expected<Reading> reading_from(const std::string& text);
Expected<Scale> scale_from(const std::string& text);
std::string to_string(Reading reading);
std::string to_string(Scale scale);

} // namespace jitterscope::causal
