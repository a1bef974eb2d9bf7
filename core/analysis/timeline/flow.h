#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/lanes/tracks.h"
#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// A memory operation that overlaps the feeding window of a launch, on the session's axis.
struct LinkedTransfer {
  std::uint32_t track = 0;
  std::int64_t row = 0; ///< row of table "transfers" in the launch's trace
  std::int64_t begin = 0, end = 0;
};

/// Origin of a launch: the call that made it, and the memory operations linked to it. Linked operations are
/// those of its device that overlap its feeding window: from the latest end of the earlier launches on its
/// stream to the end of the launch.
struct LaunchFlow {
  std::uint32_t track = 0; ///< track of the launch's stream
  std::int64_t begin = 0, end = 0;
  std::int64_t window_begin = 0; ///< start of the feeding window
  std::uint32_t call_track = kNone;
  std::int64_t call_begin = 0, call_end = 0; ///< valid if call_track is set
  std::vector<LinkedTransfer>
      transfers; ///< of each track the first `maximum` linked memory operations, by start time
  std::int64_t transfer_count = 0; ///< total number of linked memory operations
};

/// Flow of one launch, by session row. Errors: BadUse for an unknown row.
Expected<LaunchFlow> launch_flow(const Session& session, const Tracks& tracks, std::int64_t row,
                                 std::size_t maximum);

/// Arrow from an event to one that it led to, on the session's axis.
struct FlowArrow {
  std::uint32_t from_track = 0, to_track = 0;
  std::int64_t from = 0, to = 0;
  std::int64_t from_row = 0, to_row = 0; ///< launches: session rows; else rows of the trace's table
  /// True: from a memory operation to a linked launch; false: from a call to the launch or memory operation
  /// that it made.
  bool feeds = false;
};

/// Arrows of an event on a track of copies, migrations or calls (`row` of its table). For a memory operation:
/// the call that made it and the launches linked to it. For a call: the launches and memory operations that
/// it made, each searched among the first 4 million that begin after the start of the call. At most `maximum`
/// arrows of each kind. Empty for other tracks. Errors: BadUse when there is no such track or row.
Expected<std::vector<FlowArrow>> event_flow(const Session& session, const Tracks& tracks, std::uint32_t track,
                                            std::int64_t row, std::size_t maximum);

enum class StepBy : std::uint8_t { Kernel, Stream };

/// Target of a step from a launch.
struct LaunchStep {
  std::int64_t row = 0;
  std::uint32_t track = 0;
  std::int64_t begin = 0, end = 0;
};

/// The next (direction > 0) or previous launch of the same kernel in the trace, or on the same stream, in
/// start order; nothing at the ends. A step by kernel reads the launches in between. Errors: BadUse,
/// Cancelled.
Expected<std::optional<LaunchStep>> step_from(const Session& session, const Tracks& tracks, std::int64_t row,
                                              StepBy by, int direction, const Job& job);

} // namespace jitterscope::analysis
