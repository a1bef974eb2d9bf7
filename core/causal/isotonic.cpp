#include "core/causal/isotonic.h"

#include <cstddef>

namespace jitterscope::causal {
namespace {

/// Neighbours that share one value.
struct Pool {
  double sum = 0, weight = 0;
  std::size_t count = 0;
  double mean() const { return weight > 0 ? sum / weight : 0.0; }
};

} // namespace

std::vector<double> isotonic(const std::vector<double>& values, const std::vector<double>& weights,
                             bool rising) {
  const double sign = rising ? 1.0 : -1.0;
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Pool pool{weights[i] > 0 ? sign * values[i] * weights[i] : 0.0, weights[i], 1};
    while (!pools.empty() &&
           (!(pool.weight > 0) || !(pools.back().weight > 0) || pools.back().mean() >= pool.mean())) {
      pool.sum += pools.back().sum, pool.weight += pools.back().weight, pool.count += pools.back().count;
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<double> fitted;
  fitted.reserve(values.size());
  for (const Pool& pool : pools) fitted.insert(fitted.end(), pool.count, sign * pool.mean());
  return fitted;
}

} // namespace jitterscope::causal
