// The warp model behind caches, with the values that MT4G measured on an A100.

#include <cmath>

#include <gtest/gtest.h>

#include "core/model/gpu/gpu_table.h"
#include "core/model/gpu/kernel_model.h"

namespace jitterscope::model {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

GpuSpecification a100() {
  GpuSpecification gpu;
  gpu.name = "A100-PCIE-40GB";
  gpu.clock_hz = 1.41e9;
  gpu.multiprocessors = 108;
  gpu.warp_size = 32;
  gpu.lanes = 64;
  gpu.levels = {{"L1", 68.0, 128 * 1.41e9 * 108, 32, 0},
                {"L2", 220.95294117647057, 2374.446861630516 * kGiB, 32, 0},
                {"DRAM", 640.1118710307768, 1098.2145096543795 * kGiB, 32, 0}};
  return gpu;
}

KernelInputs inputs(double h1, double h2) {
  KernelInputs in;
  in.blocks = 2160;
  in.threads_per_block = 256;
  in.resident_blocks = 8;
  in.memory_instructions = 4;
  in.compute_instructions = 60;
  in.transactions = 4;
  in.hit_rates = {h1, h2};
  return in;
}

KernelPrediction predicted(const KernelInputs& in, double kappa = 0,
                           Repetition repetition = Repetition::real) {
  auto prediction = predict_kernel(a100(), in, {Mode::guarded, repetition, kappa});
  EXPECT_TRUE(prediction) << (prediction ? "" : prediction.error().message);
  return *prediction;
}

template <class T>
std::vector<T> listed(const SmallVector<T>& few) {
  return {few.begin(), few.end()};
}

TEST(KernelModel, E1HalfOfAllRequestsHitInL1) {
  const auto p = predicted(inputs(0.5, 0.6));
  EXPECT_EQ(p.load.warps, 64);
  EXPECT_EQ(p.load.repetitions, 2.5);
  EXPECT_NEAR(p.caches.memory_latency, 232.882892817, 5e-10);
  EXPECT_NEAR(p.caches.occupied[0], 1, 1e-12);
  EXPECT_NEAR(p.caches.occupied[1], 3.822614628, 5e-10);
  EXPECT_NEAR(p.caches.occupied[2], 3.305946234, 5e-10);
  EXPECT_EQ(p.levels[p.caches.slowest], "L2");
  EXPECT_NEAR(p.time.mwp, 60.922409264, 5e-10);
  EXPECT_NEAR(p.time.cwp, 30.110361602, 5e-10);
  EXPECT_EQ(p.time.which_case, 3);
  EXPECT_FALSE(p.time.floor_active);
  EXPECT_NEAR(p.cycles, 5702.207232043, 5e-10);
  EXPECT_NEAR(p.seconds * 1e6, 4.044118604, 5e-10);
  EXPECT_EQ(p.bottleneck(), "compute");
}

TEST(KernelModel, E2NothingHitsAndDramBounds) {
  const auto p = predicted(inputs(0, 0));
  EXPECT_NEAR(p.caches.memory_latency, 652.509169409, 5e-10);
  EXPECT_NEAR(p.caches.occupied[1], 7.645229256, 5e-10);
  EXPECT_NEAR(p.caches.occupied[2], 16.529731171, 5e-10);
  EXPECT_NEAR(p.time.mwp, 39.474880907, 5e-10);
  EXPECT_EQ(p.time.cwp, 64);
  EXPECT_EQ(p.time.which_case, 2);
  EXPECT_NEAR(p.cycles, 11348.525567653, 5e-10);
  EXPECT_NEAR(p.seconds * 1e6, 8.048599693, 5e-10);
  EXPECT_EQ(p.bottleneck(), "DRAM");
  EXPECT_NEAR(p.bytes[2] / p.seconds / 1e9, 1099.2, 0.05);
}

TEST(KernelModel, E3EverythingHitsInL1) {
  const auto p = predicted(inputs(1, 0));
  EXPECT_NEAR(p.caches.memory_latency, 68.75, 1e-12);
  EXPECT_EQ(p.caches.occupied[1], 0);
  EXPECT_EQ(p.time.mwp, 64);
  EXPECT_NEAR(p.time.cwp, 9.59375, 1e-12);
  EXPECT_EQ(p.time.which_case, 3);
  EXPECT_NEAR(p.cycles, 5291.875, 5e-10);
  EXPECT_NEAR(p.seconds * 1e6, 3.753102837, 5e-10);
}

TEST(KernelModel, E4TransactionsThatHitEachForItself) {
  const auto p = predicted(inputs(0.5, 0.6), 1);
  EXPECT_NEAR(p.caches.slowest_at[0], 0.0625, 1e-12);
  EXPECT_NEAR(p.caches.slowest_at[1], 0.3471, 5e-5);
  EXPECT_NEAR(p.caches.slowest_at[2], 0.5904, 5e-5);
  EXPECT_NEAR(p.caches.memory_latency, 468.221298807, 5e-10);
  EXPECT_EQ(p.levels[p.caches.slowest], "L2");
  EXPECT_EQ(p.time.mwp, 64);
  EXPECT_NEAR(p.time.cwp, 59.527662351, 5e-10);
  EXPECT_NEAR(p.cycles, 6290.553247019, 5e-10);
  EXPECT_NEAR(p.seconds * 1e6, 4.461385282, 5e-10);
}

TEST(KernelModel, E5OneLevelIsTheModelOfThePaper) {
  const FilterLevel level{420, 10};
  const auto caches = filter_caches({&level, 1}, {}, 32, 0);
  EXPECT_EQ(caches.memory_latency, 730);
  EXPECT_EQ(caches.departure_delay, 320);
  WarpLoad load;
  load.memory_latency = caches.memory_latency, load.departure_delay = caches.departure_delay;
  load.memory_instructions = 6, load.memory_cycles = 6 * 730, load.compute_cycles = 132;
  load.synchronisations = 6, load.warps = 20, load.active_blocks = 5;
  const auto time = warp_time(load, Mode::paper);
  EXPECT_EQ(time.mwp, 2.28125);
  EXPECT_NEAR(time.cycles(), 50728.1875, 1e-8);
}

TEST(KernelModel, SharesOfAnyNumberOfLevelsSumToOne) {
  const std::vector<FilterLevel> levels(6, FilterLevel{100, 1});
  const std::vector<double> rates{0.1, 0.9, 1.0 / 3, 0.7, 0.2};
  for (const double kappa : {0.0, 0.4, 1.0}) {
    const auto caches = filter_caches(levels, rates, 8, kappa);
    double sum = 0;
    for (const double w : caches.slowest_at) sum += w;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(caches.memory_latency, 100 + 7, 1e-9);
  }
}

TEST(KernelModel, ALastWaveThatIsPartlyFilledCountsItsOwnBlocks) {
  auto in = inputs(0, 0);
  const double full = predicted(in, 0, Repetition::real).cycles;
  in.blocks = 8 * 108 * 2; // two full waves
  const double two = predicted(in, 0, Repetition::waves).cycles;
  EXPECT_NEAR(two, predicted(in, 0, Repetition::real).cycles, 1e-9);
  in.blocks = 8 * 108 * 2 + 1;
  const double with_tail = predicted(in, 0, Repetition::waves).cycles;
  auto tail = in;
  tail.blocks = 1, tail.resident_blocks = 1;
  EXPECT_NEAR(with_tail - two, predicted(tail, 0, Repetition::real).cycles, 1e-9);
  in.blocks = 2160;
  EXPECT_GT(predicted(in, 0, Repetition::waves).cycles, full);
}

TEST(KernelModel, FewBlocksAreSpreadOverTheMultiprocessors) {
  auto in = inputs(0, 0);
  in.blocks = 54; // half of the multiprocessors have one block, none has eight
  const auto p = predicted(in);
  EXPECT_EQ(p.load.active_blocks, 1);
  EXPECT_EQ(p.load.warps, 8);
  EXPECT_EQ(p.load.repetitions, 1);
}

TEST(KernelModel, ALevelOfUnknownLatencyIsLeftOut) {
  auto gpu = a100();
  gpu.levels.insert(gpu.levels.begin() + 2, MemoryLevel{"L3", kUnknownQuantity, 1e13, 32, 0});
  auto in = inputs(0.5, 0.6);
  in.hit_rates.push_back(0.9);
  const auto p = predict_kernel(gpu, in);
  ASSERT_TRUE(p);
  EXPECT_EQ(listed(p->levels), (std::vector<std::string>{"L1", "L2", "DRAM"}));
  EXPECT_EQ(listed(p->notes), std::vector<KernelNote>{KernelNote::level_left_out});
  EXPECT_NEAR(p->cycles, 5702.207232043, 5e-10);
}

// The same bytes occupy the same bandwidth beyond L1, but warps do not wait for each load.
TEST(KernelModel, TmaLoadsOccupyL2AndDramButDoNotStopWarps) {
  auto plain = inputs(0, 0.6), tma = plain;
  tma.memory_instructions = 0;
  tma.tma_bytes = 4 * 128 * 2160.0 * 8; // four transactions per warp
  const auto a = predicted(plain), b = predicted(tma);
  EXPECT_NEAR(b.caches.occupied[1], 4 * a.caches.occupied[1],
              1e-9); // per memory instruction: b has one, a has four
  EXPECT_NEAR(b.caches.occupied[2], 4 * a.caches.occupied[2], 1e-9);
  EXPECT_NEAR(b.bytes[1], a.bytes[1], 1e-3);
  EXPECT_NEAR(b.bytes[2], a.bytes[2], 1e-3);
  EXPECT_LT(b.load.memory_cycles, a.load.memory_cycles);
  EXPECT_LT(b.cycles, a.cycles);
  EXPECT_EQ(listed(b.notes), std::vector<KernelNote>{KernelNote::tma});
}

// Lines that are written back later do not appear in hit rates, but in the counted bytes.
TEST(KernelModel, CountedDramBytesReplaceThoseOfHitRates) {
  auto in = inputs(0, 0.5);
  in.memory_instructions = 40;
  const auto by_hits = predicted(in);
  in.dram_bytes = 2 * by_hits.bytes.back();
  const auto counted = predicted(in);
  EXPECT_NEAR(counted.caches.occupied[2], 2 * by_hits.caches.occupied[2], 1e-9);
  EXPECT_EQ(counted.bytes.back(), in.dram_bytes);
  EXPECT_EQ(counted.dram_bytes_by_hit_rates, by_hits.bytes.back());
  EXPECT_GT(counted.cycles, 1.5 * by_hits.cycles);
}

TEST(KernelModel, TheDataPathOfL1IsABottleneckOfSharedMemory) {
  auto in = inputs(0, 0.9);
  in.compute_instructions = 400, in.data_path_cycles = 1000; // bank conflicts
  const auto p = predicted(in);
  EXPECT_NEAR(p.caches.occupied[0], 250, 1e-9); // per memory instruction: 4
  EXPECT_EQ(p.bottleneck(), "L1");
  EXPECT_GE(p.cycles, 64 * 1000 * 2.5);
  in.memory_instructions = 0;
  EXPECT_GE(predicted(in).cycles, 64 * 1000 * 2.5);
}

TEST(KernelModel, TheBusiestPipeBoundsComputation) {
  auto in = inputs(0, 0.9);
  in.compute_instructions = 1000;
  const auto before = predicted(in);
  in.pipes.fp64 = 1000; // 32 lanes on an A100
  EXPECT_NEAR(predicted(in).load.compute_cycles, 1000, 1e-9);
  EXPECT_GT(predicted(in).cycles, before.cycles);
  in.pipes = {.matrix_half = 4'096'000}; // 2048 operations per cycle
  EXPECT_NEAR(predicted(in).load.compute_cycles, 2000, 1e-9);
}

TEST(KernelModel, ManySmallBlocksAreBoundByTheirStart) {
  auto gpu = *known_gpu("H100");
  KernelInputs in;
  in.blocks = 1 << 20, in.threads_per_block = 32, in.resident_blocks = 32, in.compute_instructions = 1;
  in.hit_rates = {0, 0};
  const auto p = predict_kernel(gpu, in);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->bottleneck(), "dispatch");
  EXPECT_NEAR(p->seconds, (1 << 20) / 0.84 / 1.98e9 + 2.16e-6, 1e-9);
  gpu.name = "unknown";
  EXPECT_NE(predict_kernel(gpu, in)->bottleneck(), "dispatch");
}

TEST(KernelModel, BadInputsAreRefused) {
  const auto refused = [](auto change) {
    auto in = inputs(0.5, 0.6);
    change(in);
    const auto p = predict_kernel(a100(), in);
    return !p && p.error().kind == ErrorKind::BadUse && !p.error().message.empty();
  };
  EXPECT_TRUE(refused([](auto& in) { in.hit_rates = {1.5, 0}; }));
  EXPECT_TRUE(refused([](auto& in) { in.hit_rates = {std::nan(""), 0}; }));
  EXPECT_TRUE(refused([](auto& in) { in.hit_rates = {0.5}; }));
  EXPECT_TRUE(refused([](auto& in) { in.blocks = 0; }));
  EXPECT_TRUE(refused([](auto& in) { in.memory_instructions = -1; }));
  EXPECT_TRUE(refused([](auto& in) { in.transactions = std::nan(""); }));
  EXPECT_FALSE(predict_kernel(GpuSpecification{}, inputs(0, 0)));
}

// The bandwidth of L1 is in bytes per cycle, that of the other levels in bytes per second.
TEST(KernelModel, AtALowerClockL1IsSlowerAndDramIsNot) {
  auto in = inputs(1, 0);
  in.memory_instructions = 40, in.compute_instructions = 0, in.transactions = 32;
  const auto fast = predicted(in);
  in.clock_hz = 0.705e9;
  const auto slow = predicted(in);
  EXPECT_EQ(fast.bottleneck(), "L1");
  EXPECT_NEAR(fast.delays[0], 0.25, 1e-12);
  EXPECT_NEAR(slow.delays[0], 0.25, 1e-12);
  EXPECT_NEAR(slow.seconds / fast.seconds, 2, 1e-12);
  in.hit_rates = {0, 0};
  const auto memory_slow = predicted(in);
  in.clock_hz = kUnknownQuantity;
  const auto memory_fast = predicted(in);
  EXPECT_EQ(memory_slow.bottleneck(), "DRAM");
  EXPECT_NEAR(memory_slow.delays[2], memory_fast.delays[2] / 2, 1e-12);
  EXPECT_NEAR(memory_slow.seconds / memory_fast.seconds, 1, 0.02);
}

} // namespace
} // namespace jitterscope::model
