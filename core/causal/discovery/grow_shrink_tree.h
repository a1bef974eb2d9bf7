#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {

/// Score of a linear Gaussian model; the search maximises it.
struct GaussianScore {
  double n = 0;      ///< effective sample size
  double lambda = 0; ///< price of one parent

  double operator()(double residual_variance, std::size_t parents) const;
};

/// λ = max(ln n, −(n/2) ln(1 − ρ0²), −(n/2) ln(1 − ρ1²)), where ρ1 is the correlation that the
/// strongest of `candidates` unrelated columns exceeds in 5 % of tables (Student's t, Bonferroni). The last
/// term only matters if there are few rows for the columns: BIC alone would accept chance correlations there.
double edge_price(double n, double smallest_correlation, double candidates);

/// Finds the parents of one vertex among any set of predecessors by growing greedily and then shrinking, and
/// caches every branch it has visited (grow-shrink tree, Andrews et al. 2023, section 3.2).
class GrowShrinkTree {
public:
  struct Choice {
    double score = 0;
    const std::vector<int>* parents = nullptr;
  };

  /// `candidates`: vertices that may become parents; `required`: vertices that always are parents.
  GrowShrinkTree(const Eigen::MatrixXd& correlation, int vertex, GaussianScore score,
                 const std::vector<int>& candidates, std::vector<int> required);

  /// Best parents among the vertices with a non-zero entry in `available` (and the required ones). If
  /// `depends_on` is given, sets its entries for all vertices whose addition or removal could change the
  /// answer.
  Choice best(const std::vector<std::uint8_t>& available, std::vector<std::uint8_t>* depends_on = nullptr);

private:
  /// A possible step of the search; its node is created when the search takes the step.
  struct Branch {
    int added = -1;
    int node = -1;
  };
  struct Node {
    int first_branch = -1; ///< branches of a node are contiguous, best first; −1: not grown yet
    int branches = 0;
    bool shrunk = false;
    double score = 0;
    std::vector<int> parents;
  };

  /// Residuals of the vertex and of every column given a path of parents.
  struct Residuals {
    int added = -1;
    Eigen::VectorXd direction;  ///< direction of the parent added last, one Gram-Schmidt step
    Eigen::VectorXd variance;   ///< residual variance of every column
    Eigen::VectorXd covariance; ///< residual covariance of every column with the vertex
  };

  const Residuals& residuals(const std::vector<int>& path);
  void grow(std::size_t node, const std::vector<int>& path);
  void shrink(Node& node, const std::vector<int>& path);
  void invert_cholesky_factor(const std::vector<int>& parents);
  bool is_required(int v) const { return contains(required_, v); }

  const Eigen::MatrixXd& correlation_;
  int vertex_;
  GaussianScore score_;
  std::vector<int> required_;
  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  // State of the node that is being grown.
  Eigen::VectorXd left_;       ///< by column: remaining variance of the vertex
  std::vector<double> kept_;   ///< left_ of the columns that improve the score
  std::vector<int> paying_;    ///< indices of the columns that improve the score
  std::vector<double> places_; ///< rank of each of these columns: number of better ones (integers as double)
  Eigen::VectorXd open_;       ///< 1 for columns that may become parents, else 0
  std::vector<int> path_;
  std::vector<double> factor_, inverse_;  ///< state of the node that is being shrunk
  std::vector<const double*> directions_; ///< of the steps of a path, and their factors in the next step
  std::vector<double> factors_;
  std::vector<Residuals> given_; ///< along the last path; the next path shares most of it
  std::size_t known_ = 0;        ///< number of valid steps in given_
};

struct DiscoveryInput;
struct DiscoveryOptions;
/// The tree of a vertex whose parents may be all others that the background knowledge of the input allows.
GrowShrinkTree tree_of(const DiscoveryInput& input, const DiscoveryOptions& options, int vertex);

} // namespace jitterscope::causal
