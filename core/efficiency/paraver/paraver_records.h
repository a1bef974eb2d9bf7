#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/efficiency/paraver/paraver_labels.h"
#include "core/efficiency/paraver/paraver_objects.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::efficiency {

/// A line of a .prv body. Lines of equal time are sorted by `phase`: ends, then starts. The end of an event
/// of zero length follows its start, because an end closes the last event of its type.
struct ParaverRecord {
  std::int64_t time = 0; ///< time as written [ns]
  std::size_t at = 0;    ///< place of the line in the text of the slice
  std::uint32_t length = 0;
  std::uint8_t phase = 1;
};

/// The records of a session in time slices: each event of a slice, and the ends of events that began in
/// earlier ones. A slice reads only the sources that have events in it: there may be 10⁵ sources and as many
/// slices as 10⁹ records need.
class ParaverRecords {
public:
  ParaverRecords(const analysis::Session& session, const ParaverObjects& objects, ParaverLabels& labels);

  /// Span of the session and of the written samples.
  Interval span() const { return span_; }
  /// Added to all times, so that none is negative [ns].
  std::int64_t shift() const { return shift_; }

  /// Reads all records from the end of the previous slice (the beginning of the span for the first) to `end`
  /// [ns on the session's axis], sorted. Events that begin before the span are left out. Valid until the next
  /// slice.
  std::span<const ParaverRecord> slice(std::int64_t end, Stop& stop);
  std::string_view line(const ParaverRecord& record) const {
    return {text_.data() + record.at, record.length};
  }
  /// Number of rows before `time` in the tables that are written: about as many events. O(log rows).
  std::int64_t rows_before(std::int64_t time) const;
  std::int64_t rows() const { return rows_before(INT64_MAX / 4); }

  /// What the format cannot hold, as sentences; complete after the last slice.
  std::vector<std::string> left_out() const;

private:
  struct Source {
    std::size_t trace = 0;
    const store::Series* series = nullptr;
    const ParaverThread* thread = nullptr; ///< null for launches and memory operations: each row has its own
    std::size_t next = 0;                  ///< position of the next event to read
  };
  struct Counter {
    std::size_t trace = 0;
    const ParaverThread* thread = nullptr;
    std::int64_t type = 0;
    const store::CounterSeries* series = nullptr;
    store::Values<double> values;
    std::size_t next = 0; ///< next sample to read
  };
  /// The end of an event after the slice in which it begins.
  struct Later {
    std::int64_t time = 0;
    std::uint8_t phase = 1;
    std::uint64_t number = 0; ///< order of put(), for equal times and phases
    std::string line;
    bool operator<(const Later& other) const { // the first is the largest
      return std::tuple(other.time, other.phase, other.number) < std::tuple(time, phase, number);
    }
  };

  std::int64_t origin_in_file() const;
  void add_trace(const analysis::Session& session, std::size_t trace);
  /// False after a stop.
  bool add_events(Source& source, std::int64_t end, Stop& stop);
  void add_event(const Source& source, std::size_t row, const store::Event& event);
  void add_launch(const Source& source, std::size_t row, const store::Event& event);
  void add_copy(const Source& source, std::size_t row, const store::Event& event);
  void add_call(const Source& source, const store::Event& event);
  void add_message(const Source& source, std::size_t row, const store::Event& event);
  void add_samples(Counter& counter, std::int64_t end, Stop& stop);
  void add_arrow(const Source& source, std::uint32_t call, const ParaverThread& thread, std::int64_t start,
                 std::int64_t bytes, std::int64_t tag);
  void add_state(const ParaverThread& thread, std::int64_t begin, std::int64_t end, std::int64_t state);
  /// Adds events that set the types to the values of `pairs` at `begin`, and to 0 at `end`.
  void add_pair(const ParaverThread& thread, std::int64_t begin, std::int64_t end,
                std::span<const std::pair<std::int64_t, std::int64_t>> pairs);
  std::int64_t time_of_next(const Source& source) const;
  std::int64_t range_type(const Source& source, std::size_t row) const;
  std::int64_t state_of(std::size_t trace, std::uint32_t name);
  /// Adds a line. `format` is FMT_COMPILE(…): lines are most of the work of an export.
  template <class Format, class... Fields>
  void put(std::int64_t time, std::uint8_t phase, const Format& format, const Fields&... fields) {
    if (time >= end_) return later_.push({time, phase, put_++, fmt::format(format, fields...)});
    const auto at = text_.size();
    fmt::format_to(fmt::appender(text_), format, fields...);
    now_.push_back({time, at, static_cast<std::uint32_t>(text_.size() - at), phase});
  }

  const analysis::Session& session_;
  const ParaverObjects& objects_;
  ParaverLabels& labels_;
  Interval span_;
  std::int64_t shift_ = 0;
  std::vector<store::TrackIndex> index_; ///< track index of each trace
  std::vector<Source> sources_;
  std::vector<Counter> counters_;
  std::vector<std::int64_t> next_; ///< by source: time of its next event on the session's axis
  struct Starts {
    std::int64_t shift = 0; ///< to the session's axis [ns]
    std::span<const std::int64_t> times;
  };
  std::vector<Starts> starts_; ///< rows of the written tables of all traces
  std::vector<std::vector<std::int64_t>>
      open_calls_; ///< by source: ends of the calls that contain the next call
  std::vector<std::vector<std::int64_t>>
      states_;                             ///< by trace and name: number of the state; -1: not known yet
  std::vector<ParaverRecord> now_;         ///< records of this slice
  fmt::memory_buffer text_, first_, last_; ///< text of this slice; lines that are being made
  std::priority_queue<Later> later_;       ///< records of later slices
  std::uint64_t put_ = 0, read_ = 0;       ///< number of records put into later_; of events read
  std::int64_t end_ = 0;                   ///< end of the slice, as written
  std::size_t at_ = 0;                     ///< index of the source being read
  std::int64_t empty_devices_ = 0, migrations_ = 0, device_samples_ = 0, infinite_samples_ = 0,
               rounded_samples_ = 0,
               messages_ = 0; ///< numbers of what is left out or rounded
};

} // namespace jitterscope::efficiency
