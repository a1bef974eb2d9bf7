#include "core/model/gpu/occupancy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jitterscope::model {

double resident_blocks(const GpuSpecification& gpu, const BlockNeeds& needs) {
  const auto warp = static_cast<double>(std::max<std::int64_t>(gpu.warp_size, 1));
  const double warps = std::max(1.0, std::ceil(needs.threads / warp));
  double blocks = std::numeric_limits<double>::infinity();
  const auto limit = [&](std::int64_t there, double each) {
    if (there > 0 && each > 0) blocks = std::min(blocks, std::floor(static_cast<double>(there) / each));
  };
  limit(gpu.max_warps, warps);
  limit(gpu.max_blocks, 1);
  limit(gpu.registers, needs.registers_per_thread * warps * warp);
  limit(gpu.shared_memory, needs.shared_bytes);
  return std::isfinite(blocks) ? std::max(1.0, blocks) : 1.0;
}

double issue_cycles(const GpuSpecification& gpu) {
  if (gpu.lanes <= 0 || gpu.warp_size <= 0) return 1;
  return std::max(0.25, static_cast<double>(gpu.warp_size) / static_cast<double>(gpu.lanes));
}

} // namespace jitterscope::model
