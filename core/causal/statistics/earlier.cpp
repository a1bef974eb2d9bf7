#include "core/causal/statistics/earlier.h"

#include <algorithm>
#include <cmath>

#include "core/causal/statistics/drift.h"
#include "core/causal/statistics/effects.h"

namespace jitterscope::causal {
namespace {

/// Part of a column's variance that the columns `others` do not explain.
double own_part(const Eigen::MatrixXd& correlation, int column, const std::vector<int>& others) {
  return 1 - regress(correlation, column, others).r_squared;
}

} // namespace

bool begins_at_the_end_of_earlier_work(std::string_view feature) {
  const auto name = feature.substr(0, feature.find(' '));
  return name == "gap_ns" || name == "gap" || name == "burst_position"; // "gap": a table's column in any unit
}

bool only_reflects_earlier(const Moments& all, const std::vector<TargetFit>& sides, int regressor,
                           int earlier) {
  constexpr double kLeftOfSlope = 1.0 / 3, kLeftOfOwn = 0.05, kSharedSlope = 2.0 / 3;
  const Eigen::MatrixXd correlation = correlation_of(all.cross);
  double maximum = 0;
  bool only = false;
  for (const TargetFit& side : sides) {
    const auto at = std::ranges::find(side.regressors, regressor);
    if (at == side.regressors.end()) continue;
    const auto asked = static_cast<std::size_t>(at - side.regressors.begin());
    const Slope before = slope(all, 1, side.column, side.regressors, asked);
    const double strength = std::fabs(before.value) *
                            std::sqrt(all.cross(regressor, regressor) / all.cross(side.column, side.column));
    if (!(strength > maximum)) continue;
    maximum = strength;
    auto others = side.regressors;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(asked));
    const double own = own_part(correlation, regressor, others);
    others.push_back(earlier);
    only = own_part(correlation, regressor, others) <= kLeftOfOwn * own; // the slope is then undetermined
    if (only) continue;
    auto with_earlier = side.regressors;
    with_earlier.push_back(earlier);
    const Slope held = slope(all, 1, side.column, with_earlier, asked);
    only = std::fabs(held.value) <= kLeftOfSlope * std::fabs(before.value);
    if (only || std::fabs(held.value) > kSharedSlope * std::fabs(before.value)) continue;
    const Slope of_earlier = slope(all, 1, side.column, with_earlier, with_earlier.size() - 1);
    only = std::fabs(of_earlier.value) * std::sqrt(all.cross(earlier, earlier)) >
           std::fabs(held.value) * std::sqrt(all.cross(regressor, regressor));
  }
  return only;
}

} // namespace jitterscope::causal
