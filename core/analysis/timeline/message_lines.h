#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// A message on its way, on the session's axis.
struct MessageLine {
  std::uint32_t from_track = 0, to_track = 0;
  std::int64_t begin = 0, end = 0; ///< sent, received
  std::int64_t bytes = -1;         ///< store::kUnknownBytes: not recorded
};

/// The messages between ranks in a window.
struct MessageLines {
  std::int64_t count = 0; ///< sent in the window by threads whose tracks are asked for
  std::vector<MessageLine>
      lines; ///< of these and of those on their way at its begin; empty when count is above `most`
};

/// Messages that the threads of `wanted` tracks (of kind MpiCalls or Messages) send or have on their way in
/// the window. Receivers without a track are left out of the lines. Cost: two searches a track, then the
/// lines.
MessageLines message_lines(const Session& session, const Tracks& tracks,
                           const std::vector<std::uint32_t>& wanted, Interval window, std::int64_t most);

} // namespace jitterscope::analysis
