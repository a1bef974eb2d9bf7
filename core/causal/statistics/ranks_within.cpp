#include "core/causal/statistics/ranks_within.h"

#include <algorithm>
#include <tuple>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {

std::vector<double> ranks_within(const std::vector<double>& values,
                                 const std::vector<std::uint32_t>& groups) {
  auto order = numbers_below(values.size());
  std::ranges::sort(order, [&](auto a, auto b) {
    return std::tuple(groups[a], values[a], a) < std::tuple(groups[b], values[b], b);
  });
  std::vector<double> ranks(values.size(), 0.0);
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first; // end of the rows of the group
    while (last < order.size() && groups[order[last]] == groups[order[first]]) ++last;
    const auto rows = static_cast<double>(last - first);
    for (std::size_t low = first; low < last;) {
      std::size_t high = low;
      while (high < last && values[order[high]] == values[order[low]]) ++high;
      const double rank =
          static_cast<double>(low + high - 1) / 2 - static_cast<double>(first) - (rows - 1) / 2;
      for (; low < high; ++low) ranks[order[low]] = rank / rows;
    }
    first = last;
  }
  return ranks;
}

} // namespace jitterscope::causal
