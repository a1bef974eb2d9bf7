#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/last_of_thread.h"
#include "core/store/columns/sample_times.h"

namespace jitterscope::analysis {

/// Device counters around launches as if each launch had its typical duration: the mean of the samples in
/// [start, start + typical duration], else the sample nearest to its middle within one sampling period.
///
/// The mean over a launch's own time depends on its length. A longer launch has more samples: only short
/// launches reach the extremes of a counter, and long ones look more alike (regression to the mean).
class TypicalCounters {
public:
  TypicalCounters() = default;
  /// `physical`: device of every resource, by trace (store::physical_devices). Reads only the order of the
  /// samples.
  TypicalCounters(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical);

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
    std::map<std::string, OfDevices, std::less<>> columns;
  };
  struct Windows { ///< for the segment read last, by clock
    Segment segment;
    std::map<std::size_t, std::vector<store::SamplesAsked>> asked;
  };
  const std::vector<store::SamplesAsked>& asked(std::size_t clock, const Segment& segment,
                                                const std::vector<std::int64_t>& typical) const;

  const Session* session_ = nullptr;
  std::vector<OfTrace> traces_;
  LastOfThread<Windows> last_;
};

} // namespace jitterscope::analysis
