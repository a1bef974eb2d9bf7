#pragma once

#include <cstddef>
#include <cstdint>

namespace jitterscope::store {

/// Whose events a series holds. Of `resource` …
enum class SeriesKind : std::uint8_t {
  AllLaunches,    ///< nothing: every launch of the trace
  DeviceLaunches, ///< a device: the launches of its streams
  StreamLaunches, ///< a stream: the launches of one lane; overlapping ones stand in lanes below each other
  Copies,         ///< a device: transfers but migrations
  Migrations,     ///< a device
  Calls,          ///< a thread
  Ranges,         ///< a thread: ranges of one depth
  States,         ///< a thread
  Collectives,    ///< a device: the launches of kernels that communicate (is_collective)
  MpiCalls,       ///< a thread: its rows of "messages" but transmissions
  Transmissions,  ///< a thread: the messages that it sent
  CopiesOfKind    ///< a device with several kinds of copies: those of one kind, `level` is the TransferKind
};
inline constexpr int kSeriesKinds = 12;
inline constexpr std::size_t kMostLanes = 16;

} // namespace jitterscope::store
