#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/ids.h"
#include "core/store/tracks/track_index.h"

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
  Counter,
  Active,     ///< derived: number of kernels that run on a device
  Collective, ///< derived: the kernels of a device that communicate
  Idle,       ///< derived: time in which no kernel runs on a device
  MpiCalls,
  Messages ///< messages sent by a thread
};

/// One row of the timeline; parents precede their children.
struct Track {
  std::uint32_t id = 0; ///< position in Tracks::list()
  std::int32_t parent = -1;
  TrackKind kind = TrackKind::Host;
  std::string label;
  std::string details; ///< description, source and number of events
  int depth = 0;
  int levels = 1;   ///< nesting levels (ranges), lanes of overlapping launches (streams)
  std::string unit; ///< unit of a counter; else empty
  std::size_t trace = 0;
  std::int64_t events = 0;
  std::int64_t busy_ns = 0; ///< Σ duration of the events
};

/// The events of a track, one series per level; null for an empty level.
using TrackLevels = std::vector<const store::Series*>;

/// All tracks of a session with their events, from the track index of each trace; reads and stores no
/// rows.
class Tracks {
public:
  explicit Tracks(const Session& session);
  Tracks(const Tracks&) = delete;
  Tracks& operator=(const Tracks&) = delete;

  const std::vector<Track>& list() const { return list_; }
  const TrackLevels& levels(std::uint32_t track) const { return levels_[track]; }
  /// The samples of a counter track, else null.
  const store::CounterSeries* counter(std::uint32_t track) const { return counters_[track]; }
  /// Series of all launches of a trace; null if it has none.
  const store::Series* launches(std::size_t trace) const { return launches_[trace]; }
  /// Track of a launch's stream; kNone if out of range.
  std::uint32_t track_of_stream(std::size_t trace, std::uint32_t stream) const;
  /// Track of a thread's calls; kNone if it made none.
  std::uint32_t track_of_calls(std::size_t trace, std::uint32_t thread) const;
  /// Track on which messages to a rank end: the MPI calls of the receiving thread, else the messages it sent,
  /// else its first track; kNone if there is none. Without tracks of the thread those of the first thread
  /// that has messages. `thread`: number among the host threads of the rank. The rank of this trace, or of
  /// the first other trace that has it, if this one does not contain the rank.
  std::uint32_t track_of_rank(std::size_t trace, std::int64_t rank, std::uint32_t thread = 0) const;
  std::uint32_t track_of_messages(std::size_t trace, std::uint32_t thread) const;
  /// The first track of a device or thread; kNone if it has none.
  std::uint32_t track_of_resource(std::size_t trace, std::uint32_t resource) const;
  /// The messages that a thread sent; null if it sent none.
  const store::Series* transmissions(std::size_t trace, std::uint32_t thread) const;
  /// Track of a device's copies or migrations; kNone if it has none.
  std::uint32_t track_of_transfers(std::size_t trace, std::uint32_t device, bool migrations) const;
  /// Whether a store had no matching track index: it was then built on opening and is in memory.
  bool index_rebuilt() const;

private:
  friend class TracksBuilder;
  std::vector<store::TrackIndex> index_; ///< by trace: its track index
  std::vector<Track> list_;
  std::vector<TrackLevels> levels_;
  std::vector<const store::CounterSeries*> counters_;
  std::vector<const store::Series*> launches_;
  std::vector<std::vector<std::uint32_t>> by_stream_, by_calls_, by_messages_, by_copies_, by_migrations_,
      by_resource_;
  std::vector<std::vector<const store::Series*>> transmissions_;
  struct Rank {
    std::uint32_t track = kNone;        ///< of the first thread with messages; kNone if there is none
    std::vector<std::uint32_t> threads; ///< resources of the host threads
  };
  std::uint32_t track_of(std::size_t trace, const Rank& rank, std::uint32_t thread) const;
  std::vector<std::map<std::int64_t, Rank>> by_rank_; ///< by trace: the ranks of its processes
};

} // namespace jitterscope::analysis
