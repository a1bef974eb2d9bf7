#pragma once

#include <string>
#include <vector>

namespace jitterscope {

/// What the name of a column of numbers says about durations.
enum class DurationName {
  none,
  length,  ///< only a unit of time: "fwd_ms"
  of_part, ///< the time of something: "compute_time"
  of_row   ///< the time of a step, an iteration, a kernel …: "step_time (s)", "gpu__time_duration.sum"
};

/// Judges a name by its words, in lower case; a unit of time may be the last one. Waiting times, points in
/// time and settings are no durations: "queue_delay_us", "start_ns", "timeout_ms".
DurationName duration_name(std::vector<std::string> words);

/// The column that may be the duration of a row: the first one of the highest kind; of the kinds below
/// DurationName::of_row only if no other has this kind. The number of names if there is none.
std::size_t duration_among(const std::vector<DurationName>& names);

} // namespace jitterscope
