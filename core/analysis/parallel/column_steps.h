#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/analysis/filter/value_set.h"

namespace jitterscope::analysis {

/// The values of a column for a rank's rows in 16 bits each, in their order: equal values have the same step
/// and a greater value never has a smaller one. A range whose edge moves is then found by looking at 2 bytes
/// a row; values themselves are needed only of the rows whose step the edge cuts.
class ColumnSteps {
public:
  static constexpr std::uint16_t kMissing = 65'535, kMost = 65'533;

  /// For values that mostly lie within [low, high]: steps of equal ratio where none is negative, else of
  /// equal difference. Room for `rows`.
  ColumnSteps(double low, double high, std::size_t rows);

  std::uint16_t of(double value) const;
  /// Writes the steps of `values` to the rows from `first` on.
  void put(std::span<const double> values, std::size_t first);
  const std::uint16_t* rows(std::size_t first) const { return rows_.data() + first; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(rows_.size() * sizeof(std::uint16_t)); }

  /// Which steps a set of values holds wholly, and of which only the values can tell.
  struct Cut {
    struct Run {
      std::uint16_t first = 0, last = 0;
    };
    std::vector<Run> inside;
    std::vector<std::uint16_t> edges;
    bool missing = false;
  };
  Cut cut(const ValueSet& values) const;
  /// Least and greatest value among all rows of a step that an edge cut: it need not be looked into again.
  void know(std::uint16_t step, ValueSet::Range values) { known_[step] = values; }

  /// 1 for each row that is inside, else 0; those on edges are 0.
  static void test(const std::uint16_t* steps, std::size_t count, const Cut& cut, std::uint8_t* out);
  /// The places, below 65,536, of the rows that have this step; `out` has room for all. Returns how many.
  static std::size_t find(const std::uint16_t* steps, std::size_t count, std::uint16_t step,
                          std::uint16_t* out);

private:
  bool even_; ///< steps of equal difference
  double low_, scale_ = 0;
  std::int64_t origin_ = 0; ///< equal ratio: the bits of low, and how many of them a step does not tell apart
  int shift_ = 0;
  std::vector<std::uint16_t> rows_;
  std::map<std::uint16_t, ValueSet::Range> known_;
};

} // namespace jitterscope::analysis
