#pragma once

#include <cstddef>
#include <cstdint>

namespace jitterscope::store {

/// Kind of the events in a series. Its `resource` is, for each kind:
enum class SeriesKind : std::uint8_t {
  AllLaunches,    ///< no resource: every launch of the trace
  DeviceLaunches, ///< a device: the launches on its streams
  StreamLaunches, ///< a stream: the launches of one lane; overlapping launches are in different lanes
  Copies,         ///< a device: memory operations except migrations
  Migrations,     ///< a device: migrations of unified memory
  Calls,          ///< a thread: its rows of "calls"
  Ranges,         ///< a thread: ranges of one depth
  States,         ///< a thread: its ranges of kind state
  Collectives,    ///< a device: the launches of kernels that communicate (CollectiveKernels)
  MpiCalls,       ///< a thread: its rows of "messages" except transmissions
  Transmissions,  ///< a thread: the messages that it sent
  CopiesOfKind    ///< a device with several kinds of Copies: operations of one kind; `level`: TransferKind
};
inline constexpr int kSeriesKinds = 12;

/// Bits of Resource::recorded: 1 << SeriesKind, and:
namespace recorded_kind {
inline constexpr std::uint32_t of(SeriesKind kind) {
  return 1u << static_cast<unsigned>(kind);
}
inline constexpr std::uint32_t kCounters = 1u << 29; ///< samples of a counter
inline constexpr std::uint32_t kGpuRuntime =
    1u << 30; ///< a thread: calls, in a trace with calls of a GPU's runtime
inline constexpr std::uint32_t kLaunching =
    1u << 31; ///< a thread: calls that launched a kernel or a memory operation
} // namespace recorded_kind

inline constexpr std::size_t kMaxLanes = 16;

} // namespace jitterscope::store
