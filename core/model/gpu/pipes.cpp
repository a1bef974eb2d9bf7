#include "core/model/gpu/pipes.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/gpu/gpu_table.h"

namespace jitterscope::model {
namespace {

struct Architecture {
  std::string_view gpus; ///< beginning of the names in the table of known GPUs
  PipeRates rates;
};

// Measured on an H100 SXM with empty kernels (tests/generator/gpu): 2^20 blocks in 632 us, one block in 2.16
// us.
constexpr double kHopperBlocks = 0.84, kHopperLaunch = 2.16e-6;

// Columns: fp64, integer, transcendental; matrices: half, TF32, FP64, byte; blocks per cycle, launch
constexpr Architecture kArchitectures[] = {
    {"V100", {32, 64, 16, 1024, 0, 0, 0, 0, 0}},
    {"T4", {2, 64, 16, 1024, 0, 0, 2048, 0, 0}},
    {"A100", {32, 64, 16, 2048, 1024, 128, 4096, 0, 0}},
    {"RTX-3090", {2, 64, 16, 1024, 512, 0, 2048, 0, 0}},
    {"L40S", {2, 64, 16, 1024, 512, 0, 2048, 0, 0}},
    {"H100", {64, 64, 16, 4096, 2048, 256, 8192, kHopperBlocks, kHopperLaunch}},
    {"H200", {64, 64, 16, 4096, 2048, 256, 8192, kHopperBlocks, kHopperLaunch}},
};

constexpr PipeRates kUnknown;

const PipeRates& find(std::string_view name) {
  if (const auto* known = known_gpu(name))
    for (const auto& each : kArchitectures)
      if (std::string_view(known->name).starts_with(each.gpus)) return each.rates;
  return kUnknown;
}

} // namespace

const PipeRates& pipe_rates(const GpuSpecification& gpu) {
  // Predictions of many launches ask for the same GPU: its name is resolved once.
  thread_local std::string last;
  thread_local const PipeRates* rates = &kUnknown;
  if (last != gpu.name) {
    last = gpu.name;
    rates = &find(gpu.name);
  }
  return *rates;
}

double busiest_pipe_cycles(const GpuSpecification& gpu, const PipeCounts& counts) {
  const auto& rates = pipe_rates(gpu);
  const auto warp = static_cast<double>(gpu.warp_size);
  double most = 0;
  for (const auto& [work, rate] : {std::pair{counts.fp64 * warp, rates.fp64},
                                   {counts.integer * warp, rates.integer},
                                   {counts.transcendental * warp, rates.transcendental},
                                   {counts.matrix_half, rates.matrix_half},
                                   {counts.matrix_tf32, rates.matrix_tf32},
                                   {counts.matrix_fp64, rates.matrix_fp64},
                                   {counts.matrix_byte, rates.matrix_byte}})
    if (rate > 0) most = std::max(most, work / rate);
  return most;
}

} // namespace jitterscope::model
