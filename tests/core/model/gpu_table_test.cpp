#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/model/gpu/gpu_table.h"
#include "core/model/gpu/occupancy.h"

namespace jitterscope::model {
namespace {

TEST(GpuTable, EveryGpuCanBePredictedFor) {
  EXPECT_GE(known_gpus().size(), 10u);
  std::set<std::string> names;
  for (const auto& gpu : known_gpus()) {
    EXPECT_TRUE(names.insert(gpu.name).second) << gpu.name;
    EXPECT_FALSE(gpu.source.empty()) << gpu.name;
    EXPECT_GT(gpu.clock_hz, 1e9) << gpu.name;
    EXPECT_LT(gpu.clock_hz, 3e9) << gpu.name;
    ASSERT_EQ(gpu.levels.size(), 3u) << gpu.name;
    for (std::size_t l = 1; l < gpu.levels.size(); ++l) {
      EXPECT_GT(gpu.levels[l].latency, gpu.levels[l - 1].latency) << gpu.name;
      EXPECT_LT(gpu.levels[l].bandwidth, gpu.levels[l - 1].bandwidth) << gpu.name;
    }
  }
}

TEST(GpuTable, GpusAreFoundAsToolsNameThem) {
  const auto found = [](std::string_view name) {
    const auto* gpu = known_gpu(name);
    return gpu ? gpu->name : std::string("none");
  };
  EXPECT_EQ(found("NVIDIA A100-SXM4-80GB"), "A100-SXM4-80GB");
  EXPECT_EQ(found("NVIDIA A100-PCIE-40GB"), "A100-PCIE-40GB");
  EXPECT_EQ(found("a100"), "A100-SXM4-40GB");
  EXPECT_EQ(found("a100-80"), "A100-SXM4-80GB");
  EXPECT_EQ(found("NVIDIA A100 80GB PCIe"), "A100-PCIE-80GB");
  EXPECT_EQ(found("Tesla V100-SXM2-32GB"), "V100-PCIE-16GB");
  EXPECT_EQ(found("Tesla T4"), "T4");
  EXPECT_EQ(found("T4"), "T4");
  EXPECT_EQ(found("NVIDIA GeForce RTX 3090"), "RTX-3090");
  EXPECT_EQ(found("NVIDIA L40S"), "L40S");
  EXPECT_EQ(found("NVIDIA H100 80GB HBM3"), "H100-80GB-HBM3");
  EXPECT_EQ(found("NVIDIA H100 PCIe"), "H100-PCIe");
  EXPECT_EQ(found("NVIDIA H200"), "H200");
  EXPECT_EQ(found("AMD Instinct MI250X"), "MI250X");
  EXPECT_EQ(found("AMD Instinct MI300X VF"), "MI300X");
  EXPECT_EQ(found("mi200"), "MI210");
  EXPECT_EQ(found("GeForce GTX 1080"), "none");
  EXPECT_EQ(found(""), "none");
  const auto refused = find_gpu("Voodoo2");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("MI300X"), std::string::npos);
}

TEST(GpuTable, ValuesOfOtherGpusAreMarkedAssumed) {
  EXPECT_TRUE(known_gpu("A100-PCIE-40GB")->assumed.empty());
  EXPECT_FALSE(known_gpu("H200")->assumed.empty());
  EXPECT_EQ(known_gpu("MI250")->assumed.size(), 2u);
}

TEST(GpuTable, IssueCyclesAreThoseOfThePaperAndOfTheArchitectures) {
  EXPECT_EQ(issue_cycles(*known_gpu("V100")), 0.5);
  EXPECT_EQ(issue_cycles(*known_gpu("A100")), 0.5);
  EXPECT_EQ(issue_cycles(*known_gpu("H100")), 0.25);
  EXPECT_EQ(issue_cycles(*known_gpu("MI100")), 1);
  EXPECT_EQ(issue_cycles(*known_gpu("MI300X")), 1);
  GpuSpecification g80;
  g80.warp_size = 32, g80.lanes = 8;
  EXPECT_EQ(issue_cycles(g80), 4);
  g80.lanes = 1024;
  EXPECT_EQ(issue_cycles(g80), 0.25);
}

TEST(GpuTable, OccupancyIsTheLeastOfItsLimits) {
  const auto& a100 = *known_gpu("A100");
  EXPECT_EQ(resident_blocks(a100, {256, 32, 0}), 8);         // warps
  EXPECT_EQ(resident_blocks(a100, {32, 16, 0}), 32);         // blocks
  EXPECT_EQ(resident_blocks(a100, {256, 128, 0}), 2);        // registers
  EXPECT_EQ(resident_blocks(a100, {256, 32, 80 * 1024}), 2); // shared memory
  EXPECT_EQ(resident_blocks(a100, {1024, 255, 1 << 20}), 1);
  // Units of allocation: 12 warps of 1,280 registers in each quarter, and 1 KiB of each block for the driver.
  EXPECT_EQ(resident_blocks(a100, {96, 40, 0}), 16);
  EXPECT_EQ(resident_blocks(a100, {64, 33, 0}), 24); // 33 registers take 1,280 of a warp, as 40 do
  EXPECT_EQ(resident_blocks(a100, {64, 32, 32 * 1024}), 4);
  EXPECT_EQ(resident_blocks(a100, {64, 32, 2'208 - 1'024}), 32);
  EXPECT_EQ(resident_blocks(*known_gpu("V100"), {64, 32, 32 * 1024}), 3);
  EXPECT_EQ(resident_blocks(*known_gpu("V100"), {64, 32, 16 * 1024 + 1}), 5);
  EXPECT_EQ(resident_blocks(*known_gpu("MI100"), {256, 0, 0}), 10);
  EXPECT_EQ(resident_blocks(*known_gpu("MI210"), {256, 0, 0}), 8);
}

} // namespace
} // namespace jitterscope::model
