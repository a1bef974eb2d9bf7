#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/intervals.h"

namespace jitterscope::analysis {

/// Column "concurrency" (core/import/context.h) as each launch would have it had it lasted its usual time:
/// the mean number of other kernels on the device from the start to the end or, of longer launches, to the
/// end of the usual time. A launch that waits, and is long for that, meets other kernels because it is long.
class UsualConcurrency {
public:
  /// Sessions of more launches keep the column of the stores: 32 bytes a launch are needed.
  static constexpr std::int64_t kMostLaunches = 10'000'000;

  UsualConcurrency() = default;
  /// `physical`: the device of every resource, by trace. Nothing is known when a stop is wanted.
  UsualConcurrency(const Session& session, const std::vector<std::vector<std::uint32_t>>& physical,
                   Stop& stop);

  bool known() const { return !traces_.empty(); }
  /// For the rows of one trace; `usual`: ns, by configuration of the session, negative where unknown: then
  /// the own duration. NaN where that is 0. Not to be called by several threads at once.
  std::vector<double> read(const Segment& segment, const std::vector<std::int64_t>& usual) const;

private:
  struct OfTrace {
    std::vector<std::uint32_t> device; ///< of every resource
    std::map<std::uint32_t, Load> kernels;
  };
  const Session* session_ = nullptr;
  std::vector<OfTrace> traces_;
};

} // namespace jitterscope::analysis
