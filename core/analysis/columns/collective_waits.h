#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/analysis/session/learn_once.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// How long launches of collectives (kernels that communicate, store::is_collective) wait for the other
/// devices: from the own start until the last device has started the same collective, at most the own
/// duration.
///
/// The n-th launch of a kernel on one device belongs to the n-th on every other device that ran it, where all
/// ran it equally often; collectives are called in the same order everywhere. Launches that do not run at one
/// moment on all of them are none of one collective and wait for nobody. Clocks of different traces are
/// compared by the ends of their collectives, which are one moment: by the median of their distances to those
/// of the first trace.
class CollectiveWaits {
public:
  /// Whether several devices of the session ran a kernel that communicates: by what the stores know of
  /// kernels and devices, without looking at launches.
  static bool possible(const Session& session);

  explicit CollectiveWaits(const Session& session) : session_(&session) {}

  /// Reads every launch of the session, once; ends with an error when cancelled.
  Expected<void> know(const Job& job) const;
  /// Waits in ns of the rows of a segment, 0 for those that wait for nobody; NaN for kernels that do not
  /// communicate. Without know() before, the first call does its work and cannot be cancelled. For any
  /// thread.
  void read(const Segment& segment, double* out) const;

private:
  struct Wait {
    std::int64_t row = 0; ///< of its trace
    double ns = 0;
  };
  using Waits =
      std::vector<std::vector<Wait>>; ///< by trace, in the order of rows: every launch of a collective
  Expected<Waits> find(const Job& job) const;

  const Session* session_;
  mutable LearnOnce<Waits> waits_;
};

} // namespace jitterscope::analysis
