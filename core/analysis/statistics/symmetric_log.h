#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace jitterscope::analysis {

/// The symmetric logarithm sign(x) · log(1 + |x| / c): logarithmic far from 0, linear near it, defined for
/// zeros and negative values (Webber, "A bi-symmetric log transformation for wide-range data", Meas. Sci.
/// Technol. 24, 2013).
class SymmetricLog {
public:
  /// `straight_below` > 0: the constant c, in the unit of the values.
  explicit SymmetricLog(double straight_below) : c_(straight_below) {}
  double operator()(double value) const { return std::copysign(std::log1p(std::abs(value) / c_), value); }
  double back(double place) const { return std::copysign(c_ * std::expm1(std::abs(place)), place); }

  /// bins + 1 edges from `low` to `high` in equal steps of the scale; both ends are exact. low < high.
  std::vector<double> edges(double low, double high, int bins) const {
    std::vector<double> made;
    const double a = (*this)(low), b = (*this)(high);
    for (int i = 0; i <= bins; ++i) made.push_back(back(a + (b - a) * i / bins));
    made.front() = low;
    made.back() = high;
    return made;
  }

  /// c for these values: the largest power of ten that does not exceed the 10th percentile of the nonzero
  /// magnitudes or 1e-6 of the maximum, whichever is larger. 0 if all values are 0.
  static double straight_below(const std::vector<double>& values) {
    const auto magnitudes = magnitudes_of(values);
    const auto first = std::upper_bound(magnitudes.begin(), magnitudes.end(), 0.0);
    if (first == magnitudes.end()) return 0;
    const double tenth = first[(magnitudes.end() - first) / 10];
    return std::pow(10.0, std::floor(std::log10(std::max(tenth, magnitudes.back() * 1e-6)) + 1e-9));
  }

  /// Whether half of the values would be in a twentieth of the length of a linear axis, and the maximum
  /// magnitude is at least 100 · straight_below(values).
  static bool skewed(const std::vector<double>& values) {
    constexpr double kMax = 20, kDecades = 100;
    const auto magnitudes = magnitudes_of(values);
    if (magnitudes.empty() || !(magnitudes.back() > 0)) return false;
    return magnitudes.back() > kMax * magnitudes[(magnitudes.size() - 1) / 2] &&
           magnitudes.back() >= kDecades * straight_below(values);
  }

private:
  static std::vector<double> magnitudes_of(const std::vector<double>& values) {
    std::vector<double> magnitudes;
    for (const double value : values)
      if (std::isfinite(value)) magnitudes.push_back(std::abs(value));
    std::sort(magnitudes.begin(), magnitudes.end());
    return magnitudes;
  }

  double c_;
};

} // namespace jitterscope::analysis
