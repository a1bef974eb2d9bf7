#include "tests/generator/program.h"

#include <array>

#include <fmt/core.h>

namespace jitterscope::generator {
namespace {

struct Family {
  const char* name;
  bool memory_bound;
  std::int64_t block, registers, static_shared, dynamic_shared;
};

// Memory-bound and compute-bound families alternate.
constexpr std::array kFamilies = {
    Family{"elementwise_add", true, 256, 24, 0, 0}, Family{"gemm_tile", false, 256, 128, 0, 49152},
    Family{"reduce_rows", true, 512, 32, 2048, 0},  Family{"convolution_forward", false, 128, 96, 16384, 0},
    Family{"transpose", true, 256, 20, 4224, 0},    Family{"attention_scores", false, 128, 168, 0, 65536},
    Family{"layer_norm", true, 256, 40, 1024, 0},   Family{"fft_stage", false, 64, 72, 8192, 0}};

constexpr std::array kElementTypes = {"float", "double", "__half", "__nv_bfloat16", "int"};

} // namespace

std::vector<KernelModel> make_kernels(int count, Random& random) {
  std::vector<KernelModel> kernels;
  for (int k = 0; k < count; ++k) {
    const auto& family = kFamilies[static_cast<std::size_t>(k) % kFamilies.size()];
    const auto variant = static_cast<std::size_t>(k) / kFamilies.size();
    const auto* type = kElementTypes[variant % kElementTypes.size()];
    KernelModel kernel;
    kernel.short_name = variant == 0 ? family.name : fmt::format("{}_{}", family.name, variant);
    kernel.name = fmt::format("void {}<{}, {}>({} *, const {} *, int)", kernel.short_name, type, family.block,
                              type, type);
    kernel.mangled = fmt::format("_Z{}{}PvPKvi", kernel.short_name.size(), kernel.short_name);
    kernel.memory_bound = family.memory_bound;
    kernel.base_ns = 4'000 + 32 * random.below(200);
    kernel.block = family.block;
    kernel.registers = family.registers;
    kernel.static_shared = family.static_shared;
    kernel.dynamic_shared = family.dynamic_shared;
    kernel.smallest_grid = 64 * (1 + random.below(8));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<Configuration> make_configurations(const std::vector<KernelModel>& kernels) {
  // Twice the blocks take slightly less than twice the time.
  constexpr std::array<double, kGridsPerKernel> kTime = {1.0, 1.8, 3.3, 6.1};
  std::vector<Configuration> configurations;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (int grid = 0; grid < kGridsPerKernel; ++grid)
      configurations.push_back({static_cast<int>(k), kernels[k].smallest_grid << grid,
                                static_cast<std::int64_t>(static_cast<double>(kernels[k].base_ns) *
                                                          kTime[static_cast<std::size_t>(grid)]),
                                1 << grid});
  return configurations;
}

} // namespace jitterscope::generator
