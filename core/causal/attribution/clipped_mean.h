#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace jitterscope::causal {

/// Range to which values are Winsorised.
struct Limits {
  double low = 0, high = 0;
};

constexpr double kClipped = 0.005; ///< fraction of the values at either end that is Winsorised

/// Limits that Winsorise kClipped of the values, and at least one value, at either end. Limits of fewer than
/// 20 values include all values.
inline Limits limits_of(std::vector<double> values) {
  if (values.empty()) return {};
  const std::size_t last = values.size() - 1;
  const std::size_t cut =
      values.size() < 20
          ? 0
          : std::min<std::size_t>(
                last / 4, 1 + static_cast<std::size_t>(kClipped * static_cast<double>(values.size())));
  const auto at = [&](std::size_t k) { return values.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(values.begin(), at(last - cut), values.end());
  const double high = *at(last - cut);
  std::nth_element(values.begin(), at(cut), at(last - cut) + 1);
  return {*at(cut), high};
}

/// Weighted mean of Winsorised values.
struct ClippedMean {
  double sum = 0, weight = 0, n = 0;
  void add(double value, double w, const Limits& limits) {
    sum += w * std::clamp(value, limits.low, limits.high), weight += w, n += 1;
  }
  double value() const { return weight > 0 ? sum / weight : 0.0; }
};

inline double clipped_mean(const std::vector<double>& values) {
  const auto limits = limits_of(values);
  ClippedMean mean;
  for (const double v : values) mean.add(v, 1, limits);
  return mean.value();
}

/// Upper median; reorders the values. 0 if there are none.
inline double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace jitterscope::causal
