#include "core/causal/answer/cause_test.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/ids.h"
#include "core/base/median.h"
#include "core/causal/amounts/changes.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kClasses = 16;
constexpr std::size_t kRunsOfClass = 3; ///< minimum stretches of equal values for each class of a curve

/// Rows by configuration, or of one group if some have none; durations are the target.
AmountRows rows_of(const StretchSample& sample, Eigen::Index predictor) {
  const auto values = [&](Eigen::Index c) {
    const Eigen::VectorXd v = (sample.z.col(c).array() * sample.deviation(c) + sample.mean(c)).matrix();
    return std::vector<double>(v.begin(), v.end());
  };
  AmountRows rows;
  rows.x = values(predictor), rows.duration = values(sample.predictors());
  rows.group = sample.group;
  if (rows.group.size() != rows.x.size() || contains(rows.group, kNone)) rows.group.assign(rows.x.size(), 0);
  return rows;
}

/// Medians of the durations by group.
std::vector<double> typical_of(const AmountRows& rows) {
  std::vector<std::vector<double>> durations(1 + *std::ranges::max_element(rows.group));
  for (std::size_t i = 0; i < rows.x.size(); ++i) durations[rows.group[i]].push_back(rows.duration[i]);
  std::vector<double> medians;
  for (auto& of_group : durations) medians.push_back(of_group.empty() ? 0 : median_of(of_group));
  return medians;
}

bool counts_length(const AmountRows& rows, const Column& column) {
  const bool during =
      column.tier == static_cast<int>(Tier::context) || column.tier == static_cast<int>(Tier::counters);
  const auto whole = [](double x) {
    return std::fabs(x - std::round(x)) < 1e-6 * std::max(1.0, std::fabs(x));
  };
  return column.of_plain_table && during && !is_device_state(column.name) && column.minimum >= 0 &&
         *std::ranges::min_element(rows.duration) > 0 && std::ranges::all_of(rows.x, whole) &&
         as_expected_by_time(rows, 1 + *std::ranges::max_element(rows.group));
}

/// Whether a curve through classes of the values can only be one through stretches of rows.
bool has_few_runs(const std::vector<double>& x) {
  const Eigen::VectorXd values =
      Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  const auto ends = class_ends(values, kClasses);
  const auto same = classes_of(values, ends);
  std::size_t runs = 1;
  for (std::size_t i = 0; i + 1 < same.size(); ++i) runs += same[i] != same[i + 1];
  return runs < kRunsOfClass * ends.size();
}

/// Whether values are set, each for some of the rows: rows are often sorted by parameters.
bool is_set(const std::vector<double>& x, const Column& column) {
  if (column.tier != static_cast<int>(Tier::configuration)) return false;
  auto sorted = x;
  std::ranges::sort(sorted);
  return 2 * (std::unique(sorted.begin(), sorted.end()) - sorted.begin()) <= std::ssize(x);
}

/// Whether a column may have been chosen and not measured, so that rows may be sorted by it.
bool may_be_chosen(const Column& column) {
  return column.tier == static_cast<int>(Tier::configuration) ||
         column.tier >= static_cast<int>(Tier::duration);
}

/// Whether the rows are sorted by the values: then their order says nothing about time.
bool is_sorted_by(const std::vector<double>& x) {
  return std::ranges::is_sorted(x) || std::ranges::is_sorted(x, std::greater{});
}

} // namespace

CauseTest test_cause(const StretchSample& sample, Eigen::Index predictor, const Column& column, bool lasts,
                     bool bent, std::size_t candidates) {
  const AmountRows rows = rows_of(sample, predictor);
  if (rows.x.empty()) return CauseTest::passed;
  if (lasts && counts_length(rows, column)) return CauseTest::follows_from_length;
  if (is_set(rows.x, column) || (may_be_chosen(column) && is_sorted_by(rows.x)) ||
      is_sorted_by(rows.duration))
    return CauseTest::passed;
  const bool together = changes_together(rows, typical_of(rows), candidates);
  return together && !(bent && has_few_runs(rows.x)) ? CauseTest::passed : CauseTest::drifts;
}

} // namespace jitterscope::causal
