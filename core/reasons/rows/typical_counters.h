#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/stop.h"
#include "core/reasons/rows/last_of_thread.h"
#include "core/store/columns/sample_times.h"

namespace jitterscope::analysis {

/// Device counters around launches as if each launch had its typical duration: the mean of the samples in
/// [start, start + typical duration], else the sample nearest to the middle of this interval, within one
/// sampling period.
///
/// The mean over a launch's own time depends on its length. A longer launch has more samples: only short
/// launches reach the extremes of a counter, and long ones look more alike (regression to the mean).
///
/// A sample describes a time before, around or after its timestamp, depending on the profiler and the
/// counter. align() finds the shift at which clocks agree best with durations.
class TypicalCounters {
public:
  TypicalCounters() = default;
  /// `physical`: device of every resource, by trace (store::physical_devices). Reads only the order of the
  /// samples.
  TypicalCounters(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical);

  /// Shifts the windows of all launches by a multiple of half a sampling period, −1 to 3 periods, if the
  /// clocks of the device then predict ln(duration / typical duration) clearly better than without a shift
  /// (paired over runs of launches, kClearly standard errors). `sample`: runs of consecutive launches of one
  /// trace. Incomplete if a stop is requested.
  void align(const std::vector<Segment>& sample, const std::vector<std::int64_t>& typical, Stop& stop);
  static constexpr double kClearly = 4;
  /// Shift of a column's samples, ns: delay of the timestamps after the time that they describe; 0 if none
  /// was found.
  std::int64_t shift_of(std::string_view column) const;

  /// Whether a launch column is the mean of a counter.
  bool measures(std::string_view column) const;
  /// Values of a column for which measures() is true, for the rows of one trace; NaN if no sample is near.
  /// `typical`: typical duration [ns] by configuration of the session; if negative (unknown), the own
  /// duration is used. Thread-safe.
  std::vector<double> read(std::string_view column, const Segment& segment,
                           const std::vector<std::int64_t>& typical) const;

private:
  struct Series {
    std::size_t clock = 0; ///< index of the clock in its trace
    std::size_t first = 0; ///< row of "samples"
  };
  using OfDevices = std::map<std::uint32_t, std::vector<Series>>;
  struct OfTrace {
    std::vector<std::uint32_t> device; ///< device of every resource
    std::vector<store::SampleTimes> clocks;
    std::vector<std::int64_t> shift; ///< shift of each clock, ns
    std::map<std::string, OfDevices, std::less<>> columns;
  };
  struct Windows { ///< for the segment read last, by clock
    Segment segment;
    std::map<std::size_t, std::vector<store::WindowSamples>> windows;
  };
  struct Compared;
  Compared compare(std::string_view column, std::size_t clock, std::span<const Segment> runs,
                   const std::vector<std::int64_t>& typical, Stop& stop);
  const std::vector<store::WindowSamples>& samples_in(std::size_t clock, const Segment& segment,
                                                      const std::vector<std::int64_t>& typical) const;

  const Session* session_ = nullptr;
  std::vector<OfTrace> traces_;
  LastOfThread<Windows> last_;
};

} // namespace jitterscope::analysis
