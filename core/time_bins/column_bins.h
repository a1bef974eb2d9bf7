#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace jitterscope {

/// The intervals of time that the pixel columns of a window show: the columns themselves (borders: begin +
/// length · i / columns, rounded down), or dyadic bins [at · 2^k, (at + 1) · 2^k), for which sums can be
/// stored.
///
/// Dyadic: the sample points of the columns are spread evenly from the first to the last nanosecond of the
/// window, so that each is in its column, and two of them are 2^shift … 2^(shift + 1) ns apart, about the
/// width of a column. Every bin of width 2^(shift + 1) therefore contains one or two of them. One: its column
/// shows the bin. Two: the columns show its halves. So a column shows one bin, 0.5 … 2 columns wide, that
/// contains its sample point; every bin that overlaps the window is shown once; and an event is at most one
/// column off.
///
/// Columns are narrower than 1 ns where the window has fewer nanoseconds than columns: then each nanosecond
/// is a bin, and a column shows the one that contains its middle.
class ColumnBins {
public:
  /// An empty window counts as 1 ns. One column is never dyadic.
  ColumnBins(Interval window, int columns, bool dyadic);

  bool dyadic() const { return shift_ >= 0; }
  int shift() const { return shift_; } ///< of the narrow bins; −1: not dyadic
  /// log₂ of the width of a bin: shift() or shift() + 1. Only for dyadic bins.
  int shift_of(std::size_t bin) const {
    return shift_ + (borders_[bin + 1] - borders_[bin] > std::int64_t{1} << shift_ ? 1 : 0);
  }
  std::span<const std::int64_t> borders() const { return borders_; } ///< ascending, bins() + 1
  std::size_t bins() const { return borders_.size() - 1; }
  int columns() const { return columns_; }
  std::size_t bin_of(int column) const;
  Interval interval(int column) const;

private:
  void add_columns(Interval window);
  void add_dyadic(Interval window);

  int columns_;
  int shift_ = -1;
  std::vector<std::int64_t> borders_;
};

} // namespace jitterscope
