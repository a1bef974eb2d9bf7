#include "core/causal/table/set_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMostSetValues = 11, kLeastRows = 24, kLeastRowsOfValue = 5, kLeastStretches = 3;
/// Maximum of the chi-squared statistic of equal frequencies beyond its mean, in standard deviations.
constexpr double kMostUnequal = 4;
/// Maximum distance between the targets of two values, in mean distances of targets with one value: beyond
/// it, the values did not divide the targets.
constexpr double kMostApart = 6;

using TargetsOfValues = std::map<double, std::vector<double>>; ///< of each value, ascending

bool are_consecutive_integers(const TargetsOfValues& targets) {
  double before = targets.begin()->first - 1;
  for (const auto& [value, of_value] : targets) {
    if (value != std::floor(value) || value != before + 1) return false;
    before = value;
  }
  return true;
}

/// Pearson's test of equal frequencies.
bool are_equally_frequent(const TargetsOfValues& targets, std::size_t rows) {
  const auto mean = static_cast<double>(rows) / static_cast<double>(targets.size());
  double squares = 0;
  for (const auto& [value, of_value] : targets)
    squares += std::pow(static_cast<double>(of_value.size()) - mean, 2) / mean;
  const auto freedom = static_cast<double>(targets.size() - 1);
  return squares <= freedom + kMostUnequal * std::sqrt(2 * freedom);
}

/// Whether the values divide the targets into ranges that touch.
bool are_classes(const TargetsOfValues& targets) {
  std::vector<const std::vector<double>*> ranges;
  double within = 0;
  std::size_t rows = 0;
  for (const auto& [value, of_value] : targets) {
    ranges.push_back(&of_value);
    within += of_value.back() - of_value.front(), rows += of_value.size() - 1;
  }
  std::ranges::sort(ranges, {}, [](const auto* range) { return range->front(); });
  const double step = within / static_cast<double>(rows);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const double apart = ranges[i]->front() - ranges[i - 1]->back();
    if (apart < 0 || apart > kMostApart * step) return false;
  }
  return true;
}

} // namespace

bool has_set_values(std::span<const double> values, std::span<const double> target) {
  TargetsOfValues targets;
  std::size_t rows = 0, stretches = 0;
  double before = std::nan("");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) || std::isnan(target[i])) continue;
    targets[values[i]].push_back(target[i]), ++rows;
    stretches += values[i] != before, before = values[i];
    if (targets.size() > kMostSetValues) return false;
  }
  if (rows < kLeastRows || targets.size() < 2 || stretches < kLeastStretches * targets.size() ||
      are_consecutive_integers(targets))
    return false;
  for (auto& [value, of_value] : targets) {
    if (of_value.size() < kLeastRowsOfValue) return false;
    std::ranges::sort(of_value);
  }
  return are_equally_frequent(targets, rows) && !are_classes(targets);
}

} // namespace jitterscope::causal
