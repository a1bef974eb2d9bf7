#include "core/paraver/event_types.h"

#include <array>

namespace jitterscope::prv {

std::span<const std::string_view> state_names() {
  static constexpr std::array<std::string_view, 18> kNames = {"Idle",
                                                              "Running",
                                                              "Not created",
                                                              "Waiting a message",
                                                              "Blocking Send",
                                                              "Synchronization",
                                                              "Test/Probe",
                                                              "Scheduling and Fork/Join",
                                                              "Wait/WaitAll",
                                                              "Blocked",
                                                              "Immediate Send",
                                                              "Immediate Receive",
                                                              "I/O",
                                                              "Group Communication",
                                                              "Tracing Disabled",
                                                              "Others",
                                                              "Send Receive",
                                                              "Memory transfer"};
  return kNames;
}

bool is_counter(std::int64_t type) {
  return is_within(type, kFirstPreset, 44'999'999) || is_within(type, kFirstResourceUsage, 45'000'099) ||
         is_within(type, kGpuMetric, kLastGpuMetric) || is_within(type, 66'500'000, 66'599'999);
}

bool may_be_nested(std::int64_t type, std::string_view label) {
  if (type == 9003 || type == 9004 || is_within(type, 9500, 99'999) ||
      is_within(type, 66'000'000, 66'499'999))
    return true;
  return is_within(type, 60'000'000, 60'999'999) &&
         (type == kUserFunction || label.find("function") != label.npos || label.find("task") != label.npos);
}

} // namespace jitterscope::prv
