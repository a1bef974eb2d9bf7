#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/analysis/lanes/coverage.h"
#include "core/analysis/lanes/lane_sums.h"
#include "core/base/time.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::analysis {

/// How many events a pixel column may have in the mean for the columns themselves to be the bins; more are
/// looked at in dyadic bins.
inline constexpr std::size_t kEventsPerColumn = 16;

/// The bins that answer for the pixel columns of a window of a series, times of the store: the columns
/// themselves (borders: begin + length · i / columns, rounded down), or the dyadic bins [at · 2^shift, (at +
/// 1) · 2^shift). A column shows the bins whose middle it holds; where bins are wider than columns, the bin
/// that holds its middle; the outermost columns also what sticks out. So every bin is shown, at most one
/// pixel from its place, and every number of a column is that of its bins, exactly.
class ColumnBins {
public:
  /// In mean `events` of the series per column. Bins are 0.5 … 1 column wide; 1 … 2 where that many events
  /// would mostly lie below the finest tiles.
  ColumnBins(Interval window, int columns, std::size_t events);

  bool dyadic() const { return shift_ >= 0; }
  int shift() const { return shift_; }                ///< −1: the columns are the bins
  std::int64_t first_at() const { return first_at_; } ///< number of the first dyadic bin
  std::span<const std::int64_t> borders() const { return borders_; }
  std::size_t bins() const { return borders_.size() - 1; }
  int columns() const { return static_cast<int>(first_bin_.size()); }
  std::size_t first_bin(int column) const { return first_bin_[static_cast<std::size_t>(column)]; }
  std::size_t last_bin(int column) const {
    return last_bin_[static_cast<std::size_t>(column)];
  } ///< behind the last

private:
  void assign_columns(const std::vector<std::int64_t>& pixels);

  int shift_ = -1;
  std::int64_t first_at_ = 0;
  std::vector<std::int64_t> borders_;
  std::vector<std::size_t> first_bin_, last_bin_;
};

/// The tiles of a series that answer for bins, one after the other: of its coarsest level, when the series
/// lies in one bin of that.
class TileCursor {
public:
  TileCursor(const store::Series& series, const ColumnBins& bins);

  /// Bin of the next tile, SIZE_MAX when there is none. Tiles of a sound store ascend; others are passed
  /// over.
  std::size_t next_bin(std::size_t least);
  // Of that tile.
  std::size_t first_event() const { return level_->first[at_]; }
  std::size_t events() const { return level_->count[at_]; }
  /// Its sums; goes on to the next.
  BinSum take();

private:
  const store::TileLevel* level_ = nullptr;
  int coarser_ = 0;
  std::size_t names_, at_ = 0, bins_ = 0;
  std::int64_t first_at_ = 0;
};

} // namespace jitterscope::analysis
