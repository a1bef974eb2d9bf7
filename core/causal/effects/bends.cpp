#include "core/causal/effects/bends.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace jitterscope::causal {
namespace {

constexpr std::size_t kClasses = 16;
constexpr double kMinBend = 0.1; ///< minimum fraction of the variance

/// Counts and sums of the target, and its products with the column; means by class and a straight line
/// without one fold are computed from them.
struct FoldSums {
  std::vector<double> count, sum;
  Moments pair{2};
};

/// False if the target follows the levels clearly less than half as much within stretches of rows as over all
/// rows: two quantities that only drift seem to depend on each other.
bool acts_within_stretches(const Eigen::VectorXd& level, const Eigen::VectorXd& y,
                           const std::vector<int>& stretch) {
  double xx = 0, xy = 0, yy = 0, freedom = -1;
  for (std::size_t first = 0, last = 0; first < stretch.size(); first = last) {
    while (last < stretch.size() && stretch[last] == stretch[first]) ++last;
    const auto n = static_cast<Eigen::Index>(last - first);
    const Eigen::ArrayXd x = level.segment(static_cast<Eigen::Index>(first), n),
                         of_y = y.segment(static_cast<Eigen::Index>(first), n);
    const Eigen::ArrayXd dx = x - x.mean(), dy = of_y - of_y.mean();
    xx += dx.square().sum(), xy += (dx * dy).sum(), yy += dy.square().sum(),
        freedom += static_cast<double>(n - 1);
  }
  if (!(xx > 0) || freedom < 1) return true;
  const double slope = xy / xx, error = std::sqrt(std::max(0.0, yy - slope * xy) / freedom / xx);
  return slope + 2 * error >= 0.5; // 1 over all rows
}

/// How much better classes of the column predict the target than a straight line, as a fraction of the
/// target's variance; 0 if it may be chance.
double bend_of(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
               const std::vector<std::vector<Eigen::Index>>& rows_of_fold, const std::vector<int>& stretch,
               double student) {
  const auto ends = class_ends(x, kClasses);
  if (ends.size() < 3) return 0;
  const auto class_of = classes_of(x, ends);
  std::array<FoldSums, kFolds> sums;
  for (std::size_t f = 0; f < kFolds; ++f) {
    sums[f].count.assign(ends.size(), 0), sums[f].sum.assign(ends.size(), 0);
    Eigen::MatrixXd pair(static_cast<Eigen::Index>(rows_of_fold[f].size()), 2);
    pair << x(rows_of_fold[f]), y(rows_of_fold[f]);
    sums[f].pair = Moments::of(pair);
    for (const auto r : rows_of_fold[f])
      sums[f].count[class_of[static_cast<std::size_t>(r)]] += 1,
          sums[f].sum[class_of[static_cast<std::size_t>(r)]] += y(r);
  }
  std::array<double, kFolds> gain{};
  double total = 0, better = 0;
  for (std::size_t f = 0; f < kFolds; ++f) {
    Moments others(2);
    for (std::size_t g = 0; g < kFolds; ++g)
      if (g != f) others.merge(sums[g].pair);
    const Lines line = Lines::of(others);
    std::vector<double> level(ends.size(), line.level);
    for (std::size_t k = 0; k < ends.size(); ++k) {
      double n = 0, sum = 0;
      for (std::size_t g = 0; g < kFolds; ++g)
        if (g != f) n += sums[g].count[k], sum += sums[g].sum[k];
      if (n > 0) level[k] = sum / n;
    }
    for (const auto r : rows_of_fold[f]) {
      const double straight = y(r) - (line.level + line.slope(0) * (x(r) - line.mean(0)));
      const double by_class = y(r) - level[class_of[static_cast<std::size_t>(r)]];
      gain[f] += straight * straight - by_class * by_class;
      total += (y(r) - line.level) * (y(r) - line.level);
    }
    better += gain[f];
  }
  if (!(total > 0)) return 0;
  const double part = better / total;
  if (part < kMinBend || part <= student * standard_error_of_folds(gain) / total) return 0;
  Eigen::VectorXd level(y.size());
  for (Eigen::Index r = 0; r < y.size(); ++r) {
    const auto k = class_of[static_cast<std::size_t>(r)];
    double n = 0, sum = 0;
    for (const FoldSums& fold : sums) n += fold.count[k], sum += fold.sum[k];
    level(r) = sum / n;
  }
  return acts_within_stretches(level, y, stretch) ? part : 0;
}

} // namespace

Expected<std::vector<ColumnBend>> find_bends(const RankedSample& ranked, const std::vector<int>& candidates,
                                             const Job& job) {
  const double tests =
      static_cast<double>(std::max<std::size_t>(candidates.size(), 1) * ranked.responses.size());
  const double student = student_four(1 - 0.025 / tests);
  std::vector<ColumnBend> bends;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto x = ranked.column(ranked.parents + static_cast<Eigen::Index>(c));
    double largest = 0;
    for (const auto& response : ranked.responses) {
      double part = bend_of(x, response.y, ranked.rows_of_fold, ranked.sample.stretch, student);
      if (part >= kMinBend && ranked.parents > 0)
        part = std::min(part, response.left_share * bend_of(x, response.left, ranked.rows_of_fold,
                                                            ranked.sample.stretch, student));
      largest = std::max(largest, part);
    }
    if (largest >= kMinBend) bends.push_back({candidates[c], largest});
  }
  std::ranges::stable_sort(bends, std::greater(), &ColumnBend::part);
  return bends;
}

} // namespace jitterscope::causal
