#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/session.h"
#include "core/base/ids.h"

namespace jitterscope::analysis {

enum class TrackKind : std::uint8_t {
  Host,
  Process,
  Device,
  Stream,
  Copies,
  Migrations,
  Calls,
  Ranges,
  Counter
};

/// One row of the timeline; parents stand before their children.
struct Track {
  std::uint32_t id = 0; ///< position in Tracks::list()
  std::int32_t parent = -1;
  TrackKind kind = TrackKind::Host;
  std::string label;
  std::string details; ///< where it comes from and how much is on it
  int depth = 0;
  int levels = 1;   ///< nesting levels (ranges, calls), lanes of overlapping launches (streams)
  std::string unit; ///< counters
  std::size_t trace = 0;
  std::int64_t events = 0;
  std::int64_t busy_ns = 0; ///< Σ duration
};

/// Which table the rows of a track are of.
enum class TrackTable : std::uint8_t { None, Launches, Transfers, Calls, Ranges, Samples };

/// The rows behind a track: row numbers of its trace's table in start order.
struct TrackRows {
  TrackTable table = TrackTable::None;
  std::vector<std::uint32_t> rows;  ///< empty for samples
  std::vector<std::uint8_t> levels; ///< nesting level per row; empty means all 0
  std::int64_t longest_ns = 0;      ///< bounds how far back an event that reaches into a window can start
  std::size_t first_sample = 0, last_sample = 0; ///< samples: contiguous range of the table
  double minimum = 0, maximum = 0;               ///< samples: range of values
};

/// All tracks of a session, with the rows of each. Built once, one pass over every table; 4 B a row.
class Tracks {
public:
  explicit Tracks(const Session& session);

  const std::vector<Track>& list() const { return list_; }
  const TrackRows& rows(std::uint32_t track) const { return rows_[track]; }
  /// Track of a launch's stream; kNone when out of range.
  std::uint32_t track_of_stream(std::size_t trace, std::uint32_t stream) const;
  /// Track of a thread's calls; kNone when it made none.
  std::uint32_t track_of_calls(std::size_t trace, std::uint32_t thread) const;

private:
  friend class TracksBuilder;
  std::vector<Track> list_;
  std::vector<TrackRows> rows_;
  std::vector<std::vector<std::uint32_t>> by_stream_, by_calls_;
};

} // namespace jitterscope::analysis
