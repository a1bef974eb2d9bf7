#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::causal {

/// How the rows are cut for sums and for the bootstrap, as finely as memory allows: by the number of rows and
/// the next power of two of the columns (from 32) only, so that nothing depends on the number of ranks. Block
/// b holds rows [first(b), first(b + 1)).
struct BlockPlan {
  std::int64_t rows = 0;
  std::int64_t blocks = 0;

  static BlockPlan for_table(std::int64_t rows, std::int64_t columns);
  std::int64_t first(std::int64_t block) const {
    return share_of(rows, static_cast<int>(block), static_cast<int>(blocks)).first;
  }
};

/// Number of rows, means and centred cross-products: all that linear models need of a block.
struct Moments {
  double n = 0;
  Eigen::VectorXd mean;
  Eigen::MatrixXd cross; ///< Σ (x − mean)(x − mean)ᵀ, both triangles

  explicit Moments(Eigen::Index columns = 0)
      : mean(Eigen::VectorXd::Zero(columns)), cross(Eigen::MatrixXd::Zero(columns, columns)) {}

  /// Moments of the rows of a matrix.
  static Moments of(const Eigen::MatrixXd& rows);
  /// Adds disjoint rows (Chan, Golub, LeVeque 1983, equation 1.5b, for cross-products).
  void merge(const Moments& other);
  Eigen::MatrixXd covariance() const { return cross / n; }
};

/// Correlations of a covariance matrix; 0 where a variance is 0, ones on the diagonal.
Eigen::MatrixXd correlation_of(const Eigen::MatrixXd& covariance);

/// The moments of every block, on every rank.
class BlockMoments {
public:
  /// Collective: concatenates the blocks of all ranks in block order.
  static Expected<BlockMoments> gather(const std::vector<Moments>& mine, Eigen::Index columns,
                                       Communicator& communicator, const Job& job);

  std::size_t blocks() const { return blocks_.size(); }
  const Moments& total() const { return total_; }
  const Moments& block(std::size_t b) const { return blocks_[b]; }

  /// Moments of a resample in which block b stands weights[b] times.
  Moments resampled(const std::vector<int>& weights) const;

  /// Sets the cross-products of columns that are 0 in every block: they come from elsewhere (configurations
  /// rather than rows) and are given as of `between.n` rows.
  void set_between(const Moments& between);
  /// The same of a resample.
  static void add_between(const Moments& between, Moments& to);

  /// Into how many stretches of consecutive blocks slow changes are told from others: 100, fewer of few
  /// blocks.
  int stretches() const;
  /// Cross-products about the mean of each stretch; n and mean are those of all rows.
  Moments within_stretches() const;
  /// Cross-products about a polynomial of this degree in the place among the stretches, as it fits each
  /// column best; n and mean are those of all rows.
  Moments without_trend(int degree) const;

  /// Variance of the means of these stretches of Σ weights · columns against what independent rows
  /// would show: 1 for independent rows, larger when rows that follow each other are alike. Values within
  /// three standard errors of 1 count as 1. The effective sample size is n divided by it.
  double variance_inflation(const Eigen::VectorXd& weights) const;

private:
  std::vector<Moments> blocks_;
  Moments total_;
  Eigen::MatrixXd
      shifted_; ///< packed Σ (x − total mean)(x − total mean)ᵀ and Σ (x − total mean), a column a block
};

} // namespace jitterscope::causal
