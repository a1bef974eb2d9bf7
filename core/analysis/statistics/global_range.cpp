#include "core/analysis/statistics/global_range.h"

#include <vector>

#include "core/base/ordered_double.h"

namespace jitterscope::analysis {

Expected<void> global_range(Communicator& communicator, std::span<double> lows, std::span<double> highs) {
  std::vector<std::int64_t> ordered;
  for (const double low : lows) ordered.push_back(ordered_integer(low));
  for (const double high : highs) ordered.push_back(ordered_integer(-high));
  if (auto done = communicator.minimum(ordered); !done) return done;
  for (std::size_t i = 0; i < lows.size(); ++i) {
    lows[i] = from_ordered_integer(ordered[i]);
    highs[i] = -from_ordered_integer(ordered[lows.size() + i]);
  }
  return {};
}

} // namespace jitterscope::analysis
