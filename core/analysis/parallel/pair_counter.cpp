#include "core/analysis/parallel/pair_counter.h"

#include <algorithm>
#include <functional>

namespace jitterscope::analysis {

PairCounter::PairCounter(std::vector<AxisPair> pairs) : pairs_(std::move(pairs)) {
  for (const auto& pair : pairs_) counts_.emplace_back(pair.cells(), 0);
}

// Several pairs at a time: if most rows are in one cell, each increment waits for the previous store to it,
// and increments of other pairs fill the latency.
template <int kPairs, class At>
void PairCounter::count_pairs(std::size_t first, const std::vector<const std::uint8_t*>& codes,
                              std::size_t rows, int times, At&& at) {
  const std::uint8_t *left[kPairs], *right[kPairs];
  std::size_t width[kPairs];
  std::int32_t* counts[kPairs];
  for (int k = 0; k < kPairs; ++k) {
    const auto& pair = pairs_[first + static_cast<std::size_t>(k)];
    left[k] = codes[pair.left];
    right[k] = codes[pair.right < 0 ? pair.left : static_cast<std::size_t>(pair.right)];
    width[k] = pair.right_cells;
    counts[k] = counts_[first + static_cast<std::size_t>(k)].data();
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t row = at(i);
    for (int k = 0; k < kPairs; ++k) counts[k][left[k][row] * width[k] + right[k][row]] += times;
  }
}

template <class At>
void PairCounter::count(const std::vector<const std::uint8_t*>& codes, std::size_t rows, int times, At&& at) {
  std::size_t pair = 0;
  const auto alone = [&](std::size_t p) { return pairs_[p].right < 0; };
  while (pair < pairs_.size()) {
    if (alone(pair)) {
      const auto* code = codes[pairs_[pair].left];
      auto* counts = counts_[pair++].data();
      for (std::size_t i = 0; i < rows; ++i) counts[code[at(i)]] += times;
      continue;
    }
    std::size_t end = pair;
    while (end < pairs_.size() && !alone(end)) ++end;
    for (; end - pair >= 4; pair += 4) count_pairs<4>(pair, codes, rows, times, at);
    for (; end - pair >= 2; pair += 2) count_pairs<2>(pair, codes, rows, times, at);
    for (; pair < end; ++pair) count_pairs<1>(pair, codes, rows, times, at);
  }
}

void PairCounter::add(const std::vector<const std::uint8_t*>& codes, std::size_t rows, int times) {
  make_room(rows);
  count(codes, rows, times, [](std::size_t i) { return i; });
}

void PairCounter::add(const std::vector<const std::uint8_t*>& codes, const std::uint16_t* listed,
                      std::size_t rows, int times) {
  make_room(rows);
  count(codes, rows, times, [listed](std::size_t i) { return static_cast<std::size_t>(listed[i]); });
}

void PairCounter::flush() {
  sums_.resize(pairs_.size());
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    sums_[p].resize(counts_[p].size());
    std::transform(sums_[p].begin(), sums_[p].end(), counts_[p].begin(), sums_[p].begin(),
                   std::plus<std::int64_t>());
    std::fill(counts_[p].begin(), counts_[p].end(), 0);
  }
}

void PairCounter::add_to(std::size_t pair, std::vector<std::int64_t>& sums) const {
  std::transform(sums.begin(), sums.end(), counts_[pair].begin(), sums.begin(), std::plus<std::int64_t>());
  if (!sums_.empty())
    std::transform(sums.begin(), sums.end(), sums_[pair].begin(), sums.begin(), std::plus<std::int64_t>());
}

} // namespace jitterscope::analysis
