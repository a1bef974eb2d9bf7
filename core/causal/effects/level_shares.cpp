#include "core/causal/effects/level_shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/statistics/shapley.h"
#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMinLevelClasses = 16, kMaxLevelClasses = 64, kRowsOfLevelClass = 25;
constexpr double kMinCurve = 0.02; ///< minimum fraction of the variance
constexpr int kLevelPasses = 10;

using Rows = std::vector<Eigen::Index>;

/// Lines of all columns, and means of classes of the curved ones.
class AdditiveModel {
public:
  AdditiveModel(const StretchSample& sample, const std::vector<std::vector<std::size_t>>& class_of,
                const std::vector<std::size_t>& classes, std::vector<std::size_t> curved)
      : sample_(sample), class_of_(class_of), curved_(std::move(curved)), steps_(classes.size()) {
    for (std::size_t c = 0; c < classes.size(); ++c) steps_[c].assign(classes[c], 0.0);
  }

  void fit(const Rows& rows) {
    Eigen::MatrixXd joined(static_cast<Eigen::Index>(rows.size()), sample_.z.cols());
    joined << sample_.x()(rows, Eigen::all), sample_.y()(rows);
    const Eigen::Index last = joined.cols() - 1;
    for (int pass = 0; pass < (curved_.empty() ? 1 : kLevelPasses); ++pass) {
      for (std::size_t r = 0; r < rows.size(); ++r)
        joined(static_cast<Eigen::Index>(r), last) = sample_.y()(rows[r]) - all_steps(rows[r]);
      lines_ = Lines::of(Moments::of(joined));
      for (const std::size_t c : curved_) fit_steps(c, rows);
    }
  }

  double operator()(Eigen::Index row) const {
    double value = lines_.level + all_steps(row);
    for (Eigen::Index c = 0; c < lines_.slope.size(); ++c)
      value += lines_.slope(c) * (sample_.z(row, c) - lines_.mean(c));
    return value;
  }
  /// What one column adds to the prediction of a row.
  double part(std::size_t c, Eigen::Index row) const {
    const auto column = static_cast<Eigen::Index>(c);
    return lines_.slope(column) * (sample_.z(row, column) - lines_.mean(column)) + step(c, row);
  }
  /// Means of classes beyond the lines.
  std::size_t parameters() const {
    return std::accumulate(curved_.begin(), curved_.end(), std::size_t{0},
                           [&](std::size_t sum, std::size_t c) { return sum + steps_[c].size() - 2; });
  }

private:
  double step(std::size_t c, Eigen::Index row) const { return steps_[c][class_of_[c][row]]; }
  double all_steps(Eigen::Index row) const {
    double sum = 0;
    for (const std::size_t c : curved_) sum += step(c, row);
    return sum;
  }
  void fit_steps(std::size_t c, const Rows& rows) {
    std::vector<double> sum(steps_[c].size(), 0.0), count(steps_[c].size(), 0.0);
    double all = 0;
    for (const auto row : rows) {
      const double left = sample_.y()(row) - (*this)(row) + step(c, row);
      const auto k = class_of_[c][row];
      sum[k] += left, count[k] += 1, all += left;
    }
    all /= static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    for (std::size_t k = 0; k < sum.size(); ++k) steps_[c][k] = count[k] > 0 ? sum[k] / count[k] - all : 0.0;
  }

  const StretchSample& sample_;
  const std::vector<std::vector<std::size_t>>& class_of_;
  std::vector<std::size_t> curved_;
  std::vector<std::vector<double>> steps_;
  Lines lines_;
};

/// The value of x after which a step of y explains most of the variance of y.
double largest_step(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  auto order = numbers_below<Eigen::Index>(x.size());
  std::ranges::stable_sort(order, [&](auto a, auto b) { return x(a) < x(b); });
  const double mean = y.mean(), n = static_cast<double>(x.size());
  double sum = 0, most = 0, at = x(order.back());
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    sum += y(order[k]) - mean;
    if (x(order[k]) == x(order[k + 1])) continue;
    const double below = static_cast<double>(k + 1), explained = sum * sum * (1 / below + 1 / (n - below));
    if (explained > most) most = explained, at = x(order[k]);
  }
  return at;
}

class Search {
public:
  explicit Search(const StretchSample& sample) : sample_(sample), rows_of_fold_(sample.rows_of_folds()) {
    // As many as the rows allow, because the curve within a class is lost.
    const auto classes =
        classes_for(sample.z.rows(), std::clamp(static_cast<std::size_t>(sample.z.rows()) / kRowsOfLevelClass,
                                                kMinLevelClasses, kMaxLevelClasses));
    const Lines lines = Lines::of(Moments::of(sample.z));
    const Eigen::VectorXd left = sample.y() - lines(sample.x());
    for (Eigen::Index c = 0; c < sample.predictors(); ++c) {
      const auto x = sample.z.col(c);
      auto ends = class_ends(x, classes);
      const double step = largest_step(x, left + lines.slope(c) * x);
      if (const auto place = std::ranges::lower_bound(ends, step); place == ends.end() || *place != step)
        ends.insert(place, step);
      class_of_.push_back(classes_of(x, ends)), classes_.push_back(ends.size());
    }
    for (std::size_t f = 0; f < kFolds; ++f)
      for (std::size_t g = 0; g < kFolds; ++g)
        if (g != f) others_[f].insert(others_[f].end(), rows_of_fold_[g].begin(), rows_of_fold_[g].end());
    errors_of_lines_ = errors({});
  }

  /// Columns whose classes predict better than their lines.
  Expected<std::vector<std::size_t>> curved(const Job& job) const {
    const auto tests = static_cast<double>(classes_.size());
    const double total = sample_.y().squaredNorm();
    std::vector<std::size_t> found;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (job.cancelled()) return Job::cancelled_error();
      if (classes_[c] < 3) continue;
      auto saved = errors_of_lines_;
      const auto with_classes = errors({c});
      double sum = 0;
      for (std::size_t s = 0; s < saved.size(); ++s) sum += saved[s] -= with_classes[s];
      if (sum > kMinCurve * total && is_above_chance(saved, tests)) found.push_back(c);
    }
    return found;
  }

  AdditiveModel fitted(const std::vector<std::size_t>& curved) const {
    AdditiveModel model(sample_, class_of_, classes_, curved);
    model.fit(numbers_below(sample_.z.rows()));
    return model;
  }

private:
  /// Σ (y − prediction by a fit of the other folds)².
  ErrorsByStretch errors(const std::vector<std::size_t>& curved) const {
    ErrorsByStretch sums{};
    for (std::size_t f = 0; f < kFolds; ++f) {
      AdditiveModel model(sample_, class_of_, classes_, curved);
      model.fit(others_[f]);
      for (const auto row : rows_of_fold_[f])
        sums[sample_.stretch[row]] += std::pow(sample_.y()(row) - model(row), 2);
    }
    return sums;
  }

  const StretchSample& sample_;
  std::vector<std::vector<std::size_t>> class_of_; ///< by column, then row
  std::vector<std::size_t> classes_;               ///< by column
  std::vector<Rows> rows_of_fold_;
  std::array<Rows, kFolds> others_;
  ErrorsByStretch errors_of_lines_{};
};

Shares shares_of(const Moments& parts) {
  auto predictors = numbers_below<int>(parts.mean.size() - 1);
  return lmg_shares(parts.covariance(), static_cast<int>(predictors.size()), predictors);
}

} // namespace

Expected<std::optional<LevelShares>> level_shares(const StretchSample& sample, double inflation,
                                                  int replicates, std::uint64_t seed, const Job& job,
                                                  bool always) {
  const Search search(sample);
  auto curved = search.curved(job);
  if (!curved) return forward(curved.error());
  if (curved->empty() && !always) return std::nullopt;
  const AdditiveModel model = search.fitted(*curved);
  const Eigen::Index rows = sample.z.rows(), columns = sample.predictors();
  Eigen::MatrixXd parts(rows, columns + 1); // what each column adds; last the target
  for (Eigen::Index r = 0; r < rows; ++r)
    for (Eigen::Index c = 0; c < columns; ++c) parts(r, c) = model.part(static_cast<std::size_t>(c), r);
  parts.col(columns) = sample.y();

  std::vector<Moments> blocks;
  for (Eigen::Index first = 0; first < rows;) {
    Eigen::Index last = first;
    while (last < rows && sample.stretch[last] == sample.stretch[first]) ++last;
    blocks.push_back(Moments::of(parts.middleRows(first, last - first)));
    first = last;
  }
  Moments total(columns + 1);
  for (const Moments& block : blocks) total.merge(block);

  const auto n = static_cast<double>(rows), fitted = static_cast<double>(model.parameters());
  const Shares whole = shares_of(total);
  LevelShares result;
  result.r_squared = std::max(0.0, 1 - (1 - whole.r_squared) * (n - 1) / std::max(n - 1 - fitted, 1.0));
  const double adjusted = whole.r_squared > 0 ? result.r_squared / whole.r_squared : 0.0;
  for (Eigen::Index c = 0; c < columns; ++c) {
    const auto& cross = total.cross;
    const double variances = cross(c, c) * cross(columns, columns);
    result.share.push_back(adjusted * whole.share[c]);
    result.alone.push_back(variances > 0 ? std::pow(cross(c, columns), 2) / variances : 0.0);
  }
  auto resamples =
      draw_resamples(blocks.size(), n / static_cast<double>(blocks.size()), inflation, replicates, seed, job);
  if (!resamples) return forward(resamples.error());
  std::vector<std::vector<double>> shares;
  for (const auto& weights : *resamples) {
    if (job.cancelled()) return Job::cancelled_error();
    Moments drawn(columns + 1);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (int k = 0; k < weights[b]; ++k) drawn.merge(blocks[b]);
    shares.push_back(shares_of(drawn).share);
  }
  for (std::size_t c = 0; c < result.share.size(); ++c) {
    Range interval = shares.empty() ? Range{whole.share[c], whole.share[c]} : percentile_interval(shares, c);
    result.intervals.push_back(
        containing({adjusted * interval.low, adjusted * interval.high}, result.share[c]));
  }
  return std::optional(std::move(result));
}

} // namespace jitterscope::causal
