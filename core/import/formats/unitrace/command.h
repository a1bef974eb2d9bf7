#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jitterscope::import::unitrace {

/// A device command as written by Intel's tools: "gemm[SIMD32 {4; 1024; 1} {256; 1; 1}]",
/// "zeCommandListAppendMemoryCopy(M2D)[4194304 bytes]".
struct Command {
  std::string_view name; ///< name without the parts in brackets
  std::optional<std::array<std::int64_t, 3>> groups,
      group_size;                    ///< grid in work-groups; work-items per group
  std::optional<std::int64_t> bytes; ///< size of a memory operation
};
Command command_of(std::string_view written);

/// True for functions of Level Zero, OpenCL and Unified Runtime: "zeCommandListAppendBarrier".
bool is_api(std::string_view name);
/// True for commands that neither run a kernel nor move memory: barriers, events, signals.
bool is_other_command(std::string_view name);
/// True for copies and fills of Level Zero and OpenCL.
bool is_memory_command(std::string_view name);

} // namespace jitterscope::import::unitrace
