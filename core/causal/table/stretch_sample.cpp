#include "core/causal/table/stretch_sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/table/sample_columns.h"

namespace jitterscope::causal {

namespace {

/// Stretch of a row of the table; −1 if the row is not sampled.
int stretch_of(const BlockPlan& plan, std::int64_t row, std::int64_t maximum) {
  auto stretch =
      static_cast<int>(static_cast<double>(row) / static_cast<double>(plan.rows) * kSampleStretches);
  while (row < share_of(plan.rows, stretch, kSampleStretches).first) --stretch;
  while (row >= share_of(plan.rows, stretch, kSampleStretches).last) ++stretch;
  return row - share_of(plan.rows, stretch, kSampleStretches).first < maximum / kSampleStretches ? stretch
                                                                                                 : -1;
}

constexpr Eigen::Index kMinRows = 60;

void to_normal_scores(Eigen::Ref<Eigen::VectorXd> column,
                      const std::vector<std::vector<Eigen::Index>>& rows_of_group) {
  for (const auto& rows : rows_of_group) {
    const auto values = mapped(rows, [&](auto r) { return double{column(r)}; });
    const NormalScores scores(values, values.size());
    for (const auto r : rows) column(r) = scores(column(r));
  }
}

/// Rows without a group, and all rows if `groups` is 0, are in one last entry after the groups.
std::vector<std::vector<Eigen::Index>> rows_by_group(const StretchSample& sample, std::uint32_t groups) {
  std::vector<std::vector<Eigen::Index>> rows(std::size_t{groups} + 1);
  for (std::size_t r = 0; r < sample.group.size(); ++r)
    rows[std::min(sample.group[r], groups)].push_back(static_cast<Eigen::Index>(r));
  return rows;
}

void number_configurations(const std::vector<std::vector<Eigen::Index>>& groups, RankedSample& ranked) {
  constexpr std::size_t kMinRowsOfConfiguration = 100;
  const auto is_large = [](const auto& rows) { return rows.size() >= kMinRowsOfConfiguration; };
  const auto large = static_cast<std::size_t>(std::ranges::count_if(groups, is_large));
  if (large == 0 || groups.size() < 3) return; // the last entry has no configuration
  std::size_t next = 0;
  bool others = false;
  ranked.configuration.resize(ranked.sample.group.size());
  for (const auto& rows : groups) {
    const std::size_t number = is_large(rows) ? next++ : large;
    others = others || (number == large && !rows.empty());
    for (const auto r : rows) ranked.configuration[static_cast<std::size_t>(r)] = number;
  }
  ranked.configurations = large + others;
}

RankedSample::Response response(const Eigen::VectorXd& y, const Eigen::MatrixXd& parents) {
  const auto variation = [](const Eigen::VectorXd& of) {
    return (of.array() - of.mean()).matrix().squaredNorm();
  };
  RankedSample::Response result{y, y, 1};
  if (parents.cols() > 0) {
    Eigen::MatrixXd joined(y.size(), parents.cols() + 1);
    joined << parents, y;
    result.left -= Lines::of(Moments::of(joined))(parents);
  }
  const double all = variation(y);
  result.left_share = all > 0 ? variation(result.left) / all : 0.0;
  return result;
}

} // namespace

std::vector<std::vector<Eigen::Index>> StretchSample::rows_of_folds() const {
  std::vector<std::vector<Eigen::Index>> rows(kFolds);
  for (std::size_t r = 0; r < stretch.size(); ++r) rows[fold_of(r)].push_back(static_cast<Eigen::Index>(r));
  return rows;
}

bool StretchSample::complete() const {
  const auto rows = rows_of_folds();
  return z.allFinite() && std::ranges::none_of(rows, [](const auto& of_fold) { return of_fold.empty(); });
}

StretchSample StretchSample::with_only(Eigen::Index predictor) const {
  const std::array<Eigen::Index, 2> kept{predictor, predictors()};
  StretchSample one{z(Eigen::all, kept), mean(kept), deviation(kept), stretch, group, duration};
  return one;
}

Expected<StretchSample> StretchSample::draw(const Frame& frame, const std::vector<int>& predictors,
                                            bool within_configurations, Communicator& communicator,
                                            const Job& job) {
  const bool launches = frame.target_kind == TargetKind::variability;
  const std::size_t width = predictors.size() + 1 + launches;
  const std::int64_t maximum =
      std::min(kSampledRows, kSampledValues / static_cast<std::int64_t>(predictors.size()));
  std::vector<double> mine;
  std::vector<std::uint32_t> my_groups;
  std::vector<int> my_stretches;
  auto walked = frame.walk(job, "sample of rows", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      const int place =
          stretch_of(frame.plan, frame.local.first_row + static_cast<std::int64_t>(tile.row[k]), maximum);
      if (place < 0) continue;
      for (const int p : predictors) mine.push_back(tile.raw(row, p));
      mine.push_back(frame.target_value(tile, row));
      if (launches) mine.push_back(frame.local.duration[tile.row[k]]);
      my_groups.push_back(frame.local.group[tile.row[k]]);
      my_stretches.push_back(place);
    }
  });
  if (!walked) return forward(walked.error());
  StretchSample sample;
  auto values = communicator.all_gather<double>(mine);
  if (!values) return forward(values.error());
  auto done = assign(sample.group, communicator.all_gather<std::uint32_t>(my_groups));
  if (done) done = assign(sample.stretch, communicator.all_gather<int>(my_stretches));
  if (!done) return forward(done.error());
  sample.z = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values->data(), static_cast<Eigen::Index>(values->size() / width), static_cast<Eigen::Index>(width));
  if (launches) {
    sample.duration = sample.z.col(sample.z.cols() - 1);
    sample.z.conservativeResize(Eigen::NoChange, sample.z.cols() - 1);
  }
  if (within_configurations && frame.groups.count > 0)
    for (Eigen::Index c = 0; c < sample.z.cols(); ++c)
      centre_by(sample.z.col(c), sample.group, frame.groups.count, false);
  sample.mean = sample.z.colwise().mean();
  sample.z.rowwise() -= sample.mean.transpose();
  sample.deviation = sample.z.colwise().norm() / std::sqrt(static_cast<double>(sample.z.rows()));
  for (Eigen::Index c = 0; c < sample.z.cols(); ++c)
    if (sample.deviation(c) > 0) sample.z.col(c) /= sample.deviation(c);
  return sample;
}

Lines Lines::of(const Moments& moments) {
  const Eigen::Index p = moments.mean.size() - 1;
  auto predictors = numbers_below<int>(p);
  const auto fit = regress(moments.covariance(), static_cast<int>(p), predictors);
  return {moments.mean.head(p), fit.coefficients, moments.mean(p)};
}

double standard_error_of_sum(const ErrorsByStretch& saved) {
  constexpr double kSharedRows = 1 + static_cast<double>(kFolds) / (kFolds - 1);
  const double mean = std::accumulate(saved.begin(), saved.end(), 0.0) / kSampleStretches;
  double squares = 0;
  for (const double of_stretch : saved) squares += (of_stretch - mean) * (of_stretch - mean);
  return std::sqrt(kSharedRows * long_run_inflation({saved.begin(), saved.end()}) * squares);
}

bool is_above_chance(const ErrorsByStretch& saved, double tests) {
  const double sum = std::accumulate(saved.begin(), saved.end(), 0.0);
  return sum > normal_quantile(1 - 0.025 / std::max(1.0, tests)) * standard_error_of_sum(saved);
}

std::vector<double> class_ends(const Eigen::Ref<const Eigen::VectorXd>& column, std::size_t classes) {
  std::vector<double> sorted(column.begin(), column.end());
  std::ranges::sort(sorted);
  std::vector<double> distinct;
  std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(distinct));
  if (distinct.size() <= classes) return distinct;
  std::vector<double> ends;
  for (std::size_t k = 1; k <= classes; ++k) ends.push_back(sorted[k * sorted.size() / classes - 1]);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::vector<std::size_t> classes_of(const Eigen::Ref<const Eigen::VectorXd>& column,
                                    const std::vector<double>& ends) {
  return mapped(column, [&](double value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ends, value) - ends.begin());
  });
}

Expected<std::optional<RankedSample>> RankedSample::draw(const Frame& frame, const std::vector<int>& parents,
                                                         const std::vector<int>& others,
                                                         const Options& options, Communicator& communicator,
                                                         const Job& job) {
  const bool repeated = options.reading == Reading::between && frame.groups.count > 0;
  std::vector<int> columns = parents;
  columns.insert(columns.end(), others.begin(), others.end());
  if (columns.empty() || repeated || frame.rows_used < kMinRows) return std::nullopt;
  auto drawn = StretchSample::draw(frame, columns, false, communicator, job);
  if (!drawn) return forward(drawn.error());
  if (drawn->z.rows() < kMinRows || !drawn->complete()) return std::nullopt;
  RankedSample ranked;
  ranked.sample = std::move(*drawn);
  auto& z = ranked.sample.z;
  const auto groups =
      rows_by_group(ranked.sample, options.reading == Reading::pooled ? 0 : frame.groups.count);
  number_configurations(groups, ranked);
  for (Eigen::Index c = 0; c < z.cols(); ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    to_normal_scores(z.col(c), groups);
  }
  ranked.parents = static_cast<Eigen::Index>(parents.size());
  ranked.responses.push_back(response(ranked.sample.y(), z.leftCols(ranked.parents)));
  if (Eigen::VectorXd duration = ranked.sample.duration; duration.size() > 0) {
    to_normal_scores(duration, groups);
    ranked.responses.push_back(response(duration, z.leftCols(ranked.parents)));
  }
  ranked.rows_of_fold = ranked.sample.rows_of_folds();
  return std::optional(std::move(ranked));
}

} // namespace jitterscope::causal
