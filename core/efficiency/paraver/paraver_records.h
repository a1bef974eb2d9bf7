#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/efficiency/paraver/paraver_labels.h"
#include "core/efficiency/paraver/paraver_objects.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::efficiency {

/// A line of a .prv body. Lines of equal time are sorted by `phase`: ends, then starts. The end of an event
/// of zero length follows its start, because an end closes the last event of its type.
struct ParaverRecord {
  std::int64_t time = 0; ///< time as written [ns]
  std::uint8_t phase = 1;
  std::string line;
};

/// The records of a session in time slices: each event of a slice, and the ends of events that began in
/// earlier ones.
class ParaverRecords {
public:
  ParaverRecords(const analysis::Session& session, const ParaverObjects& objects, ParaverLabels& labels);

  /// Span of the session and of the written samples.
  Interval span() const { return span_; }
  /// Added to all times, so that none is negative [ns].
  std::int64_t shift() const { return shift_; }

  /// All records whose time is in [begin, end) ns on the session's axis, sorted; slices must be consecutive.
  /// Events that begin before the first slice are left out.
  std::vector<ParaverRecord> slice(std::int64_t begin, std::int64_t end, Stop& stop);
  /// Number of events that begin before `time`, in the series that are written.
  std::int64_t events_before(std::int64_t time) const;
  std::int64_t events() const { return events_before(INT64_MAX / 4); }

  /// What the format cannot hold, as sentences; complete after the last slice.
  std::vector<std::string> left_out() const;

private:
  struct Source {
    std::size_t trace = 0;
    const store::Series* series = nullptr;
    const ParaverThread* thread = nullptr; ///< null for launches and memory operations: each row has its own
  };
  struct Counter {
    std::size_t trace = 0;
    const ParaverThread* thread = nullptr;
    std::int64_t type = 0;
    const store::CounterSeries* series = nullptr;
    store::Values<double> values;
  };

  void add_trace(const analysis::Session& session, std::size_t trace);
  void add_events(const Source& source, std::int64_t begin, std::int64_t end, Stop& stop);
  void add_event(const Source& source, std::size_t row, const store::Event& event);
  void add_launch(const Source& source, std::size_t row, const store::Event& event);
  void add_copy(const Source& source, std::size_t row, const store::Event& event);
  void add_call(const Source& source, const store::Event& event);
  void add_message(const Source& source, std::size_t row, const store::Event& event);
  void add_samples(const Counter& counter, std::int64_t begin, std::int64_t end, Stop& stop);
  void add_arrow(const Source& source, std::uint32_t call, const ParaverThread& thread, std::int64_t start,
                 std::int64_t bytes, std::int64_t tag);
  void add_state(const ParaverThread& thread, std::int64_t begin, std::int64_t end, std::int64_t state);
  /// Adds events that set the types to the values of `pairs` at `begin`, and to 0 at `end`.
  void add_pair(const ParaverThread& thread, std::int64_t begin, std::int64_t end,
                const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs);
  void put(std::int64_t time, std::uint8_t phase, std::string line);
  static std::string place(const ParaverThread& thread);

  const analysis::Session& session_;
  const ParaverObjects& objects_;
  ParaverLabels& labels_;
  Interval span_;
  std::int64_t shift_ = 0;
  std::vector<store::TrackIndex> index_; ///< track index of each trace
  std::vector<Source> sources_;
  std::vector<Counter> counters_;
  std::vector<std::vector<std::int64_t>>
      open_calls_;                         ///< by source: ends of the calls that contain the next call
  std::vector<ParaverRecord> now_, later_; ///< records of this slice; of later slices
  std::int64_t end_ = 0;                   ///< end of the slice
  std::size_t at_ = 0;                     ///< index of the source being read
  std::int64_t empty_rows_ = 0, migrations_ = 0, device_samples_ = 0, infinite_samples_ = 0,
               rounded_samples_ = 0,
               messages_ = 0; ///< numbers of what is left out or rounded
};

} // namespace jitterscope::efficiency
