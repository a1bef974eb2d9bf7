#include "core/causal/amounts/suspect.h"

#include <cmath>

namespace jitterscope::causal {

int share_step(double share) {
  return static_cast<int>(std::floor(share * 20));
}

double small_sample_share(std::int64_t n) {
  if (n < 2) return 0;
  const auto even =
      static_cast<double>(n - n % 2); // with an odd number of launches, the median is one of them
  return std::sqrt(1.0 - (1.57 - 1.14 / even) / even);
}

} // namespace jitterscope::causal
