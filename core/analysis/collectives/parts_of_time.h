#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/lanes/tracks.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// Parts of a device's time between the end of a collective and the start of the next. They are disjoint and
/// add up to that time.
enum class Part : std::uint8_t {
  Kernels,     ///< any other kernel runs
  Copies,      ///< only memory operations run
  NotLaunched, ///< nothing runs, and the host has not yet launched the next activity
  Queued,      ///< nothing runs although the next activity was launched: launch latency, an event of another
               ///< stream
  Unknown      ///< nothing runs, and the launch call of the next activity is not recorded
};
inline constexpr int kParts = 5;
std::string_view to_string(Part part);

} // namespace jitterscope::analysis
