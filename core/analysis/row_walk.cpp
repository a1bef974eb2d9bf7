#include "core/analysis/row_walk.h"

#include <bit>
#include <limits>
#include <vector>

namespace jitterscope::analysis {

std::int64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

double from_ordered_bits(std::int64_t bits) {
  return std::bit_cast<double>(bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits);
}

Expected<void> global_range(Communicator& communicator, std::span<double> lows, std::span<double> highs) {
  std::vector<std::int64_t> bits;
  for (const double low : lows) bits.push_back(ordered_bits(low));
  for (const double high : highs) bits.push_back(ordered_bits(-high));
  if (auto done = communicator.minimum(bits); !done) return done;
  for (std::size_t i = 0; i < lows.size(); ++i) {
    lows[i] = from_ordered_bits(bits[i]);
    highs[i] = -from_ordered_bits(bits[lows.size() + i]);
  }
  return {};
}

} // namespace jitterscope::analysis
