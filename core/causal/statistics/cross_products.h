#pragma once

#include <vector>

#include <Eigen/Core>

namespace jitterscope::causal {

/// Columns of rows, each padded with zeros to whole vectors of 64 bytes, as the products below require.
template <class Scalar>
class PaddedColumns {
public:
  PaddedColumns(Eigen::Index rows, Eigen::Index columns);
  PaddedColumns(PaddedColumns&&) noexcept = default; // the pointer moves with the storage
  PaddedColumns& operator=(PaddedColumns&&) noexcept = default;

  Eigen::Index rows() const { return rows_; }
  Eigen::Index columns() const { return columns_; }
  Scalar* column(Eigen::Index c) { return first_ + c * stride_; }
  const Scalar* column(Eigen::Index c) const { return first_ + c * stride_; }

private:
  Eigen::Index rows_, columns_, stride_;
  std::vector<Scalar> storage_;
  Scalar* first_; ///< first element, aligned to 64 bytes
};

/// Adds aᵀb to `out`, for the columns [a_first, a_last) and [b_first, b_last): out(i, j) += Σ_r a(r, a_first
/// + i) · b(r, b_first + j). Sums run in a fixed order of lanes with fused multiply-add: processors with
/// vectors of 32 and of 64 bytes give the same bits. Processors without fused multiply-add round differently.
/// 5 × 5 columns at a time stay in registers, which reaches about two thirds of the peak rate of a core.
template <class Scalar>
void add_cross_products(const PaddedColumns<Scalar>& a, Eigen::Index a_first, Eigen::Index a_last,
                        const PaddedColumns<Scalar>& b, Eigen::Index b_first, Eigen::Index b_last,
                        Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> out);

/// Adds xᵀx to the lower triangle of `cross` (parts of the upper triangle are written, too).
void add_gram(const PaddedColumns<double>& x, Eigen::MatrixXd& cross);

/// Accumulates xᵀx of many blocks of the same columns: sums are kept separate by lane until the end, and for
/// the lower triangle only.
class GramSums {
public:
  explicit GramSums(Eigen::Index columns);

  /// Adds a block of these columns, with any number of rows (a few hundred fit into the first-level cache).
  void add(const PaddedColumns<double>& x);
  /// Adds the sums to the lower triangle of `cross`.
  void add_to(Eigen::MatrixXd& cross) const;

private:
  Eigen::Index columns_, tiles_;
  PaddedColumns<double> kept_; ///< contiguous aligned vectors
};

extern template class PaddedColumns<float>;
extern template class PaddedColumns<double>;

/// Rate of fused multiply-adds that one core reaches on registers alone, in 10⁹ floating-point operations per
/// second (double): the limit that benchmarks print next to the products.
double measured_fma_rate();

} // namespace jitterscope::causal
