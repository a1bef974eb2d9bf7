#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace jitterscope {

inline constexpr double kUnknownQuantity = std::numeric_limits<double>::quiet_NaN();

/// One level of the memory hierarchy of a GPU; NaN where unknown.
struct MemoryLevel {
  std::string name;                    ///< "L1", "L2", "L3", "DRAM"
  double latency = kUnknownQuantity;   ///< cycles of the multiprocessor's clock, load to use
  double bandwidth = kUnknownQuantity; ///< read bandwidth of all multiprocessors together [B/s]
  double transaction = 32;             ///< minimum size of a request [B]
  double size = kUnknownQuantity;      ///< total size of all instances [B]
};

/// Properties of a GPU that the performance model needs. Counts are 0 and quantities NaN where unknown.
struct GpuSpecification {
  std::string name;
  std::string vendor;
  std::string source; ///< where the values come from, in words
  double clock_hz = kUnknownQuantity;
  std::int64_t multiprocessors = 0; ///< SMs, compute units
  std::int64_t warp_size = 0;       ///< 32; 64 on CDNA
  std::int64_t lanes = 0;           ///< FP32 lanes of a multiprocessor
  std::int64_t max_warps = 0;       ///< resident on a multiprocessor
  std::int64_t max_blocks = 0;      ///< resident on a multiprocessor
  std::int64_t max_threads_per_block = 0;
  std::int64_t registers = 0;       ///< 32-bit, of a multiprocessor
  std::int64_t shared_memory = 0;   ///< size per multiprocessor [B]
  std::vector<MemoryLevel> levels;  ///< nearest first; the last is DRAM
  std::vector<std::string> assumed; ///< values taken from another GPU or assumed, in words

  const MemoryLevel* level(const std::string& requested) const {
    for (const auto& l : levels)
      if (l.name == requested) return &l;
    return nullptr;
  }
};

} // namespace jitterscope
