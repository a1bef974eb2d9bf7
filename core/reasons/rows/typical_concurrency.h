#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/store/columns/intervals.h"

namespace jitterscope::analysis {

/// Column "concurrency" (core/import/assemble/context.h) as if each launch had its typical duration: the mean
/// number of other kernels on the device from the start to the end of the launch. Longer launches count only
/// to the end of the typical duration. Otherwise a launch that is long because it waits would overlap more
/// kernels because it is long.
class TypicalConcurrency {
public:
  /// Larger sessions keep the column of the stores: this object needs 32 bytes per launch.
  static constexpr std::int64_t kMaxLaunches = 10'000'000;

  TypicalConcurrency() = default;
  /// `physical`: device of every resource, by trace. Empty if a stop is requested.
  TypicalConcurrency(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical,
                     Stop& stop);

  bool known() const { return !traces_.empty(); }
  /// Values of the column for the rows of one trace. `typical`: typical duration [ns] by configuration of the
  /// session; if negative, the launch's own duration is used. NaN for a duration of 0. Thread-safe.
  std::vector<double> read(const Segment& segment, const std::vector<std::int64_t>& typical) const;

  /// Time in which other kernels ran on the device in the gap before each launch of a segment, ns; at most
  /// the gap. `gaps`: by row, ns; NaN counts as 0. 0 for threads, which share no device. Thread-safe.
  std::vector<double> within_gaps(const Segment& segment, const std::vector<double>& gaps) const;

private:
  struct OfTrace {
    std::vector<std::uint32_t> device; ///< device of every resource
    std::map<std::uint32_t, store::Load> kernels;
  };
  const Session* session_ = nullptr;
  std::vector<OfTrace> traces_;
};

} // namespace jitterscope::analysis
