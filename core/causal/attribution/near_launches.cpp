#include "core/causal/attribution/near_launches.h"

#include <cmath>

#include "core/causal/statistics/earlier.h"

namespace jitterscope::causal {
namespace {

constexpr std::ptrdiff_t kNear = 4;
constexpr double kMinRows = 30;
/// Pseudo-rows without effect added to each class of a kernel.
constexpr double kShrunkRest = 4;

/// y minus the mean of the rows of the same class and kernel; NaN for rows that are not used.
std::vector<double> rests_of(const TermFit& fit, std::size_t feature, const std::vector<double>& y) {
  const auto& kernel = fit.rows().kernel;
  const std::size_t classes = fit.classes()[feature].count();
  std::vector<double> sum(classes * fit.rows().kernels), n(sum.size());
  const auto place_of = [&](std::size_t i) -> std::size_t {
    const auto c = fit.class_of(feature, i);
    return fit.used(i) && c < classes ? kernel[i] * classes + c : sum.size();
  };
  for (std::size_t i = 0; i < y.size(); ++i)
    if (const auto at = place_of(i); at < sum.size()) sum[at] += y[i], n[at] += 1;
  std::vector<double> rest(y.size(), kMissing);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (const auto at = place_of(i); at < sum.size()) rest[i] = y[i] - sum[at] / (n[at] + kShrunkRest);
  return rest;
}

/// Sums for the regression of y on the means before and after.
struct Sums {
  double n = 0, bb = 0, ba = 0, aa = 0, by = 0, ay = 0;

  void add(double before, double after, double y) {
    n += 1, bb += before * before, ba += before * after, aa += after * after;
    by += before * y, ay += after * y;
  }
  double predict(double before, double after) const {
    const double determinant = bb * aa - ba * ba;
    if (n < kMinRows || !(determinant > 1e-9 * bb * aa)) return 0;
    return ((aa * by - ba * ay) * before + (bb * ay - ba * by) * after) / determinant;
  }
};

} // namespace

std::vector<double> without_neighbours(const TermFit& fit, std::size_t feature,
                                       const std::vector<double>& y) {
  const FitRows& rows = fit.rows();
  const auto rest = rests_of(fit, feature, y);
  const auto& name = rows.features[feature].name;
  const bool since_operation = begins_at_the_end_of_earlier_work(name) || name.starts_with("recent_");
  const auto mean_near = [&](std::size_t row, std::ptrdiff_t step, const std::vector<double>& of) {
    double total = 0, count = 0;
    for (std::ptrdiff_t k = 1; k <= kNear; ++k) {
      const auto other =
          static_cast<std::size_t>(static_cast<std::ptrdiff_t>(row) + k * step); // wraps below 0
      if (other >= of.size() || rows.block[other] != rows.block[row]) break;
      if (!std::isnan(of[other])) total += of[other], count += 1;
    }
    return count > 0 ? total / count : 0.0;
  };
  std::vector<double> before(y.size()), after(y.size());
  std::vector<Sums> of_peers(rows.typical_ns.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!fit.used(i)) continue;
    before[i] = mean_near(i, -1, since_operation ? y : rest), after[i] = mean_near(i, 1, rest);
    of_peers[rows.peers[i]].add(before[i], after[i], y[i]);
  }
  std::vector<double> own = y;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (fit.used(i)) own[i] -= of_peers[rows.peers[i]].predict(before[i], after[i]);
  return own;
}

} // namespace jitterscope::causal
