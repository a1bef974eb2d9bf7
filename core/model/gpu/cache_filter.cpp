#include "core/model/gpu/cache_filter.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace jitterscope::model {

Filtered filter_caches(std::span<const FilterLevel> levels, std::span<const double> hit_rates,
                       double transactions, double kappa) {
  assert(!levels.empty() && hit_rates.size() + 1 >= levels.size());
  Filtered out;
  const auto n = levels.size();
  const double further = std::max(transactions - 1, 0.0);
  const double effective = 1 + kappa * further;
  double reach = 1, served = 0, before = 0;
  for (std::size_t l = 0; l < n; ++l) {
    const bool last = l + 1 == n;
    const double beyond = last ? 0 : reach * (1 - hit_rates[l]);
    // The shares sum to 1 by definition: rounding must not leave some of the transactions unserved.
    served = last ? 1 : served + (reach - beyond);
    const double up_to_here = effective == 1 ? served : std::pow(served, effective);
    const double weight = up_to_here - before;
    out.memory_latency += weight * (levels[l].latency + further * levels[l].delay);
    out.reach.push_back(reach);
    out.slowest_at.push_back(weight);
    out.occupied.push_back(transactions * reach * levels[l].delay);
    if (out.occupied[l] > out.departure_delay) {
      out.departure_delay = out.occupied[l];
      out.slowest = l;
    }
    before = up_to_here;
    reach = beyond;
  }
  return out;
}

} // namespace jitterscope::model
