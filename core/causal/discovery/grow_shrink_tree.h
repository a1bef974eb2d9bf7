#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace jitterscope::causal {

/// The score of a linear Gaussian model in the form that the search maximises.
struct GaussianScore {
  double n = 0;      ///< effective sample size
  double lambda = 0; ///< price of one parent

  double operator()(double residual_variance, std::size_t parents) const;
};

/// λ = max((c/2) ln n, −(n/2) ln(1 − ρ0²), −(n/2) ln(1 − ρ1²)), where ρ1 is the correlation that the
/// strongest of `candidates` unrelated columns exceeds in 5 % of tables (Student's t, Bonferroni). The last
/// one decides only when rows are few for the columns: BIC alone would let chance in there.
double edge_price(double n, double penalty, double smallest_correlation, double candidates);

/// Finds the parents of one vertex among any set of predecessors by growing greedily and then shrinking, and
/// remembers every branch it has been asked about (grow-shrink tree, Andrews et al. 2023, section 3.2).
class GrowShrinkTree {
public:
  struct Choice {
    double score = 0;
    const std::vector<int>* parents = nullptr;
  };

  /// `candidates`: vertices that may become parents; `required`: those that always are.
  GrowShrinkTree(const Eigen::MatrixXd& correlation, int vertex, GaussianScore score,
                 const std::vector<int>& candidates, std::vector<int> required);

  /// Best parents among the vertices with a non-zero entry in `available` (and the required ones). Sets the
  /// entries of `depends_on`, where given, of all vertices whose coming or going could lead to another
  /// answer.
  Choice best(const std::vector<std::uint8_t>& available, std::vector<std::uint8_t>* depends_on = nullptr);

private:
  /// A branch that may be taken; its node is made when it is.
  struct Branch {
    int added = -1;
    int node = -1;
  };
  struct Node {
    int first_branch = -1; ///< branches stand together, best first; −1: not grown yet
    int branches = 0;
    bool shrunk = false;
    double score = 0;
    std::vector<int> parents;
  };

  /// What the vertex and every column keep when a path of parents is given.
  struct Residuals {
    int added = -1;
    Eigen::VectorXd direction;  ///< of the parent added last, one Gram-Schmidt step
    Eigen::VectorXd variance;   ///< residual, of every column
    Eigen::VectorXd covariance; ///< residual, of every column with the vertex
  };

  const Residuals& residuals(const std::vector<int>& path);
  void grow(std::size_t node, const std::vector<int>& path);
  void shrink(Node& node, const std::vector<int>& path);
  void invert_cholesky_factor(const std::vector<int>& parents);
  bool is_required(int v) const;

  const Eigen::MatrixXd& correlation_;
  int vertex_;
  GaussianScore score_;
  std::vector<int> required_;
  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  // Of the node that is grown.
  Eigen::VectorXd left_;       ///< of the variance of the vertex, by column
  std::vector<double> kept_;   ///< the same of the columns that pay
  std::vector<int> paying_;    ///< which those are
  std::vector<double> places_; ///< how many of them are better, a whole number
  Eigen::VectorXd open_;       ///< 1 for columns that may become parents, else 0
  std::vector<int> path_;
  std::vector<double> factor_, inverse_; ///< of the node that is shrunk
  std::vector<Residuals> given_;         ///< along the path grown last: the next one shares most of it
  std::size_t known_ = 0;                ///< steps of that path
};

} // namespace jitterscope::causal
