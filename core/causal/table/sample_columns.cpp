#include "core/causal/table/sample_columns.h"

#include <cmath>

namespace jitterscope::causal {

bool has_heavy_tails(const std::vector<double>& values) {
  constexpr double heavy = 6.0;
  double n = 0, mean = 0, second = 0, fourth = 0;
  for (const double v : values)
    if (!std::isnan(v)) ++n, mean += v;
  mean /= std::max(n, 1.0);
  for (const double v : values) {
    if (std::isnan(v)) continue;
    const double square = (v - mean) * (v - mean);
    second += square / n, fourth += square * square / n;
  }
  return second > 0 && fourth / (second * second) - 3.0 > heavy;
}

double on_scale(Scale scale, double value) {
  return scale == Scale::log1p ? std::copysign(std::log1p(std::fabs(value)), value) : value;
}

double log_ratio(const Frame& frame, std::size_t row) {
  return std::log(frame.local.duration[row] / frame.groups.median[frame.local.group[row]]);
}

bool varies_within(std::span<const double> column, const std::vector<std::uint32_t>& group_of,
                   std::uint32_t groups) {
  std::vector<double> first(groups, kMissing);
  for (std::size_t r = 0; r < column.size(); ++r) {
    const auto g = group_of[r];
    if (g >= groups || std::isnan(column[r])) continue;
    if (std::isnan(first[g])) first[g] = column[r];
    if (first[g] != column[r]) return true;
  }
  return false;
}

void centre_by(Eigen::Ref<Eigen::VectorXd> column, const std::vector<std::uint32_t>& class_of,
               std::uint32_t classes, bool keep_means) {
  std::vector<double> sum(classes, 0.0), count(classes, 0.0);
  for (Eigen::Index r = 0; r < column.size(); ++r) {
    const auto k = class_of[r];
    if (k < classes && !std::isnan(column(r))) sum[k] += column(r), ++count[k];
  }
  for (Eigen::Index r = 0; r < column.size(); ++r) {
    const auto k = class_of[r];
    if (k >= classes || count[k] == 0) continue;
    column(r) = keep_means ? sum[k] / count[k] : column(r) - sum[k] / count[k];
  }
}

} // namespace jitterscope::causal
