#pragma once

#include <array>
#include <cstdint>

#include "core/analysis/lanes/coverage.h"
#include "core/store/tracks/track_index.h"
#include "core/time_bins/column_bins.h"

namespace jitterscope::analysis {

/// Up to this mean number of events per pixel column, the columns themselves are the bins; above it, dyadic
/// bins are used.
inline constexpr std::size_t kEventsPerColumn = 16;

/// The bins behind the pixel columns of a window of a series with this number of events in it. Times of the
/// store.
inline ColumnBins bins_for(Interval window, int columns, std::size_t events) {
  return {window, columns, events > kEventsPerColumn * static_cast<std::size_t>(columns > 0 ? columns : 1)};
}

/// Iterates over the tiles of a series that match the bins; uses the coarsest level if the whole series is in
/// one bin of that level.
class TileCursor {
public:
  TileCursor(const store::Series& series, const ColumnBins& bins);

  /// The next bin from bin `minimum` on that has a tile, SIZE_MAX if there is none. Tiles of an intact store
  /// are ascending; tiles out of order are skipped.
  std::size_t next_bin(std::size_t minimum);
  // First event and number of events of the current tile.
  std::size_t first_event() const { return current().level->first[current().at]; }
  std::size_t events() const { return current().level->count[current().at]; }
  /// Sums of the current tile; advances to the next.
  BinSum take();

private:
  struct Place {
    const store::TileLevel* level = nullptr;
    int coarser = 0; ///< how many levels the bins are above `level`
    std::size_t at = 0;
  };
  static Place place_of(const store::Series& series, int shift, std::int64_t from);

  const Place& current() const { return places_[current_]; }

  const ColumnBins* bins_;
  std::size_t names_;
  std::array<Place, 2> places_; ///< in the tiles of the narrow and of the wide bins
  std::size_t current_ = 0;
};

} // namespace jitterscope::analysis
