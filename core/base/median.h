#pragma once

#include <algorithm>
#include <vector>

namespace jitterscope {

/// Median of some values, at least one; their order changes.
inline double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 ? *middle : 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

} // namespace jitterscope
