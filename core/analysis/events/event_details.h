#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/lanes/tracks.h"
#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// One attribute of an event: a number with its unit, or a text.
struct EventField {
  std::string name, unit, description;
  double value = std::numeric_limits<double>::quiet_NaN(); ///< NaN if `text` holds the value
  std::string text{};
};

enum class EventLinkKind : std::uint8_t {
  Call,     ///< the call that made the event
  Launch,   ///< launch made by the call, or linked to the memory operation
  Transfer, ///< memory operation made by the call, or linked to the launch
  Partner   ///< corresponding launch on another device (partners.h)
};
/// "call", "launch", "transfer", "partner".
std::string_view to_string(EventLinkKind kind);

/// An event that is related to the described event, on the session's axis.
struct EventLink {
  EventLinkKind kind = EventLinkKind::Call;
  std::string name;
  std::uint32_t track = 0;
  std::int64_t row = 0; ///< launches: session row; else row of the trace's table
  std::int64_t begin = 0, end = 0;
  std::int64_t bytes = -1; ///< size of a memory operation [B]; -1 if unknown or another event
};

/// Recorded attributes of one event that is not a launch.
struct EventDetails {
  std::string name;
  std::int64_t begin = 0, end = 0; ///< times on the session's axis
  std::vector<EventField> fields;  ///< all recorded attributes except start, duration and name
  std::vector<EventLink> links;    ///< at most kMaxEventLinks of each kind, sorted by start time
};
inline constexpr std::size_t kMaxEventLinks = 20;

/// Details of row `row` of the table of a track of memory operations, migrations, calls, ranges, MPI calls or
/// messages. Errors: BadUse when there is no such track or row, or when the track has no events of its own.
Expected<EventDetails> event_details(const Session& session, const Tracks& tracks, std::uint32_t track,
                                     std::int64_t row);

/// Details of the last counter sample at or before `time`, else of the first. `end` is the time of the next
/// sample, or of the sample itself for the last. Errors: BadUse when the track has no samples.
Expected<EventDetails> sample_details(const Session& session, const Tracks& tracks, std::uint32_t track,
                                      std::int64_t time);

/// The memory operations linked to a launch (see launch_flow) and its partners on other devices (see
/// partners.h).
struct LaunchLinks {
  std::vector<EventLink> links;
  std::int64_t transfers = 0;    ///< number of linked memory operations, with or without an entry in `links`
  std::int64_t window_begin = 0; ///< start of the feeding window, on the session's axis
};
/// Errors: BadUse for an unknown session row; Cancelled.
Expected<LaunchLinks> launch_links(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                                   std::int64_t row, const Job& job = {});

} // namespace jitterscope::analysis
