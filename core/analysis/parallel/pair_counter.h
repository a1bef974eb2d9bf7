#pragma once

#include <cstdint>
#include <vector>

namespace jitterscope::analysis {

/// A pair of adjacent axes, or a single axis (right < 0); cell index: left · right_cells + right.
struct AxisPair {
  std::size_t left = 0;
  int right = -1;
  std::size_t left_cells = 1, right_cells = 1;
  std::size_t cells() const { return left_cells * right_cells; }
};

/// Counts the cells of pairs of axes, for one thread.
class PairCounter {
public:
  explicit PairCounter(std::vector<AxisPair> pairs);

  /// Adds each of the first `rows` rows `times` (1 or -1) times. `codes`: per axis, the cell of every row.
  void add(const std::vector<const std::uint8_t*>& codes, std::size_t rows, int times);
  /// Adds the listed rows.
  void add(const std::vector<const std::uint8_t*>& codes, const std::uint16_t* listed, std::size_t rows,
           int times);

  /// Adds the counts of a pair to `sums`.
  void add_to(std::size_t pair, std::vector<std::int64_t>& sums) const;

private:
  void flush();
  void make_room(std::size_t rows) {
    constexpr std::size_t kMax = std::size_t{1} << 30; // maximum count of one cell, in 32 bits
    if ((rows_ += rows) > kMax) flush(), rows_ = rows;
  }
  template <class At>
  void count(const std::vector<const std::uint8_t*>& codes, std::size_t rows, int times, At&& at);
  template <int kPairs, class At>
  void count_pairs(std::size_t first, const std::vector<const std::uint8_t*>& codes, std::size_t rows,
                   int times, At&& at);

  std::vector<AxisPair> pairs_;
  std::vector<std::vector<std::int32_t>>
      counts_; ///< by pair: counts since the last flush, in 32 bits so that they stay in the L1 cache
  std::vector<std::vector<std::int64_t>>
      sums_;             ///< by pair: counts up to the last flush; empty before the first flush
  std::size_t rows_ = 0; ///< rows counted since the last flush
};

} // namespace jitterscope::analysis
