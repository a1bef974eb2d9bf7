#include "core/base/stratified_sample.h"

#include <algorithm>
#include <random>

namespace jitterscope {

std::vector<std::int64_t> stratified_sample(std::int64_t items, std::int64_t strata) {
  strata = std::min(items, strata);
  std::mt19937_64 random(1); // its numbers are standardised, unlike those of distributions
  std::vector<std::int64_t> sample;
  for (std::int64_t k = 0; k < strata; ++k) {
    const std::int64_t first = k * items / strata, last = (k + 1) * items / strata;
    sample.push_back(first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last - first)));
  }
  return sample;
}

} // namespace jitterscope
