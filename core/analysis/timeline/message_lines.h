#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/lanes/tracks.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// A message in transit, on the session's axis.
struct MessageLine {
  std::uint32_t from_track = 0, to_track = 0;
  std::int64_t begin = 0, end = 0; ///< times of sending and receiving
  std::int64_t bytes = -1;         ///< size [B]; store::kUnknownBytes: not recorded
};

/// The messages between ranks in a window.
struct MessageLines {
  std::int64_t count = 0; ///< number of messages sent in the window by threads of the requested tracks
  /// Lines of the counted messages and of messages in transit at the start of the window; empty if `count`
  /// exceeds `maximum`.
  std::vector<MessageLine> lines;
};

/// Messages that the threads of the `requested` tracks (of kind MpiCalls or Messages) send or have in transit
/// in the window. Lines to receivers without a track are left out. Cost: two searches per track plus the
/// number of lines.
MessageLines message_lines(const Session& session, const Tracks& tracks,
                           const std::vector<std::uint32_t>& requested, Interval window,
                           std::int64_t maximum);

} // namespace jitterscope::analysis
