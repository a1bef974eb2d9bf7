#include "core/causal/effects/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/statistics/boosted_trees.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {
namespace {

constexpr Eigen::Index kCurveRows = 1'000;

class Check {
public:
  Check(const StretchSample& sample, Communicator& communicator, const Job& job)
      : sample_(sample), communicator_(communicator), job_(job), rows_of_(sample.rows_of_folds()) {
    for (const auto& rows : rows_of_) moments_.push_back(Moments::of(sample.z(rows, Eigen::all)));
    for (Eigen::Index p = 0; p < sample.predictors(); ++p) points_.push_back(points_of(p));
  }

  Expected<Nonlinear> run() {
    // One task per fold and one for the curves, in the order in which their results are gathered.
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
    ErrorsByStretch boosted{};
    std::size_t at = 0;
    for (int f = 0; f < kFolds; ++f)
      for (int s = f; s < kSampleStretches; s += kFolds) boosted[s] = (*all)[at++];
    Nonlinear result = judge(boosted);
    for (Eigen::Index p = 0; p < sample_.predictors(); ++p) {
      auto& curve = result.curves.emplace_back();
      for (const double point : points_[p]) {
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

  /// Σ (y − prediction)² of the boosted model by stretch of a fold.
  Expected<std::vector<double>> squared_error(std::size_t fold) const {
    std::vector<Eigen::Index> others;
    for (std::size_t r = 0; r < sample_.stretch.size(); ++r)
      if (sample_.fold_of(r) != fold) others.push_back(static_cast<Eigen::Index>(r));
    const Lines lines = Lines::of(without(fold));
    const Eigen::MatrixXd known = sample_.x()(others, Eigen::all);
    auto trees = BoostedTrees::fit(known, sample_.y()(others) - lines(known), job_.cancelled);
    if (!trees) return forward(trees.error());
    const Eigen::MatrixXd unseen = sample_.x()(rows_of_[fold], Eigen::all);
    auto bends = trees->predict(unseen);
    if (!bends) return forward(bends.error());
    const Eigen::VectorXd left = sample_.y()(rows_of_[fold]) - lines(unseen) - *bends;
    std::vector<double> errors(kSampleStretches / kFolds, 0.0);
    for (std::size_t r = 0; r < rows_of_[fold].size(); ++r)
      errors[sample_.stretch[rows_of_[fold][r]] / kFolds] += std::pow(left(static_cast<Eigen::Index>(r)), 2);
    return errors;
  }

  Nonlinear judge(const ErrorsByStretch& boosted) const {
    ErrorsByStretch saved{};
    double total = 0;
    for (std::size_t f = 0; f < kFolds; ++f) {
      const Lines lines = Lines::of(without(f));
      const Eigen::VectorXd y = sample_.y()(rows_of_[f]),
                            left = y - lines(sample_.x()(rows_of_[f], Eigen::all));
      for (Eigen::Index r = 0; r < y.size(); ++r)
        saved[sample_.stretch[rows_of_[f][static_cast<std::size_t>(r)]]] += left(r) * left(r);
      total += (y.array() - lines.level).matrix().squaredNorm();
    }
    Nonlinear result;
    result.rows = sample_.z.rows();
    result.linear_r2 = 1 - std::accumulate(saved.begin(), saved.end(), 0.0) / total;
    result.boosted_r2 = 1 - std::accumulate(boosted.begin(), boosted.end(), 0.0) / total;
    for (std::size_t s = 0; s < saved.size(); ++s) saved[s] -= boosted[s];
    result.standard_error = standard_error_of_sum(saved) / total;
    const double more = result.boosted_r2 - std::max(0.0, result.linear_r2);
    if (more >= kMinNonlinearPart && is_above_chance(saved, 1)) result.part = more;
    return result;
  }

  std::vector<double> points_of(Eigen::Index parent) const {
    const Eigen::VectorXd column = sample_.z.col(parent);
    std::vector<double> distinct(column.begin(), column.end());
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() <= kCurvePoints) return distinct;
    std::vector<double> points;
    const auto last = static_cast<double>(distinct.size() - 1);
    for (int k = 0; k < kCurvePoints; ++k)
      points.push_back(distinct[static_cast<std::size_t>(last * (0.01 + 0.98 * k / (kCurvePoints - 1)))]);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

  /// Mean predictions in units of the target, by parent.
  Expected<std::vector<double>> curves() const {
    Moments all(sample_.z.cols());
    for (const auto& m : moments_) all.merge(m);
    const Lines lines = Lines::of(all);
    const Eigen::MatrixXd x = sample_.x();
    auto trees = BoostedTrees::fit(x, sample_.y() - lines(x), job_.cancelled);
    if (!trees) return forward(trees.error());
    const Eigen::Index count = std::min(kCurveRows, x.rows());
    Eigen::MatrixXd some(count, x.cols());
    for (Eigen::Index r = 0; r < count; ++r) some.row(r) = x.row(r * x.rows() / count);
    std::vector<double> means;
    for (Eigen::Index p = 0; p < x.cols(); ++p) {
      const auto& points = points_[p];
      Eigen::MatrixXd asked = some.replicate(static_cast<Eigen::Index>(points.size()), 1);
      for (std::size_t k = 0; k < points.size(); ++k)
        asked.col(p).segment(static_cast<Eigen::Index>(k) * count, count).setConstant(points[k]);
      if (job_.cancelled()) return Job::cancelled_error();
      auto bends = trees->predict(asked);
      if (!bends) return forward(bends.error());
      const Eigen::VectorXd predicted = lines(asked) + *bends;
      const Eigen::Index y = sample_.predictors();
      for (std::size_t k = 0; k < points.size(); ++k)
        means.push_back(sample_.mean(y) +
                        sample_.deviation(y) *
                            predicted.segment(static_cast<Eigen::Index>(k) * count, count).mean());
    }
    return means;
  }

  const StretchSample& sample_;
  Communicator& communicator_;
  const Job& job_;
  std::vector<std::vector<Eigen::Index>> rows_of_; ///< rows of each fold
  std::vector<Moments> moments_;                   ///< moments of each fold
  std::vector<std::vector<double>> points_;        ///< points of the curve of each parent, standardised
};

} // namespace

Expected<std::optional<StretchSample>> sample_for_curves(const Frame& frame, const std::vector<int>& parents,
                                                         const Options& options, Communicator& communicator,
                                                         const Job& job) {
  const bool repeated = options.reading == Reading::between && frame.groups.count > 0;
  if (parents.empty() || repeated || frame.rows_used < kMinCurveRows) return std::nullopt;
  // When launches are compared within configurations, differences between configurations are not a curve.
  const bool centred =
      frame.groups.count > 0 && (options.reading == Reading::within || options.reading == Reading::automatic);
  auto sample = StretchSample::draw(frame, parents, centred, communicator, job);
  if (!sample) return forward(sample.error());
  if (sample->z.rows() < kMinCurveRows || !sample->complete()) return std::nullopt;
  return std::optional(std::move(*sample));
}

Expected<std::optional<Nonlinear>> check_nonlinear(const Frame& frame, const std::vector<int>& parents,
                                                   const Options& options, Communicator& communicator,
                                                   const Job& job) {
  auto sample = sample_for_curves(frame, parents, options, communicator, job);
  if (!sample) return forward(sample.error());
  if (!*sample || (*sample)->z.rows() < kMinNonlinearRows) return std::nullopt;
  return Check(**sample, communicator, job).run();
}

} // namespace jitterscope::causal
