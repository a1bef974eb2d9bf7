#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/analysis/lanes/coverage.h"
#include "core/analysis/lanes/lane_sums.h"
#include "core/base/time.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::analysis {

/// Up to this mean number of events per pixel column, the columns themselves are the bins; above it, dyadic
/// bins are used.
inline constexpr std::size_t kEventsPerColumn = 16;

/// The bins behind the pixel columns of a window of a series, in times of the store: the columns themselves
/// (borders: begin + length · i / columns, rounded down), or the dyadic bins [at · 2^shift, (at + 1) ·
/// 2^shift).
///
/// A column shows the bins whose middle is in the column or, if bins are wider than columns, the bin that
/// contains the middle of the column. The outermost columns also show the bins beyond the window's borders.
/// So every bin is shown, at most one pixel off, and the numbers of a column are exactly those of its bins.
class ColumnBins {
public:
  /// `events`: number of events of the series in the window. Bins are 0.5 … 1 column wide. With at most 2 ·
  /// kTileEvents events per column they are 1 … 2 columns wide, because narrower bins would mostly be below
  /// the finest tiles.
  ColumnBins(Interval window, int columns, std::size_t events);

  bool dyadic() const { return shift_ >= 0; }
  int shift() const { return shift_; }                ///< −1: the columns are the bins
  std::int64_t first_at() const { return first_at_; } ///< index of the first dyadic bin
  std::span<const std::int64_t> borders() const { return borders_; }
  std::size_t bins() const { return borders_.size() - 1; }
  int columns() const { return static_cast<int>(first_bin_.size()); }
  std::size_t first_bin(int column) const { return first_bin_[static_cast<std::size_t>(column)]; }
  std::size_t last_bin(int column) const {
    return last_bin_[static_cast<std::size_t>(column)];
  } ///< index after the last bin that the column shows

private:
  void assign_columns(const std::vector<std::int64_t>& pixels);

  int shift_ = -1;
  std::int64_t first_at_ = 0;
  std::vector<std::int64_t> borders_;
  std::vector<std::size_t> first_bin_, last_bin_;
};

/// Iterates over the tiles of a series that match the bins; uses the coarsest level if the whole series is in
/// one bin of that level.
class TileCursor {
public:
  TileCursor(const store::Series& series, const ColumnBins& bins);

  /// Bin of the next tile from bin `minimum` on, SIZE_MAX if there is none. Tiles of an intact store are
  /// ascending; tiles out of order are skipped.
  std::size_t next_bin(std::size_t minimum);
  // First event and number of events of the current tile.
  std::size_t first_event() const { return level_->first[at_]; }
  std::size_t events() const { return level_->count[at_]; }
  /// Sums of the current tile; advances to the next.
  BinSum take();

private:
  const store::TileLevel* level_ = nullptr;
  int coarser_ = 0;
  std::size_t names_, at_ = 0, bins_ = 0;
  std::int64_t first_at_ = 0;
};

} // namespace jitterscope::analysis
