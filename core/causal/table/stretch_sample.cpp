#include "core/causal/table/stretch_sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/base/lists.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/table/sample_columns.h"

namespace jitterscope::causal {
namespace {

constexpr int kSampleStretches = 100;

/// Stretch of a row of the table; −1 if the row is not sampled.
int stretch_of(const BlockPlan& plan, std::int64_t row, std::int64_t maximum) {
  auto stretch =
      static_cast<int>(static_cast<double>(row) / static_cast<double>(plan.rows) * kSampleStretches);
  while (row < share_of(plan.rows, stretch, kSampleStretches).first) --stretch;
  while (row >= share_of(plan.rows, stretch, kSampleStretches).last) ++stretch;
  return row - share_of(plan.rows, stretch, kSampleStretches).first < maximum / kSampleStretches ? stretch
                                                                                                 : -1;
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

Eigen::VectorXd Lines::operator()(const Eigen::MatrixXd& x) const {
  return ((x.rowwise() - mean.transpose()) * slope).array() + level;
}

double standard_error_of_folds(const std::array<double, kFolds>& of_fold) {
  const double mean = std::accumulate(of_fold.begin(), of_fold.end(), 0.0) / kFolds;
  double squares = 0;
  for (const double value : of_fold) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (kFolds - 1) * (1.0 / kFolds + 1.0 / (kFolds - 1))) * kFolds;
}

double student_four(double p) {
  const double alpha = 4 * p * (1 - p);
  const double root = std::sqrt(alpha);
  const double q = std::cos(std::acos(root) / 3) / root;
  return (p < 0.5 ? -2 : 2) * std::sqrt(std::max(0.0, q - 1));
}

} // namespace jitterscope::causal
