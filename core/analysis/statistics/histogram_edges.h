#pragma once

#include <cmath>
#include <vector>

namespace jitterscope::analysis {

/// bins + 1 edges from `low` to `high`, in equal steps of the value or of its logarithm (low > 0 then); a
/// single value is widened on both sides by 1 %, or by 0.5 if it is 0. Both ends are exact.
inline std::vector<double> histogram_edges(double low, double high, int bins, bool log) {
  if (!(low < high)) {
    const double half = low != 0 ? std::abs(low) * 0.01 : 0.5;
    high = low + half;
    low -= half;
  }
  std::vector<double> edges;
  const double a = log ? std::log10(low) : low, b = log ? std::log10(high) : high;
  for (int i = 0; i <= bins; ++i) {
    const double at = a + (b - a) * i / bins;
    edges.push_back(log ? std::pow(10.0, at) : at);
  }
  edges.front() = low;
  edges.back() = high;
  return edges;
}

} // namespace jitterscope::analysis
