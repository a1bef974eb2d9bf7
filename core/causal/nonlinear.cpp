#include "core/causal/nonlinear.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/causal/boosted_trees.h"
#include "core/causal/effects.h"
#include "core/causal/moments.h"
#include "core/causal/sample_columns.h"

namespace jitterscope::causal {
namespace {

constexpr int kStretches = 100;
constexpr Eigen::Index kCurveRows = 1'000;
constexpr double kStudent = 2.776445105; ///< 97.5 % quantile, 4 degrees of freedom
constexpr double kLeastPart = 0.05;      ///< of the variance: less is not worth a word

/// Parents and then the target, standardised; means and deviations take them back to units.
struct Sample {
  Eigen::MatrixXd z;
  Eigen::VectorXd mean, deviation;
  std::vector<int> fold;
  Eigen::Index parents() const { return z.cols() - 1; }
  auto x() const { return z.leftCols(parents()); }
  auto y() const { return z.col(parents()); }
};

/// Stretch of a row of the table; −1 when the row is not looked at.
int stretch_of(const BlockPlan& plan, std::int64_t row, std::int64_t most) {
  auto stretch = static_cast<int>(static_cast<double>(row) / static_cast<double>(plan.rows) * kStretches);
  while (row < share_of(plan.rows, stretch, kStretches).first) --stretch;
  while (row >= share_of(plan.rows, stretch, kStretches).last) ++stretch;
  return row - share_of(plan.rows, stretch, kStretches).first < most / kStretches ? stretch : -1;
}

Expected<Sample> draw_sample(const Frame& frame, const std::vector<int>& parents, const Options& options,
                             Communicator& communicator, const Job& job) {
  const std::size_t width = parents.size() + 1;
  const std::int64_t most =
      std::min(kNonlinearRows, kNonlinearValues / static_cast<std::int64_t>(parents.size()));
  std::vector<double> mine;
  std::vector<std::uint32_t> my_groups;
  std::vector<int> my_folds;
  auto walked = frame.walk(job, "sample of rows", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      const int stretch =
          stretch_of(frame.plan, frame.local.first_row + static_cast<std::int64_t>(tile.row[k]), most);
      if (stretch < 0) continue;
      for (const int p : parents) mine.push_back(tile.raw(row, p));
      mine.push_back(frame.target_value(tile, row, options.centre));
      my_groups.push_back(frame.local.group[tile.row[k]]);
      my_folds.push_back(stretch % kFolds);
    }
  });
  if (!walked) return forward(walked.error());
  auto values = communicator.all_gather<double>(mine);
  if (!values) return forward(values.error());
  auto groups = communicator.all_gather<std::uint32_t>(my_groups);
  if (!groups) return forward(groups.error());
  auto folds = communicator.all_gather<int>(my_folds);
  if (!folds) return forward(folds.error());

  Sample sample;
  sample.fold = std::move(*folds);
  sample.z = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values->data(), static_cast<Eigen::Index>(values->size() / width), static_cast<Eigen::Index>(width));
  if (options.reading == Reading::within && frame.groups.count > 0)
    for (Eigen::Index c = 0; c < sample.z.cols(); ++c)
      centre_by(sample.z.col(c), *groups, frame.groups.count, false);
  sample.mean = sample.z.colwise().mean();
  sample.z.rowwise() -= sample.mean.transpose();
  sample.deviation = sample.z.colwise().norm() / std::sqrt(static_cast<double>(sample.z.rows()));
  for (Eigen::Index c = 0; c < sample.z.cols(); ++c)
    if (sample.deviation(c) > 0) sample.z.col(c) /= sample.deviation(c);
  return sample;
}

/// Least squares.
struct Lines {
  Eigen::VectorXd mean, slope;
  double level = 0; ///< mean of the target
  Eigen::VectorXd operator()(const Eigen::MatrixXd& x) const {
    return ((x.rowwise() - mean.transpose()) * slope).array() + level;
  }
};

Lines lines_of(const Moments& moments) {
  const Eigen::Index p = moments.mean.size() - 1;
  std::vector<int> predictors;
  for (int k = 0; k < p; ++k) predictors.push_back(k);
  const auto fit = regress(moments.covariance(), static_cast<int>(p), predictors);
  return {moments.mean.head(p), fit.coefficients, moments.mean(p)};
}

class Check {
public:
  Check(const Sample& sample, Communicator& communicator, const Job& job)
      : sample_(sample), communicator_(communicator), job_(job), rows_of_(kFolds) {
    for (std::size_t r = 0; r < sample.fold.size(); ++r)
      rows_of_[static_cast<std::size_t>(sample.fold[r])].push_back(static_cast<Eigen::Index>(r));
    for (const auto& rows : rows_of_) moments_.push_back(Moments::of(sample.z(rows, Eigen::all)));
    for (Eigen::Index p = 0; p < sample.parents(); ++p) points_.push_back(points_of(p));
  }

  bool possible() const {
    return sample_.z.rows() >= kFewestNonlinearRows && sample_.z.allFinite() &&
           std::all_of(rows_of_.begin(), rows_of_.end(), [](const auto& rows) { return !rows.empty(); });
  }

  Expected<Nonlinear> run() {
    // One task a fold and one for the curves, in the order in which their numbers are gathered.
    const Share share = share_of(kFolds + 1, communicator_.rank(), communicator_.size());
    std::vector<double> mine;
    for (auto task = share.first; task < share.last; ++task) {
      if (job_.cancelled()) return Job::cancelled_error();
      job_.progress(task - share.first, share.last - share.first, "non-linear check");
      auto numbers = task < kFolds ? squared_error(static_cast<std::size_t>(task)) : curves();
      if (!numbers) return forward(numbers.error());
      mine.insert(mine.end(), numbers->begin(), numbers->end());
    }
    auto all = communicator_.all_gather<double>(mine);
    if (!all) return forward(all.error());
    Nonlinear result = judge({all->begin(), all->begin() + kFolds});
    std::size_t at = kFolds;
    for (Eigen::Index p = 0; p < sample_.parents(); ++p) {
      auto& curve = result.curves.emplace_back();
      for (const double point : points_[static_cast<std::size_t>(p)]) {
        curve.values.push_back(sample_.mean(p) + sample_.deviation(p) * point);
        curve.expected.push_back((*all)[at++]);
      }
    }
    return result;
  }

private:
  Moments without(std::size_t fold) const {
    Moments others(sample_.z.cols());
    for (std::size_t f = 0; f < rows_of_.size(); ++f)
      if (f != fold) others.merge(moments_[f]);
    return others;
  }

  /// Σ (y − prediction)² of the boosted model over the rows of a fold.
  Expected<std::vector<double>> squared_error(std::size_t fold) const {
    std::vector<Eigen::Index> others;
    for (std::size_t r = 0; r < sample_.fold.size(); ++r)
      if (sample_.fold[r] != static_cast<int>(fold)) others.push_back(static_cast<Eigen::Index>(r));
    const Lines lines = lines_of(without(fold));
    const Eigen::MatrixXd known = sample_.x()(others, Eigen::all);
    auto trees = BoostedTrees::fit(known, sample_.y()(others) - lines(known), job_.cancelled);
    if (!trees) return forward(trees.error());
    const Eigen::MatrixXd unseen = sample_.x()(rows_of_[fold], Eigen::all);
    auto bends = trees->predict(unseen);
    if (!bends) return forward(bends.error());
    const Eigen::VectorXd left = sample_.y()(rows_of_[fold]) - lines(unseen) - *bends;
    return std::vector<double>{left.squaredNorm()};
  }

  Nonlinear judge(const std::vector<double>& boosted) const {
    std::array<double, kFolds> gain{};
    double linear_error = 0, boosted_error = 0, total = 0;
    for (std::size_t f = 0; f < kFolds; ++f) {
      const Lines lines = lines_of(without(f));
      const Eigen::VectorXd y = sample_.y()(rows_of_[f]);
      const double error = (y - lines(sample_.x()(rows_of_[f], Eigen::all))).squaredNorm();
      gain[f] = error - boosted[f];
      linear_error += error, boosted_error += boosted[f];
      total += (y.array() - lines.level).matrix().squaredNorm();
    }
    double squares = 0;
    const double mean = (linear_error - boosted_error) / kFolds;
    for (const double g : gain) squares += (g - mean) * (g - mean);
    Nonlinear result;
    result.rows = sample_.z.rows();
    result.linear_r2 = 1 - linear_error / total;
    result.boosted_r2 = 1 - boosted_error / total;
    result.standard_error =
        std::sqrt(squares / (kFolds - 1) * (1.0 / kFolds + 1.0 / (kFolds - 1))) * kFolds / total;
    const double more = result.boosted_r2 - std::max(0.0, result.linear_r2);
    if (more >= kLeastPart && more > kStudent * result.standard_error) result.part = more;
    return result;
  }

  std::vector<double> points_of(Eigen::Index parent) const {
    const Eigen::VectorXd column = sample_.z.col(parent);
    std::vector<double> distinct(column.begin(), column.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() <= kCurvePoints) return distinct;
    std::vector<double> points;
    const auto last = static_cast<double>(distinct.size() - 1);
    for (int k = 0; k < kCurvePoints; ++k)
      points.push_back(distinct[static_cast<std::size_t>(last * (0.01 + 0.98 * k / (kCurvePoints - 1)))]);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

  /// Mean predictions in units of the target, parent after parent.
  Expected<std::vector<double>> curves() const {
    Moments all(sample_.z.cols());
    for (const auto& m : moments_) all.merge(m);
    const Lines lines = lines_of(all);
    const Eigen::MatrixXd x = sample_.x();
    auto trees = BoostedTrees::fit(x, sample_.y() - lines(x), job_.cancelled);
    if (!trees) return forward(trees.error());
    const Eigen::Index count = std::min(kCurveRows, x.rows());
    Eigen::MatrixXd some(count, x.cols());
    for (Eigen::Index r = 0; r < count; ++r) some.row(r) = x.row(r * x.rows() / count);
    std::vector<double> means;
    for (Eigen::Index p = 0; p < x.cols(); ++p) {
      const auto& points = points_[static_cast<std::size_t>(p)];
      Eigen::MatrixXd asked = some.replicate(static_cast<Eigen::Index>(points.size()), 1);
      for (std::size_t k = 0; k < points.size(); ++k)
        asked.col(p).segment(static_cast<Eigen::Index>(k) * count, count).setConstant(points[k]);
      if (job_.cancelled()) return Job::cancelled_error();
      auto bends = trees->predict(asked);
      if (!bends) return forward(bends.error());
      const Eigen::VectorXd predicted = lines(asked) + *bends;
      const Eigen::Index y = sample_.parents();
      for (std::size_t k = 0; k < points.size(); ++k)
        means.push_back(sample_.mean(y) +
                        sample_.deviation(y) *
                            predicted.segment(static_cast<Eigen::Index>(k) * count, count).mean());
    }
    return means;
  }

  const Sample& sample_;
  Communicator& communicator_;
  const Job& job_;
  std::vector<std::vector<Eigen::Index>> rows_of_; ///< by fold
  std::vector<Moments> moments_;                   ///< by fold
  std::vector<std::vector<double>> points_;        ///< by parent, standardised
};

} // namespace

Expected<std::optional<Nonlinear>> check_nonlinear(const Frame& frame, const std::vector<int>& parents,
                                                   const Options& options, Communicator& communicator,
                                                   const Job& job) {
  const bool repeated = options.reading == Reading::between && frame.groups.count > 0;
  if (parents.empty() || repeated || frame.rows_used < kFewestNonlinearRows) return std::nullopt;
  auto sample = draw_sample(frame, parents, options, communicator, job);
  if (!sample) return forward(sample.error());
  Check check(*sample, communicator, job);
  if (!check.possible()) return std::nullopt;
  auto result = check.run();
  if (!result) return forward(result.error());
  return std::optional<Nonlinear>(std::move(*result));
}

} // namespace jitterscope::causal
