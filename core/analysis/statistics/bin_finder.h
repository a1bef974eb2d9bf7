#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/analysis/statistics/order_statistics.h"

namespace jitterscope::analysis {

/// Finds the bin of a value among ascending edges without a logarithm: the leading bits of its key give a
/// first guess, the edges decide. Bin b is [edges[b], edges[b + 1]); values below the first edge or from the
/// last edge on belong to the first or last bin.
class BinFinder {
public:
  explicit BinFinder(std::vector<double> edges) : edges_(std::move(edges)), first_(std::size_t{1} << kBits) {
    std::size_t above = 0; // number of edges up to the lowest value with these leading bits
    for (std::size_t head = 0; head < first_.size(); ++head) {
      const double lowest = from_ordered_key(static_cast<std::uint64_t>(head) << (64 - kBits));
      while (above + 1 < edges_.size() && edges_[above] <= lowest) ++above;
      first_[head] = static_cast<std::uint16_t>(above > 0 ? above - 1 : 0);
    }
  }
  std::size_t operator()(double value) const {
    std::size_t bin = first_[ordered_key(value) >> (64 - kBits)];
    while (bin + 2 < edges_.size() && edges_[bin + 1] <= value) ++bin;
    return bin;
  }

private:
  static constexpr int kBits = 16; // sign, exponent and 4 bits: at most a sixteenth of an octave is searched
  std::vector<double> edges_;      ///< edges of the bins, ascending; at most 65,536
  std::vector<std::uint16_t> first_;
};

} // namespace jitterscope::analysis
