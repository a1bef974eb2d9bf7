#include <cmath>

#include <gtest/gtest.h>

#include "core/model/gpu/gpu_table.h"
#include "core/model/gpu/what_if.h"

namespace jitterscope::model {
namespace {

struct Launch {
  KernelInputs inputs;
  LaunchFacts facts{1000, 256, 32, 4096};
  Launch() {
    inputs.blocks = 1000, inputs.threads_per_block = 256, inputs.resident_blocks = 8;
    inputs.memory_instructions = 4, inputs.compute_instructions = 60, inputs.transactions = 4;
    inputs.hit_rates = {0.5, 0.6};
    inputs.clock_hz = 1.1e9;
  }
};

std::vector<double> hit_rates_of(const KernelInputs& kernel) {
  return {kernel.hit_rates.begin(), kernel.hit_rates.end()};
}

TEST(WhatIf, AnotherBlockKeepsTheThreads) {
  Launch launch;
  WhatIf what_if;
  what_if.threads_per_block = 512;
  ASSERT_TRUE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  EXPECT_EQ(launch.inputs.blocks, 500);
  EXPECT_EQ(launch.inputs.resident_blocks, 4);
  EXPECT_EQ(launch.facts.shared_bytes, 8192);
  EXPECT_EQ(launch.inputs.clock_hz, 1.1e9);
  for (const double block : {0.0, 2048.0, 100.5}) {
    what_if.threads_per_block = block;
    EXPECT_FALSE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts)) << block;
  }
}

TEST(WhatIf, TheSameGpuKeepsTheRecordedClock) {
  Launch launch;
  WhatIf what_if;
  what_if.gpu = *known_gpu("A100");
  ASSERT_TRUE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  EXPECT_EQ(launch.inputs.clock_hz, 1.1e9);
}

TEST(WhatIf, AnotherGpuMovesTheSameBytesOfAThread) {
  Launch launch;
  WhatIf what_if;
  what_if.gpu = *known_gpu("MI210");
  ASSERT_TRUE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  EXPECT_EQ(launch.inputs.transactions, 4); // 32 B of 32 threads, 64 B of 64 threads
  EXPECT_TRUE(std::isnan(launch.inputs.clock_hz));
  what_if.gpu = *known_gpu("MI300X"); // lines of 128 B
  ASSERT_TRUE(apply(what_if, *known_gpu("MI210"), launch.inputs, launch.facts));
  EXPECT_EQ(launch.inputs.transactions, 2);
  EXPECT_EQ(hit_rates_of(launch.inputs), (std::vector<double>{0.5, 0.6}));
}

// The counted bytes lose what the higher hit rate saves and keep what no hit rate explains.
TEST(WhatIf, AnotherHitRateChangesTheCountedBytes) {
  Launch launch;
  const double all = 8000.0 * 4 * 4 * 32; // transactions of all warps, B
  launch.inputs.dram_bytes = all * 0.5 * 0.4 + 1e6;
  WhatIf what_if;
  what_if.hit_rates = {{"L2", 0.9}};
  ASSERT_TRUE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  EXPECT_NEAR(launch.inputs.dram_bytes, all * 0.5 * 0.1 + 1e6, 1e-6);
  Launch unknown;
  ASSERT_TRUE(apply(what_if, *known_gpu("A100"), unknown.inputs, unknown.facts));
  EXPECT_TRUE(std::isnan(unknown.inputs.dram_bytes));
}

TEST(WhatIf, AnotherHitRateOfALevel) {
  Launch launch;
  WhatIf what_if;
  what_if.hit_rates = {{"L2", 0.9}};
  ASSERT_TRUE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  EXPECT_EQ(hit_rates_of(launch.inputs), (std::vector<double>{0.5, 0.9}));
  what_if.hit_rates = {{"L9", 0.9}};
  EXPECT_FALSE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  what_if.hit_rates = {{"DRAM", 0.9}};
  EXPECT_FALSE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
  what_if.hit_rates = {{"L1", 1.1}};
  EXPECT_FALSE(apply(what_if, *known_gpu("A100"), launch.inputs, launch.facts));
}

} // namespace
} // namespace jitterscope::model
