#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/analysis/session/learn_once.h"
#include "core/analysis/session/session.h"

namespace jitterscope::analysis {

/// Waiting time of launches of collectives (kernels that communicate, store::CollectiveKernels): from the
/// start of the launch until the last device has started the same collective, at most their own
/// duration.
///
/// The n-th launch of a kernel on one device is matched with the n-th on every other device that ran it, if
/// all ran it equally often; collectives are called in the same order everywhere. Launches that are not
/// concurrent on all of them are not one collective and have no wait. Collectives end simultaneously: clocks
/// of different traces are aligned by the median difference of these ends from those of the first trace.
class CollectiveWaits {
public:
  /// Whether the session has several devices and a kernel that communicates, from the kernels and devices
  /// that the stores list; reads no launches.
  static bool possible(const Session& session);

  explicit CollectiveWaits(const Session& session) : session_(&session) {}

  /// Reads every launch of the session once; returns an error when cancelled.
  Expected<void> prepare(const Job& job) const;
  /// Waits of the rows of a segment [ns], 0 for launches without a wait; NaN for kernels that do not
  /// communicate. Without prepare() before, the first call does its work and cannot be cancelled.
  /// Thread-safe.
  void read(const Segment& segment, double* out) const;

private:
  struct Wait {
    std::int64_t row = 0; ///< row of the launch in its trace
    double ns = 0;
  };
  using Waits =
      std::vector<std::vector<Wait>>; ///< per trace, in row order: each launch of a collective and its wait
  Expected<Waits> find(const Job& job) const;

  const Session* session_;
  mutable LearnOnce<Waits> waits_;
};

} // namespace jitterscope::analysis
