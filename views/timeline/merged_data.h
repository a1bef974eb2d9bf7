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
  std::vector<std::vector<std::uint32_t>> rows; ///< ids; empty: a gap
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
  std::vector<std::uint32_t> names;   ///< kNoName: nothing, or an event without a name
  std::vector<std::uint8_t> shares;   ///< share of the pixel's time, 0 … 255; 0: nothing happened
  std::vector<std::uint8_t> selected; ///< 0 … 255, share that passes the filter; empty: all
  std::vector<float> values;          ///< for colours by value; empty: none
};

} // namespace jitterscope::views
