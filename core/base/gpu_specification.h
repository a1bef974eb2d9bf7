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
  double latency = kUnknownQuantity;   ///< from load to use [cycles of the multiprocessor's clock]
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
  std::int64_t multiprocessors = 0; ///< number of multiprocessors (SMs, compute units)
  std::int64_t warp_size = 0;       ///< threads per warp: 32; 64 on CDNA
  std::int64_t lanes = 0;           ///< number of FP32 lanes of a multiprocessor
  std::int64_t max_warps = 0;       ///< maximum resident warps of a multiprocessor
  std::int64_t max_blocks = 0;      ///< maximum resident blocks of a multiprocessor
  std::int64_t max_threads_per_block = 0;
  std::int64_t registers = 0;       ///< number of 32-bit registers of a multiprocessor
  std::int64_t shared_memory = 0;   ///< shared memory of a multiprocessor [B]
  std::vector<MemoryLevel> levels;  ///< levels from the nearest to DRAM
  std::vector<std::string> assumed; ///< values taken from another GPU or assumed, in words

  const MemoryLevel* level(const std::string& requested) const {
    for (const auto& l : levels)
      if (l.name == requested) return &l;
    return nullptr;
  }
};

} // namespace jitterscope
