#include "core/causal/bends.h"

#include <algorithm>
#include <array>

namespace jitterscope::causal {
namespace {

constexpr Eigen::Index kFewestRows = 200;
constexpr std::size_t kClasses = 16;
constexpr double kLeastBend = 0.1; ///< of the variance

/// Mid-ranks among the rows of the same configuration, as normal scores: neither how long and how unsteady a
/// configuration is nor how its rows lie on the column tells configurations apart any more.
void to_normal_scores(Eigen::Ref<Eigen::VectorXd> column,
                      const std::vector<std::vector<Eigen::Index>>& rows_of_group) {
  for (const auto& rows : rows_of_group) {
    std::vector<double> values;
    for (const auto r : rows) values.push_back(column(r));
    const NormalScores scores(values, values.size());
    for (const auto r : rows) column(r) = scores(column(r));
  }
}

/// Rows without a group, and all of them where `groups` is 0, stand together behind the groups.
std::vector<std::vector<Eigen::Index>> rows_by_group(const StretchSample& sample, std::uint32_t groups) {
  std::vector<std::vector<Eigen::Index>> rows(std::size_t{groups} + 1);
  for (std::size_t r = 0; r < sample.group.size(); ++r)
    rows[std::min(sample.group[r], groups)].push_back(static_cast<Eigen::Index>(r));
  return rows;
}

/// Upper ends of at most kClasses classes with equal numbers of rows, or one a value where values are few.
std::vector<double> class_ends(const Eigen::Ref<const Eigen::VectorXd>& column) {
  std::vector<double> sorted(column.begin(), column.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> distinct;
  std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(distinct));
  if (distinct.size() <= kClasses) return distinct;
  std::vector<double> ends;
  for (std::size_t k = 1; k <= kClasses; ++k) ends.push_back(sorted[k * sorted.size() / kClasses - 1]);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// Counts and sums of the target, and its products with the column, from which means by class and a straight
/// line without one fold follow.
struct FoldSums {
  std::vector<double> count, sum;
  Moments pair{2};
};

/// By how much classes of the column predict the target better than a straight line, as a part of its
/// variance; 0 where that may be chance.
double bend_of(const Eigen::VectorXd& x, const Eigen::VectorXd& y,
               const std::vector<std::vector<Eigen::Index>>& rows_of_fold, double student) {
  const auto ends = class_ends(x);
  if (ends.size() < 3) return 0;
  std::vector<std::size_t> class_of(static_cast<std::size_t>(x.size()));
  for (Eigen::Index r = 0; r < x.size(); ++r)
    class_of[static_cast<std::size_t>(r)] =
        static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), x(r)) - ends.begin());
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
  return part >= kLeastBend && part > student * standard_error_of_folds(gain) / total ? part : 0;
}

} // namespace

Expected<std::vector<ColumnBend>> look_for_bends(const Frame& frame, const std::vector<int>& parents,
                                                 const std::vector<int>& candidates, const Options& options,
                                                 Communicator& communicator, const Job& job) {
  const bool repeated = options.reading == Reading::between && frame.groups.count > 0;
  if (candidates.empty() || repeated || frame.rows_used < kFewestRows) return std::vector<ColumnBend>();
  std::vector<int> columns = parents;
  columns.insert(columns.end(), candidates.begin(), candidates.end());
  auto sample = StretchSample::draw(frame, columns, options.centre, false, communicator, job);
  if (!sample) return forward(sample.error());
  if (sample->z.rows() < kFewestRows || !sample->complete()) return std::vector<ColumnBend>();
  const auto groups = rows_by_group(*sample, options.reading == Reading::pooled ? 0 : frame.groups.count);
  for (Eigen::Index c = 0; c < sample->z.cols(); ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    to_normal_scores(sample->z.col(c), groups);
  }
  const auto known = static_cast<Eigen::Index>(parents.size());
  Eigen::VectorXd left = sample->y();
  const double all = (left.array() - left.mean()).matrix().squaredNorm();
  if (known > 0) {
    Eigen::MatrixXd joined(left.size(), known + 1);
    joined << sample->z.leftCols(known), left;
    left -= Lines::of(Moments::of(joined))(sample->z.leftCols(known));
  }
  const double share = all > 0 ? (left.array() - left.mean()).matrix().squaredNorm() / all : 0.0;
  const auto rows = sample->rows_of_folds();
  const double student = student_four(1 - 0.025 / static_cast<double>(candidates.size()));
  std::vector<ColumnBend> bends;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto x = sample->z.col(known + static_cast<Eigen::Index>(c));
    double part = bend_of(x, sample->y(), rows, student);
    if (part >= kLeastBend && known > 0) part = std::min(part, share * bend_of(x, left, rows, student));
    if (part >= kLeastBend) bends.push_back({candidates[c], part});
  }
  std::stable_sort(bends.begin(), bends.end(), [](const auto& a, const auto& b) { return a.part > b.part; });
  return bends;
}

} // namespace jitterscope::causal
