#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job.h"

namespace jitterscope::model {

/// Kinds of activity of a process.
enum class Work : std::uint8_t {
  kernel,
  copy,
  message,
  computation ///< computation of host threads
};
inline constexpr std::size_t kWorks = 4;

/// An activity of a process and the factor on its time.
struct Activity {
  std::int64_t start = 0, end = 0; ///< times in ns, end exclusive
  Work work = Work::kernel;
  double factor = 1; ///< predicted time divided by measured time, ≥ 0
};

/// Time of a process in disjoint parts; their sum is its elapsed time [ns].
struct RunParts {
  double kernels = 0, copies = 0, messages = 0, computation = 0; ///< time with activities of only this kind
  double overlapped = 0;                                         ///< several kinds at the same time
  double other = 0;                                              ///< time without activity
  double total() const { return kernels + copies + messages + computation + overlapped + other; }
};

/// Time of a process with the overlap of its trace. The time [begin, end) is split at every start and end of
/// an activity. The length of each piece is multiplied by the largest factor of its activities; pieces
/// without activity stay unchanged. With all factors 1 the sum is end − begin.
/// O(n log n). Errors: Cancelled.
Expected<RunParts> run_parts(std::span<const Activity> activities, std::int64_t begin, std::int64_t end,
                             const Job& job = {});

/// T = latency + bytes / bandwidth of memory operations of one kind, by least squares of the relative error.
struct CopyFit {
  double latency_ns = 0;
  double bytes_per_ns = 0; ///< 0: independent of the size
  double time(double bytes) const { return latency_ns + (bytes_per_ns > 0 ? bytes / bytes_per_ns : 0); }
};
/// Neither parameter is negative. A single size gives a latency of 0.
CopyFit fit_copies(std::span<const double> bytes, std::span<const double> durations_ns);

} // namespace jitterscope::model
