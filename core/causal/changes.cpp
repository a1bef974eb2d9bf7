#include "core/causal/changes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/ranks_within.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kFewestRows = 30, kStretches = 200, kRowsOfAStretch = 4, kFewestChanging = 5, kMostShifts = 500;

constexpr double kPersistent = 0.5;

using Values = std::vector<double>;

/// Correlation of the values of neighbours, of values around their mean.
bool is_persistent(const Values& x) {
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += x[i] * x[i], products += x[i] * x[i + 1 < x.size() ? i + 1 : 0];
  return products > kPersistent * squares;
}

bool within_stretches(const Values& x, const Values& y) {
  const std::size_t length = std::max(kRowsOfAStretch, x.size() / kStretches);
  Values products;
  for (std::size_t first = 0; first < x.size(); first += length) {
    const std::size_t last = std::min(first + length, x.size());
    const auto n = static_cast<double>(last - first);
    double mean_x = 0, mean_y = 0, product = 0;
    for (std::size_t i = first; i < last; ++i) mean_x += x[i] / n, mean_y += y[i] / n;
    const bool changes = std::any_of(x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(last),
                                     [&](double v) { return v != x[first]; });
    for (std::size_t i = first; i < last; ++i) product += (x[i] - mean_x) * (y[i] - mean_y);
    if (changes) products.push_back(product);
  }
  if (products.size() < kFewestChanging) return false;
  const auto n = static_cast<double>(products.size());
  const double mean = std::accumulate(products.begin(), products.end(), 0.0) / n;
  double squares = 0;
  for (const double p : products) squares += (p - mean) * (p - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  return std::fabs(mean) > (2.58 + 10 / n) * error; // Student's quantile at 1 %, from above
}

bool beyond_shifted(const Values& x, const Values& y, double chance) {
  const std::size_t n = x.size(), shifts = std::min(n, kMostShifts);
  const auto product = [&](std::size_t shift) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i + shift < n ? i + shift : i + shift - n] * y[i];
    return sum;
  };
  double mean = 0, squares = 0;
  for (std::size_t s = 1; s < shifts; ++s) {
    const double p = product(s * n / shifts);
    mean += p, squares += p * p;
  }
  const auto count = static_cast<double>(shifts - 1);
  mean /= count;
  const double std = std::sqrt(std::max(0.0, squares / count - mean * mean));
  if (!(std > 0)) return true;
  return std::erfc(std::fabs(product(0) - mean) / std / std::sqrt(2.0)) < chance;
}

} // namespace

bool changes_together(const AmountRows& rows, const std::vector<double>& usual, std::size_t candidates) {
  if (rows.x.size() < kFewestRows) return true;
  Values away;
  for (std::size_t i = 0; i < rows.x.size(); ++i) away.push_back(std::fabs(rows.duration[i] - usual[rows.group[i]]));
  const Values x = ranks_within(rows.x, std::vector<std::uint32_t>(rows.x.size(), 0));
  if (!is_persistent(x)) return true;
  const Values of_duration = ranks_within(rows.duration, rows.group), of_variability = ranks_within(away, rows.group);
  const double chance = 0.05 / 2 / static_cast<double>(std::max<std::size_t>(candidates, 1));
  return within_stretches(x, of_duration) || within_stretches(x, of_variability) || beyond_shifted(x, of_duration, chance) ||
         beyond_shifted(x, of_variability, chance);
}

} // namespace jitterscope::causal
