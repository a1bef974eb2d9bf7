#include "core/causal/statistics/moments.h"

#include <algorithm>
#include <cmath>

#include "core/base/vector_clones.h"
#include "core/causal/statistics/cross_products.h"

namespace jitterscope::causal {
namespace {

Eigen::Index packed_size(Eigen::Index q) {
  return 1 + q + q * (q + 1) / 2;
}

void pack(const Moments& m, std::vector<double>& out) {
  const Eigen::Index q = m.mean.size();
  out.push_back(m.n);
  out.insert(out.end(), m.mean.data(), m.mean.data() + q);
  for (Eigen::Index j = 0; j < q; ++j)
    for (Eigen::Index i = j; i < q; ++i) out.push_back(m.cross(i, j));
}

/// Eight partial sums, added as a tree: the same bits for every vector width.
struct Lanes {
  double sum[8] = {};
  double total() const {
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
  }
};

/// centred = values − centre; their sums are accumulated in the lanes.
JITTERSCOPE_VECTOR_CLONES void centre_and_add_up(const double* values, double centre, double* centred,
                                                 std::ptrdiff_t count, Lanes& lanes) {
  double lane[8];
  for (int k = 0; k < 8; ++k) lane[k] = lanes.sum[k];
  std::ptrdiff_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int k = 0; k < 8; ++k) lane[k] += centred[i + k] = values[i + k] - centre;
  for (int k = 0; i < count; ++i, ++k) lane[k] += centred[i] = values[i] - centre;
  for (int k = 0; k < 8; ++k) lanes.sum[k] = lane[k];
}

Moments unpack(const double* from, Eigen::Index q) {
  Moments m(q);
  m.n = *from++;
  for (Eigen::Index i = 0; i < q; ++i) m.mean(i) = *from++;
  for (Eigen::Index j = 0; j < q; ++j)
    for (Eigen::Index i = j; i < q; ++i) m.cross(i, j) = m.cross(j, i) = *from++;
  return m;
}

} // namespace

BlockPlan BlockPlan::for_table(std::int64_t rows, std::int64_t columns) {
  // As fine as memory allows, because every rank keeps all blocks (20 MB): one row per block for small
  // tables. Rare events must not all fall into one block. Widths are rounded to powers of two, so that an
  // additional column changes no resample. At least 50 blocks if there are rows.
  constexpr std::int64_t min_width = 32, finest = 4'096;
  std::int64_t width = min_width, blocks = finest;
  while (width < columns) width *= 2, blocks /= 4;
  return {rows, std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(50, blocks))};
}

// Every row is read once: the mean of the first piece, which is close to the overall mean, is subtracted from
// all. At the end the products are corrected by the means of the differences.
Moments Moments::of(const Eigen::MatrixXd& rows) {
  const Eigen::Index q = rows.cols();
  Moments m(q);
  if (rows.rows() == 0) return m;
  m.n = static_cast<double>(rows.rows());
  constexpr Eigen::Index piece = 256; // two tiles of columns of this length fit into the first-level cache
  const Eigen::Index first_rows = std::min(piece, rows.rows());
  for (Eigen::Index c = 0; c < q; ++c) {
    Lanes lanes;
    double as_they_are[piece];
    centre_and_add_up(rows.col(c).data(), 0, as_they_are, first_rows, lanes);
    m.mean(c) = lanes.total() / static_cast<double>(first_rows);
  }
  std::vector<Lanes> lanes(static_cast<std::size_t>(q));
  PaddedColumns<double> centred(0, 0);
  const bool one_piece = rows.rows() <= piece;
  GramSums sums(one_piece ? 0 : q);
  for (Eigen::Index first = 0; first < rows.rows(); first += piece) {
    const Eigen::Index n = std::min(piece, rows.rows() - first);
    if (centred.rows() != n) centred = PaddedColumns<double>(n, q); // its padding is zero and stays so
    for (Eigen::Index c = 0; c < q; ++c)
      centre_and_add_up(rows.col(c).data() + first, m.mean(c), centred.column(c), n, lanes[c]);
    one_piece ? add_gram(centred, m.cross) : sums.add(centred);
  }
  if (!one_piece) sums.add_to(m.cross);
  Eigen::VectorXd off(q);
  for (Eigen::Index c = 0; c < q; ++c) off(c) = lanes[c].total() / m.n;
  m.cross -= m.n * (off * off.transpose());
  m.cross.diagonal() = m.cross.diagonal().cwiseMax(0.0);
  m.cross.triangularView<Eigen::StrictlyUpper>() = m.cross.transpose();
  m.mean += off;
  return m;
}

void Moments::merge(const Moments& other) {
  if (other.n == 0) return;
  if (n == 0) {
    *this = other;
    return;
  }
  const double sum = n + other.n;
  const Eigen::VectorXd delta = other.mean - mean;
  cross += other.cross;
  cross += (n * other.n / sum) * (delta * delta.transpose());
  mean += (other.n / sum) * delta;
  n = sum;
}

Eigen::MatrixXd correlation_of(const Eigen::MatrixXd& covariance) {
  const Eigen::VectorXd variance = covariance.diagonal();
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(variance.size());
  for (Eigen::Index i = 0; i < variance.size(); ++i)
    if (variance(i) > 0) inverse(i) = 1.0 / std::sqrt(variance(i));
  Eigen::MatrixXd r = inverse.asDiagonal() * covariance * inverse.asDiagonal();
  r = r.cwiseMin(1.0).cwiseMax(-1.0);
  r.diagonal().setOnes();
  return r;
}

Expected<BlockMoments> BlockMoments::gather(const std::vector<Moments>& mine, Eigen::Index columns,
                                            Communicator& communicator, const Job& job) {
  constexpr std::size_t kBlocks = 64; // between two checks for cancellation
  std::vector<double> packed;
  packed.reserve(mine.size() * static_cast<std::size_t>(packed_size(columns)));
  for (std::size_t b = 0; b < mine.size(); ++b) {
    if (b % kBlocks == 0 && job.cancelled()) return Job::cancelled_error();
    pack(mine[b], packed);
  }
  auto all = communicator.all_gather<double>(packed);
  if (!all) return forward(all.error());
  BlockMoments result;
  const auto size = static_cast<std::size_t>(packed_size(columns));
  result.total_ = Moments(columns);
  for (std::size_t at = 0; at + size <= all->size(); at += size) {
    if (result.blocks_.size() % kBlocks == 0 && job.cancelled()) return Job::cancelled_error();
    result.blocks_.push_back(unpack(all->data() + at, columns));
    result.total_.merge(result.blocks_.back());
  }
  result.shifted_.resize(packed_size(columns), static_cast<Eigen::Index>(result.blocks_.size()));
  std::vector<double> column;
  for (std::size_t b = 0; b < result.blocks_.size(); ++b) {
    if (b % kBlocks == 0 && job.cancelled()) return Job::cancelled_error();
    Moments m = result.blocks_[b];
    const Eigen::VectorXd delta = m.mean - result.total_.mean;
    m.mean = m.n * delta;
    m.cross += m.n * (delta * delta.transpose());
    column.clear();
    pack(m, column);
    result.shifted_.col(static_cast<Eigen::Index>(b)) =
        Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(column.size()));
  }
  return result;
}

Moments BlockMoments::resampled(const std::vector<int>& weights) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(shifted_.rows());
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (weights[b] > 0) sum += weights[b] * shifted_.col(static_cast<Eigen::Index>(b));
  Moments m = unpack(sum.data(), total_.mean.size());
  if (m.n == 0) return m;
  const Eigen::VectorXd delta = m.mean / m.n;
  m.cross -= m.n * (delta * delta.transpose());
  m.mean = total_.mean + delta;
  return m;
}

void BlockMoments::add_between(const Moments& between, Moments& to) {
  if (between.n > 0) to.cross += (to.n / between.n) * between.cross;
}

std::span<const Moments> BlockMoments::stretch(int index) const {
  const Share share = share_of(static_cast<std::int64_t>(blocks_.size()), index, stretches());
  return {blocks_.begin() + share.first, blocks_.begin() + share.last};
}

double BlockMoments::variance_inflation(const Eigen::VectorXd& weights) const {
  double count = 0, between = 0;
  for (int s = 0; s < stretches(); ++s) {
    double n = 0, sum = 0;
    for (const Moments& block : stretch(s))
      n += block.n, sum += block.n * weights.dot(block.mean - total_.mean);
    if (n > 0) between += sum * sum / n, ++count;
  }
  const double variance = weights.dot(total_.cross * weights) / total_.n;
  if (count < 10 || !(variance > 0) || total_.n < 2 * count) return 1;
  const double inflation = between / (count - 1) / variance;
  return inflation > 1 + 3 * std::sqrt(2 / (count - 1)) ? inflation : 1;
}

} // namespace jitterscope::causal
