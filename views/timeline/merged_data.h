#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "views/timeline/timeline_data.h"
#include "views/timeline/timeline_state.h"

namespace jitterscope::views {

/// Consecutive rows of pixels of equal height, and the tracks that share each of them.
struct MergedBlock {
  double top = 0, bottom = 0;                   ///< extent of the scrolled rows at scale 1, logical pixels
  std::vector<std::vector<std::uint32_t>> rows; ///< ids of the tracks of each row; empty: a gap
  bool pinned = false;                          ///< the extent is that of a pinned row, which has no scale
  bool operator==(const MergedBlock&) const = default;
};

/// Request for the rows of pixels of tracks that have less than one row each.
struct MergedQuery {
  Interval window;
  int columns = 0;
  Merging merging = Merging::Dominant;
  QString value; ///< column of launches for the colours; empty: none
  std::vector<MergedBlock> blocks;
  int generation = 0; ///< TrackLayout::generation()
  bool operator==(const MergedQuery&) const = default;
};

/// The answer: rows of all blocks, concatenated, × columns.
struct MergedCells {
  MergedQuery query;
  std::vector<std::uint32_t> names;   ///< name of each pixel; kNoName: no event, or an event without a name
  std::vector<std::uint8_t> shares;   ///< share of the pixel's time, 0 … 255; 0: nothing happened
  std::vector<std::uint8_t> selected; ///< share that passes the filter, 0 … 255; empty: no filter
  std::vector<std::uint8_t> dyadic;   ///< by row: whether it shows dyadic bins of its tracks (ColumnBins)
  std::vector<float> values;          ///< value of each pixel, for colours by value; else empty
};

namespace timeline {

/// Content in at most `columns` columns: where there are more, neighbouring ones are joined, so that no event
/// is lost in a picture of fewer pixels. A joined cell has the mean busy share, the largest count, and the
/// name of the cell with the most busy time; a joined counter has the extremes and the mean of the means.
TimelineData joined(TimelineData data, int columns);
/// Same for rows of pixels that tracks share: each pixel is that with the largest share.
MergedCells joined(MergedCells cells, int columns);

} // namespace timeline

} // namespace jitterscope::views
