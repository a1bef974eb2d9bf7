#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// What reader, export and window definitions of Paraver share: numbers in .prv and .pcf files.
namespace jitterscope::prv {

inline constexpr std::int64_t kRunning = 1, kMemoryTransfer = 17; ///< numbers of states
/// Names of the states 0, 1, … that Paraver itself defines.
std::span<const std::string_view> state_names();

/// Beginning of a comment of this program's traces after the header: the rank of each task, "-" for a task
/// without one, such as "# ranks of tasks: 0,1,-". Paraver itself has no tasks without a number.
inline constexpr std::string_view kRanksOfTasks = "# ranks of tasks:";
/// Beginning of such a comment in a part of a trace: kinds of rows (store::recorded_kind) that the whole
/// trace has for each host thread, "task.thread:kinds", such as "# recorded in the whole
/// trace: 1.1:1152,2.1:128".
inline constexpr std::string_view kRecordedInWhole = "# recorded in the whole trace:";

// Event types of Extrae and nsys2prv 0.6.
inline constexpr std::int64_t kMpiPointToPoint = 50'000'001, kMpiCollective = 50'000'002,
                              kMpiOther = 50'000'003, kMpiOneSided = 50'000'004, kMpiIo = 50'000'005,
                              kMpiLast = 50'000'099;
inline constexpr std::int64_t kMpiBytes = 50'100'001, kMpiBytesReceived = 50'100'002;
inline constexpr std::int64_t kCall = 63'000'000; ///< outermost calls; nested calls: kNestedCall + depth
inline constexpr std::int64_t kNestedCall = 63'000'100;
inline constexpr std::int64_t kCopy = 63'000'001, kCopyBytes = 63'000'002, kKernel = 63'000'006,
                              kCollective = 63'000'007, kKernelOfExtrae = 63'000'019;
/// Launch parameters: grid and block sizes from kGridX to kBlockZ, then shared memory and registers, whose
/// numbers changed between versions.
inline constexpr std::int64_t kGridX = 9101, kBlockZ = 9106, kStaticSharedMemory = 9107,
                              kDynamicSharedMemory = 9108, kLocalMemory = 9109, kRegisters = 9110;
inline constexpr std::int64_t kCorrelation = 9200;
inline constexpr std::int64_t kGpuMetric = 9400, kLastGpuMetric = 9499; ///< samples of a device
inline constexpr std::string_view kMetricsThread = "Metrics GPU"; ///< beginning of the name of its thread
inline constexpr std::int64_t kRange = 9600; ///< outermost ranges; nested ranges: kRange + depth
inline constexpr std::int64_t kUserFunction = 60'000'019;
inline constexpr std::string_view kUserFunctionLabel = "User function";                    ///< of Extrae
inline constexpr std::int64_t kFirstPreset = 42'000'000, kFirstResourceUsage = 45'000'000; ///< of counters
inline constexpr std::int64_t kInstructions = 42'000'050, kCycles = 42'000'059, kOtherCounter = 42'001'000;

inline bool is_within(std::int64_t type, std::int64_t first, std::int64_t last) {
  return type >= first && type <= last;
}
inline bool is_kernel(std::int64_t type) {
  return type == kKernel || type == kCollective || type == kKernelOfExtrae;
}
/// Types whose values are samples of counters.
bool is_counter(std::int64_t type);
/// Types of ranges that may be nested. `label`: in lower case, from the .pcf; may be empty.
bool may_be_nested(std::int64_t type, std::string_view label);

} // namespace jitterscope::prv
