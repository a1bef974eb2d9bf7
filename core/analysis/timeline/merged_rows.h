#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/names.h"

namespace jitterscope::analysis {

/// What a row of pixels shows of the tracks that share it.
enum class Merging : std::uint8_t {
  Dominant, ///< the name with most time in all of them
  Mean,     ///< the same name; covered share and values are means over the tracks
  Maximum   ///< the name that fills most of the pixel in any one of them; the largest share and value
};

struct MergedRequest {
  Interval window; ///< of the session's axis
  int columns = 1000;
  std::vector<std::vector<std::uint32_t>> rows; ///< tracks of each row; unknown ones are left out
  Merging merging = Merging::Dominant;
  std::string value{}; ///< as in TimelineRequest
};

/// rows × columns, row by row.
struct MergedRows {
  std::vector<std::uint32_t> name; ///< of NameTable; kNone where nothing happened or where it has no name
  /// Covered share of the pixel in steps of 1/255, rounded up: 0 only where nothing happened. Of counters:
  /// the place between the smallest and the largest value of the row's tracks, from 1 on; 0 without a sample.
  std::vector<std::uint8_t> share;
  std::vector<std::uint8_t> selected; ///< share of the covered time that is selected; empty: all of it
  std::vector<float> value;           ///< NaN where there is none; empty: none were asked for
};

/// Many tracks in few rows of pixels. Exact sums over all events of the outermost level of each track. Tracks
/// of threads are summed by one pass over the rows of their tables that touch the window, in the order of the
/// tables, whatever the number of tracks; all others, and any where colours by value or a selection of
/// launches need the launches themselves, track by track (timeline()): there a name counts where it leads in
/// a track's pixel. Maximum: ties go to the name with less time in the row, then to the smaller number; exact
/// for up to four names in a pixel of a track. Not collective. Errors: Cancelled.
Expected<MergedRows> merged_rows(const Session& session, const LaunchColumns& columns, const NameTable& names,
                                 const Tracks& tracks, const Selection& selection,
                                 const MergedRequest& request, const Job& job);

} // namespace jitterscope::analysis
