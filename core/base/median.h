#pragma once

#include <algorithm>
#include <vector>

namespace jitterscope {

/// Median of some values, at least one; their order changes.
template <class T>
double median_of(std::vector<T>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto upper = static_cast<double>(*middle);
  return values.size() % 2 ? upper
                           : 0.5 * (upper + static_cast<double>(*std::max_element(values.begin(), middle)));
}

} // namespace jitterscope
