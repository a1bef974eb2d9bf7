#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/records/table_mapping.h"

namespace jitterscope::import::device_log {

/// Meaning of a column of a log.
struct LogColumn {
  enum class Kind : std::uint8_t { Counter, Reasons, Time, Date, Device, Uuid, Host, Rank, Ignored };
  Kind kind = Kind::Counter;
  std::string name; ///< name of the counter, without unit
  std::string unit; ///< as written in the title, empty for none
};

/// Meaning of the columns of nvidia-smi and of tables of samples, by their titles. Columns of the same
/// quantity get the same name for all tools: "clocks.current.sm [MHz]", "sm_clock_mhz" → "SM Clock".
/// There is at most one column each of times, devices, unique ids, hosts and ranks: further ones are
/// counters.
std::vector<LogColumn> columns_of_table(std::span<const std::string> titles, const TableMapping& mapping);

/// Meaning of the columns of nvidia-smi dmon, by the two lines of its header.
std::vector<LogColumn> columns_of_dmon(std::span<const std::string> titles,
                                       std::span<const std::string> units);

/// True for a title of a field of nvidia-smi --query-gpu: "clocks.current.sm [MHz]", "pcie.link.gen.current".
bool is_query_field(std::string_view title);

/// Bits of clocks_event_reasons.active (nvml.h, nvmlClocksEventReasons) that become counters of 0 and 1.
struct ClockReason {
  std::uint64_t bit;
  std::string_view name;
};
std::span<const ClockReason> clock_reasons();

} // namespace jitterscope::import::device_log
