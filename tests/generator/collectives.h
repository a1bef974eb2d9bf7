#pragma once

#include <cstdint>
#include <vector>

#include "core/store/trace/trace_data.h"

namespace jitterscope::generator {

/// The reason why one rank is the last at every collective.
enum class Delay : std::uint8_t {
  None,
  Kernels,     ///< the rank's gemm runs longer
  Copies,      ///< the rank's copies to the device take longer; nothing runs at the same time
  Host,        ///< the rank's host works longer between collectives; all hosts wait for each collective
  Carried,     ///< the rank's host starts later, does not work longer and waits for nothing
  OtherStream, ///< the rank's second kernel waits for another stream
  UnknownCalls ///< like Host, but launches and copies are not linked to calls
};

/// Ranks that repeat the same step: a copy to the device, gemm, relu, a collective. The
/// host's range "load batch" contains its work between collectives, inside "step".
struct CollectiveRun {
  int ranks = 4;
  int collectives = 40;
  Delay delay = Delay::None;
  int late_rank = 2;
  std::int64_t delay_ns = 0;
  std::int64_t jitter_ns = 5'000;  ///< maximum random extra time per step and rank
  std::int64_t clock_error_ns = 0; ///< the clock of rank r is ahead by r times this time
};

/// One trace for each rank. The same run gives the same traces on every platform.
std::vector<store::TraceData> traces_of(const CollectiveRun& run);

} // namespace jitterscope::generator
