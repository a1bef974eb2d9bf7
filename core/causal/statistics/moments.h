#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::causal {

/// Blocks of rows for sums and for the bootstrap, as fine as memory allows. They depend on the number of rows
/// and the next power of two of the columns (from 32), but not on the number of ranks. Block b holds rows
/// [first(b), first(b + 1)).
struct BlockPlan {
  std::int64_t rows = 0;
  std::int64_t blocks = 0;

  static BlockPlan for_table(std::int64_t rows, std::int64_t columns);
  double rows_per_block() const { return static_cast<double>(rows) / static_cast<double>(blocks); }
  std::int64_t first(std::int64_t block) const {
    return share_of(rows, static_cast<int>(block), static_cast<int>(blocks)).first;
  }
};

/// Number of rows, means and centred cross-products of a block: sufficient for linear models.
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

  /// Moments of a resample in which block b occurs weights[b] times.
  Moments resampled(const std::vector<int>& weights) const;

  /// Sets the cross-products of columns that are 0 in every block: they are computed from configurations
  /// instead of rows, and are scaled to `between.n` rows.
  void set_between(const Moments& between) { add_between(between, total_); }
  /// Adds the cross-products of set_between() to the moments of a resample.
  static void add_between(const Moments& between, Moments& to);

  /// Variance of the stretch means of Σ weights · columns, divided by that of independent rows: 1 for
  /// independent rows, larger if neighbouring rows are alike. Values within three standard errors of 1 count
  /// as 1. The effective sample size is n divided by this ratio.
  double variance_inflation(const Eigen::VectorXd& weights) const;

private:
  /// Number of stretches of consecutive blocks: 100, fewer if there are few blocks.
  int stretches() const { return std::min<int>(100, static_cast<int>(blocks_.size()) / 2); }
  std::span<const Moments> stretch(int index) const; ///< its blocks

  std::vector<Moments> blocks_;
  Moments total_;
  Eigen::MatrixXd
      shifted_; ///< packed Σ (x − total mean)(x − total mean)ᵀ and Σ (x − total mean), one column per block
};

} // namespace jitterscope::causal
