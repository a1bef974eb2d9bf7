#include "core/causal/table/ranked_sample.h"

#include <algorithm>

#include "core/causal/base/lists.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr Eigen::Index kMinRows = 200;

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
