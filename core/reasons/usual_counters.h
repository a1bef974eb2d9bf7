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

/// Counters of devices around launches as each would have met them had it lasted its usual time: the mean of
/// the samples in [start, start + usual duration], else the nearest to its middle within one sampling period.
///
/// The mean over a launch's own time follows from how long it was: the longer, the more samples, so that only
/// short launches reach the ends of a counter's values, and long ones look more alike there (regression to
/// the mean).
class UsualCounters {
public:
  UsualCounters() = default;
  /// `physical`: the device of every resource, by trace (store::physical_devices). Reads the samples' order
  /// only.
  UsualCounters(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical);

  /// Whether a column of launches is the mean of a counter.
  bool measures(std::string_view column) const;
  /// Values of such a column for the rows of one trace; NaN where no sample is near. `usual`: ns, by
  /// configuration of the session, negative where unknown: then the own duration. For any thread.
  std::vector<double> read(std::string_view column, const Segment& segment,
                           const std::vector<std::int64_t>& usual) const;

private:
  struct Series {
    std::size_t clock = 0; ///< in clocks of its trace
    std::size_t first = 0; ///< row of "samples"
  };
  using OfDevices = std::map<std::uint32_t, std::vector<Series>>;
  struct OfTrace {
    std::vector<std::uint32_t> device; ///< of every resource
    std::vector<store::SampleTimes> clocks;
    std::map<std::string, OfDevices, std::less<>> columns;
  };
  struct Windows { ///< of the segment read last, by clock
    Segment segment;
    std::map<std::size_t, std::vector<store::SamplesAsked>> asked;
  };
  const std::vector<store::SamplesAsked>& asked(std::size_t clock, const Segment& segment,
                                                const std::vector<std::int64_t>& usual) const;

  const Session* session_ = nullptr;
  std::vector<OfTrace> traces_;
  LastOfThread<Windows> last_;
};

} // namespace jitterscope::analysis
