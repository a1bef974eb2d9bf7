#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/analysis/filter/value_set.h"

namespace jitterscope::analysis {

/// The values of a column for a rank's rows, quantised to 16 bits each, in row order: equal values have the
/// same step and a greater value never has a smaller one. Evaluating a range with a new edge then reads 2
/// bytes per row; the values themselves are needed only for rows whose step contains the edge.
class ColumnSteps {
public:
  static constexpr std::uint16_t kMissing = 65'535, kMaxBuckets = 65'533;

  /// For values mostly in [low, high]: steps of equal ratio if none is negative, else of equal difference.
  /// Allocates `rows` rows.
  ColumnSteps(double low, double high, std::size_t rows);

  std::uint16_t of(double value) const;
  /// Writes the steps of `values` to consecutive rows from `first` on.
  void put(std::span<const double> values, std::size_t first);
  const std::uint16_t* rows(std::size_t first) const { return rows_.data() + first; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(rows_.size() * sizeof(std::uint16_t)); }

  /// Steps that are entirely inside a set of values, and steps for which the values must be read.
  struct Cut {
    struct Run {
      std::uint16_t first = 0, last = 0;
    };
    std::vector<Run> inside;
    std::vector<std::uint16_t> edges;
    bool missing = false;
  };
  Cut cut(const ValueSet& values) const;
  /// Stores the minimum and maximum over all rows of a step that contains an edge, so that the step need not
  /// be read again.
  void set_range(std::uint16_t step, ValueSet::Range values) { known_[step] = values; }

  /// Writes 1 for each row inside, else 0; rows in edge steps get 0.
  static void test(const std::uint16_t* steps, std::size_t count, const Cut& cut, std::uint8_t* out);
  /// Indices, below 65,536, of the rows with this step; `out` must hold `count`. Returns their number.
  static std::size_t find(const std::uint16_t* steps, std::size_t count, std::uint16_t step,
                          std::uint16_t* out);

private:
  bool even_; ///< steps of equal difference (true) or of equal ratio (false)
  double low_, scale_ = 0;
  std::int64_t origin_ =
      0; ///< equal ratio: bits of `low`; shift_: number of low-order bits that a step ignores
  int shift_ = 0;
  std::vector<std::uint16_t> rows_;
  std::map<std::uint16_t, ValueSet::Range> known_;
};

} // namespace jitterscope::analysis
