#include "core/model/gpu/occupancy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jitterscope::model {
namespace {

double rounded_up(double value, double unit) {
  return std::ceil(value / unit) * unit;
}

bool is_nvidia(const GpuSpecification& gpu) {
  return gpu.vendor == "NVIDIA";
}

// Since compute capability 8.0, whose multiprocessors have at least 100 KiB, the driver takes 1 KiB a block.
double shared_memory_of_block(const GpuSpecification& gpu, double bytes) {
  constexpr std::int64_t kOfDriver = 1024;
  if (!is_nvidia(gpu)) return bytes;
  return gpu.shared_memory >= 100 * kOfDriver ? rounded_up(bytes + kOfDriver, 128) : rounded_up(bytes, 256);
}

double blocks_by_registers(const GpuSpecification& gpu, double of_warp, double warps) {
  const auto all = static_cast<double>(gpu.registers);
  if (!is_nvidia(gpu)) return std::floor(all / (of_warp * warps));
  constexpr double kUnit = 256, kPartitions = 4;
  return std::floor(kPartitions * std::floor(all / kPartitions / rounded_up(of_warp, kUnit)) / warps);
}

} // namespace

double resident_blocks(const GpuSpecification& gpu, const BlockNeeds& needs) {
  const auto warp = static_cast<double>(std::max<std::int64_t>(gpu.warp_size, 1));
  const double warps = std::max(1.0, std::ceil(needs.threads / warp));
  double blocks = std::numeric_limits<double>::infinity();
  const auto limit = [&](std::int64_t there, double each) {
    if (there > 0 && each > 0) blocks = std::min(blocks, std::floor(static_cast<double>(there) / each));
  };
  limit(gpu.max_warps, warps);
  limit(gpu.max_blocks, 1);
  limit(gpu.shared_memory, shared_memory_of_block(gpu, needs.shared_bytes));
  if (gpu.registers > 0 && needs.registers_per_thread > 0)
    blocks = std::min(blocks, blocks_by_registers(gpu, needs.registers_per_thread * warp, warps));
  return std::isfinite(blocks) ? std::max(1.0, blocks) : 1.0;
}

double issue_cycles(const GpuSpecification& gpu) {
  if (gpu.lanes <= 0 || gpu.warp_size <= 0) return 1;
  return std::max(0.25, static_cast<double>(gpu.warp_size) / static_cast<double>(gpu.lanes));
}

} // namespace jitterscope::model
