#include "core/causal/amounts/exposure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace jitterscope::causal {
namespace {

constexpr double kSteady = 0.25;
constexpr int kHalvings = 60;

/// Rate of independent events per duration at which this fraction of the launches has at least one.
double rate_for_fraction(double part, const std::vector<double>& durations) {
  const double mean =
      std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(durations.size());
  double low = 0, high = 1 / mean;
  const auto fraction_at = [&](double rate) {
    double sum = 0;
    for (const double d : durations) sum -= std::expm1(-rate * d);
    return sum / static_cast<double>(durations.size());
  };
  while (fraction_at(high) < part && high < 1e3 / mean) high *= 2;
  for (int i = 0; i < kHalvings; ++i) (fraction_at((low + high) / 2) < part ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

} // namespace

bool as_expected_by_time(const AmountRows& rows, std::uint32_t groups) {
  std::vector<double> count(groups, 0.0), duration(groups, 0.0), number(groups, 0.0);
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    const auto g = rows.group[i];
    count[g] += 1, duration[g] += rows.duration[i], number[g] += rows.x[i];
  }
  // Expected at a steady rate: counts in proportion to durations; "at least one" grows less in long launches.
  const bool at_least_one = std::ranges::all_of(rows.x, [](double x) { return x == 0 || x == 1; });
  std::vector<double> rate(groups, 0.0);
  if (at_least_one) {
    std::vector<std::vector<double>> durations(groups);
    for (std::size_t i = 0; i < rows.x.size(); ++i) durations[rows.group[i]].push_back(rows.duration[i]);
    for (std::uint32_t g = 0; g < groups; ++g)
      if (number[g] > 0) rate[g] = rate_for_fraction(number[g] / count[g], durations[g]);
  }
  const auto visit = [&](const auto& row) {
    for (std::size_t i = 0; i < rows.x.size(); ++i) {
      const auto g = rows.group[i];
      if (!(number[g] > 0) || !(duration[g] > 0)) continue;
      const double longer = rows.duration[i] * count[g] / duration[g] - 1;
      const double steady =
          at_least_one ? -std::expm1(-rate[g] * rows.duration[i]) * count[g] / number[g] - 1 : longer;
      row(longer, rows.x[i] * count[g] / number[g] - 1, steady);
    }
  };
  double seen = 0, brought = 0, errors = 0;
  visit([&](double d, double x, double steady) { seen += d * x, brought += d * steady; });
  if (!(brought > 0)) return false;
  const double times = seen / brought;
  visit([&](double d, double x, double steady) {
    errors += d * d * (x - times * steady) * (x - times * steady);
  });
  return std::fabs(times - 1) <= std::max(kSteady, 2 * std::sqrt(errors) / brought);
}

} // namespace jitterscope::causal
