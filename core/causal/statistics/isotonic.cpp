#include "core/causal/statistics/isotonic.h"

#include <cstddef>

namespace jitterscope::causal {

std::vector<double> isotonic(const std::vector<double>& values, const std::vector<double>& weights,
                             bool rising) {
  struct Pool { // neighbours that share one value
    double sum = 0, weight = 0, mean = 0;
    std::size_t count = 0;
  };
  const double sign = rising ? 1.0 : -1.0;
  std::vector<Pool> pools;
  pools.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool known = weights[i] > 0;
    Pool pool{known ? sign * values[i] * weights[i] : 0.0, weights[i], known ? sign * values[i] : 0.0, 1};
    while (!pools.empty() &&
           (!(pool.weight > 0) || !(pools.back().weight > 0) || pools.back().mean >= pool.mean)) {
      pool.sum += pools.back().sum, pool.weight += pools.back().weight, pool.count += pools.back().count;
      pool.mean = pool.weight > 0 ? pool.sum / pool.weight : 0.0;
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<double> fitted;
  fitted.reserve(values.size());
  for (const Pool& pool : pools) fitted.insert(fitted.end(), pool.count, sign * pool.mean);
  return fitted;
}

} // namespace jitterscope::causal
