#include "core/causal/effects/concentration.h"

#include <algorithm>
#include <cmath>

#include "core/base/exact_sums.h"

namespace jitterscope::causal {
namespace {

constexpr int kSteps = 64;      ///< number of classes per power of two
constexpr int kExponents = 128; ///< 2^-33 ns to 2^95 ns
constexpr int kSmallest = -32;
constexpr std::size_t kConcentrationClasses = kSteps * kExponents;

std::size_t class_of(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent); // in [0.5, 1)
  const int step = static_cast<int>((mantissa - 0.5) * 2 * kSteps);
  const int at = (exponent - kSmallest) * kSteps + step;
  return static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(kConcentrationClasses) - 1));
}

} // namespace

Expected<std::int64_t> launches_with_half_of_the_variability(const Frame& frame, Communicator& communicator) {
  const LocalRows& rows = frame.local;
  std::vector<std::int64_t> counts(kConcentrationClasses, 0);
  ExactSums by_class(kConcentrationClasses, frame.groups.longest, frame.plan.rows);
  for (std::size_t i = 0; i < rows.used.size(); ++i) {
    if (!rows.used[i]) continue;
    const double v = std::fabs(rows.duration[i] - frame.groups.median[rows.group[i]]);
    if (!(v > 0)) continue;
    const std::size_t at = class_of(v);
    ++counts[at], by_class.add(at, v);
  }
  if (auto done = communicator.sum(counts); !done) return forward(done.error());
  auto sums = by_class.total(communicator);
  if (!sums) return forward(sums.error());
  double all = 0;
  for (const double sum : *sums) all += sum;
  double missing = 0.5 * all;
  std::int64_t launches = 0;
  for (std::size_t at = kConcentrationClasses; at-- > 0 && missing > 0;) {
    const double sum = (*sums)[at];
    if (counts[at] == 0) continue;
    const double part = sum > missing ? missing / sum : 1.0;
    launches += std::llround(std::ceil(part * static_cast<double>(counts[at])));
    missing -= sum;
  }
  return launches;
}

} // namespace jitterscope::causal
