#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace jitterscope::import {

/// A device as a monitor names it; what the log does not state stays empty or −1.
struct LoggedDevice {
  std::int64_t number = -1;
  std::string uuid, host;
  std::int32_t rank = -1;
};

/// Samples that a monitor took of devices next to a trace. Until the log is attached to the devices of the
/// trace (assemble/device_logs.h), `device` of its counters is an index of `devices`.
struct DeviceLog {
  std::string file;                                ///< name of the log, for messages
  std::size_t first_counter = 0, last_counter = 0; ///< rows of Draft::counters
  std::size_t first_sample = 0, last_sample = 0;   ///< rows of Draft::samples
  std::vector<LoggedDevice> devices;
  bool zone_known = true; ///< false: dates are local times of an unknown zone, stored as if they were UTC
};

} // namespace jitterscope::import
