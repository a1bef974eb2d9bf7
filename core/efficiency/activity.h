#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/communicator.h"
#include "core/base/job.h"
#include "core/efficiency/activity_kinds.h"
#include "core/efficiency/covered_time.h"
#include "core/efficiency/hierarchy.h"

namespace jitterscope::efficiency {

/// Times of all rows in several ranges, indexed [range][row].
struct Times {
  std::vector<std::vector<DeviceTime>> devices;
  std::vector<std::vector<HostTime>> hosts;
};

/// The activity of every device and host thread of a session, indexed so that the times of any range are
/// computed from at most CoveredTime::kBlock events at each of its borders. Each rank indexes the rows of its
/// own share; the list of rows is the same on every rank.
class Activity {
public:
  /// Reads every launch, memory operation, state and call once. Collective. Errors: BadUse (tables without
  /// times), Cancelled.
  static Expected<Activity> make(const analysis::Session& session, Communicator& communicator,
                                 const Job& job);

  /// Shared devices and their parts (DeviceRow::sharing) are rows of their own: sums contain one or the
  /// other.
  const std::vector<DeviceRow>& devices() const { return devices_; }
  const std::vector<HostRow>& hosts() const { return hosts_; }
  /// Whether different processes have the same rank or, without ranks, the same number, as those of several
  /// runs have.
  bool repeated_processes() const { return repeated_processes_; }
  /// Start of the first event of a row [ns on the session's axis]; INT64_MAX without events.
  std::int64_t begin_of_device(std::size_t row) const { return extents_[row].begin; }
  std::int64_t begin_of_host(std::size_t row) const { return extents_[devices_.size() + row].begin; }
  /// From the earliest start to the latest end of the activity of these rows; empty if there is none.
  Interval extent(std::span<const std::uint8_t> devices, std::span<const std::uint8_t> hosts) const;

  /// Exact times of all rows in ranges on the session's axis. Collective; the same on every rank, for any
  /// number of ranks.
  Expected<Times> times(std::span<const Interval> ranges, Collectives collectives, Communicator& communicator,
                        const Job& job) const;
  /// Same as times(), but only for some devices and hosts (ascending indices), in their order.
  Expected<Times> times_of(std::span<const std::size_t> devices, std::span<const std::size_t> hosts,
                           std::span<const Interval> ranges, Collectives collectives,
                           Communicator& communicator) const;
  /// The states of a host thread; null if none are recorded.
  const store::Series* states(std::size_t host) const { return states_[host]; }
  std::span<const store::Series> series(std::size_t trace) const { return index_[trace].series(); }
  /// The series of the counters of a trace, by row of table "counters".
  std::span<const store::CounterSeries> counters(std::size_t trace) const { return index_[trace].counters(); }
  std::int64_t shift(std::size_t trace) const { return shifts_[trace]; }

private:
  class Builder;
  struct Extent {
    std::int64_t begin = 0, end = 0; ///< times on the session's axis [ns]
  };
  std::vector<std::int64_t> numbers_of(std::size_t row, std::span<const Interval> ranges,
                                       Collectives collectives) const;

  std::vector<store::TrackIndex> index_; ///< track index of each trace
  std::vector<std::int64_t> shifts_;     ///< by trace: session axis minus store time [ns]
  std::vector<DeviceRow> devices_;
  std::vector<HostRow> hosts_;
  std::vector<const store::Series*> states_; ///< states of each host; null if none are recorded
  std::vector<Extent> extents_;              ///< extent of each row: devices first, then hosts
  /// With repeated processes, by host thread: extent of all rows of the same host and trace. Without states,
  /// nothing is known about the time outside it.
  std::vector<Extent> recorded_;
  bool repeated_processes_ = false;
  std::size_t first_ = 0;            ///< index of the row of covered_.front()
  std::vector<CoveredTime> covered_; ///< covered times of the rows of this rank
};

} // namespace jitterscope::efficiency
