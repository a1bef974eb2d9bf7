#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/names.h"

namespace jitterscope::analysis {

/// How a row of pixels combines the tracks that share it.
enum class Merging : std::uint8_t {
  Dominant, ///< the name with the largest total time in all tracks
  Mean,     ///< name as for Dominant; covered share and values are means over the tracks
  Maximum   ///< the name that fills most of the pixel in a single track; the largest share and value
};

struct MergedRequest {
  Interval window; ///< window on the session's axis
  int columns = 1000;
  std::vector<std::vector<std::uint32_t>> rows; ///< tracks of each row; unknown tracks are left out
  Merging merging = Merging::Dominant;
  std::string value{}; ///< column of launches, kRelativeToMean or empty, as in TimelineRequest
};

/// rows × columns, row by row.
struct MergedRows {
  /// By row: whether cells are those of the dyadic bins of a track (TrackContent::dyadic) instead of exactly
  /// the pixel columns.
  std::vector<std::uint8_t> dyadic;
  std::vector<std::uint32_t> name; ///< NameTable index; kNone if nothing happened or the event has no name
  /// Covered share of the pixel in steps of 1/255, rounded up: 0 only if nothing happened. For counters:
  /// position between the minimum and maximum of the row's tracks, at least 1; 0 without a sample.
  std::vector<std::uint8_t> share;
  std::vector<std::uint8_t>
      selected; ///< share of the covered time that is selected, in steps of 1/255; empty: all
  std::vector<float>
      value; ///< value of MergedRequest::value; NaN if a pixel has none; empty if not requested
};

/// Many tracks in few rows of pixels. Exact sums over all events of the outermost level of each track. Rows
/// whose tracks are all calls, ranges or messages of threads are summed by one pass over the rows of their
/// tables that overlap the window, for any number of tracks, unless the tables have many rows per column. All
/// others are summed track by track (timeline()): a name then counts only where it dominates the pixel of a
/// track. Maximum: ties go to the name with less time in the row, then to the smaller index; exact for up to
/// four names per pixel of a track. Not collective. Errors: Cancelled.
Expected<MergedRows> merged_rows(const Session& session, const LaunchColumns& columns, const NameTable& names,
                                 const Tracks& tracks, const Selection& selection,
                                 const MergedRequest& request, const Job& job);

} // namespace jitterscope::analysis
