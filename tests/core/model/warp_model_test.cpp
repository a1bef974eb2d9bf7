// The warp model compared with the example of Hong and Kim (ISCA 2009): tiled matrix multiplication.

#include <cmath>

#include <gtest/gtest.h>

#include "core/model/gpu/warp_model.h"

namespace jitterscope::model {
namespace {

constexpr double kExact = 1e-12;

void expect_near(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

PaperKernel kernel(double compute, double uncoalesced, double coalesced, double synchronisations) {
  PaperKernel k;
  k.compute = compute;
  k.uncoalesced = uncoalesced;
  k.coalesced = coalesced;
  k.synchronisations = synchronisations;
  return k;
}

TEST(WarpModel, T1TheExampleOfThePaper) {
  const auto terms = paper_terms({}, kernel(27, 6, 0, 6));
  EXPECT_EQ(terms.load.memory_latency, 730);
  EXPECT_EQ(terms.load.departure_delay, 320);
  EXPECT_EQ(terms.load.compute_cycles, 132);
  EXPECT_EQ(terms.load.memory_cycles, 4380);
  EXPECT_EQ(terms.load.repetitions, 1);
  EXPECT_EQ(terms.mwp_without_bandwidth, 2.28125);
  EXPECT_NEAR(terms.bandwidth_per_warp, 0.175342466, 5e-10);
  expect_near(terms.load.peak_mwp, 28.515625, kExact);
  const auto time = warp_time(terms.load, Mode::paper);
  EXPECT_EQ(time.mwp, 2.28125);
  EXPECT_NEAR(time.cwp_full, 34.181818, 5e-7);
  EXPECT_EQ(time.cwp, 20);
  EXPECT_EQ(time.which_case, 2);
  expect_near(time.execution, 38428.1875, kExact);
  expect_near(time.synchronisation, 12300, kExact);
  expect_near(time.cycles(), 50728.1875, kExact);
  expect_near(time.cycles(), 50738, 1e-3); // as printed, with MWP rounded
}

TEST(WarpModel, T1rWithMwpRoundedAsPrinted) {
  auto load = paper_terms({}, kernel(27, 6, 0, 6)).load;
  load.peak_mwp = 2.28;
  const auto time = warp_time(load, Mode::paper);
  EXPECT_NEAR(time.execution, 38449.212631579, 5e-9);
  EXPECT_NEAR(time.synchronisation, 12288, 1e-9);
  EXPECT_NEAR(time.cycles(), 50737.212631579, 5e-9);
}

TEST(WarpModel, T2CoalescedAccesses) {
  const auto terms = paper_terms({}, kernel(27, 0, 6, 6));
  EXPECT_EQ(terms.load.memory_latency, 420);
  EXPECT_EQ(terms.load.departure_delay, 4);
  EXPECT_EQ(terms.mwp_without_bandwidth, 105);
  EXPECT_NEAR(terms.bandwidth_per_warp, 0.304761905, 5e-10);
  const auto time = warp_time(terms.load, Mode::paper);
  expect_near(time.mwp, 16.40625, kExact);
  EXPECT_EQ(time.cwp, 20);
  EXPECT_EQ(time.which_case, 2);
  expect_near(time.execution, 3410.9375, kExact);
  expect_near(time.synchronisation, 1848.75, kExact);
  expect_near(time.cycles(), 5259.6875, kExact);
}

TEST(WarpModel, T3TooFewWarpsToHideAnything) {
  auto k = kernel(10, 0, 2, 0);
  k.threads_per_block = 64, k.blocks = 16, k.active_blocks = 1;
  const auto time = warp_time(paper_terms({}, k).load, Mode::paper);
  EXPECT_EQ(time.mwp, 2);
  EXPECT_EQ(time.cwp, 2);
  EXPECT_EQ(time.which_case, 1);
  EXPECT_EQ(time.bound, Bound::latency);
  expect_near(time.cycles(), 912, kExact);
}

PaperKernel compute_bound(double compute) {
  auto k = kernel(compute, 0, 2, 0);
  k.threads_per_block = 256, k.blocks = 64, k.active_blocks = 4;
  return k;
}

TEST(WarpModel, T4TheClauseOfThePaperMakesComputeBoundKernelsTooFast) {
  const auto load = paper_terms({}, compute_bound(1000)).load;
  const auto paper = warp_time(load, Mode::paper), guarded = warp_time(load, Mode::guarded);
  expect_near(paper.mwp, 16.40625, kExact);
  EXPECT_NEAR(paper.cwp, 1.209580838, 5e-10);
  EXPECT_EQ(paper.which_case, 2);
  expect_near(paper.cycles(), 32512.525, kExact);
  EXPECT_EQ(guarded.which_case, 3);
  EXPECT_EQ(guarded.bound, Bound::compute);
  expect_near(guarded.cycles(), 128676, kExact);
}

TEST(WarpModel, T5Case3IsTheSameInBothModes) {
  const auto load = paper_terms({}, compute_bound(150)).load;
  for (const auto mode : {Mode::paper, Mode::guarded}) {
    const auto time = warp_time(load, mode);
    EXPECT_NEAR(time.cwp, 2.381578947, 5e-10);
    EXPECT_EQ(time.which_case, 3);
    expect_near(time.cycles(), 19876, kExact);
  }
}

TEST(WarpModel, T6SepiaOnFx5600) {
  PaperMachine fx5600;
  fx5600.clock_ghz = 1.35;
  fx5600.bandwidth = 76.8;
  auto k = kernel(71, 6, 0, 0);
  k.threads_per_block = 256, k.active_blocks = 3, k.blocks = 7000.0 * 7000.0 / 256;
  const auto terms = paper_terms(fx5600, k);
  EXPECT_NEAR(terms.bandwidth_per_warp, 0.236712329, 5e-10);
  EXPECT_NEAR(terms.load.peak_mwp, 20.277777778, 5e-10);
  const auto time = warp_time(terms.load, Mode::paper);
  EXPECT_EQ(time.mwp, 2.28125);
  EXPECT_NEAR(time.cwp, 15.220779221, 5e-10);
  EXPECT_EQ(time.which_case, 2);
  EXPECT_NEAR(time.cycles(), 184012269.7618, 5e-5);
  EXPECT_NEAR(time.cycles() / 1.35e9 * 1e3, 136.305385, 5e-7);
}

TEST(WarpModel, NothingIsDividedByZero) {
  WarpLoad load;
  load.warps = 32, load.compute_cycles = 100, load.repetitions = 2;
  const auto no_memory = warp_time(load, Mode::guarded);
  EXPECT_EQ(no_memory.cycles(), 32 * 100 * 2);
  EXPECT_EQ(no_memory.bound, Bound::compute);
  load.compute_cycles = 0;
  EXPECT_EQ(warp_time(load, Mode::guarded).cycles(), 0);
  EXPECT_EQ(warp_time(load, Mode::guarded).cwp, 32);
  load.memory_instructions = 2, load.memory_latency = 400, load.memory_cycles = 800;
  for (const double delay : {0.0, 50.0, 1000.0}) {
    load.departure_delay = delay;
    const auto time = warp_time(load, Mode::guarded);
    EXPECT_TRUE(std::isfinite(time.cycles()));
    EXPECT_GE(time.mwp, 1);
    EXPECT_EQ(time.cwp, 32);
    EXPECT_GE(time.cycles(), 32 * 2 * delay * 2);
  }
}

TEST(WarpModel, TheGuardedTimeIsNeverBelowItsBounds) {
  WarpLoad load;
  for (const double warps : {1.0, 4.0, 64.0})
    for (const double compute : {0.0, 1.0, 50.0, 5000.0})
      for (const double memory : {1.0, 20.0})
        for (const double delay : {0.0, 3.0, 900.0}) {
          load.warps = warps, load.compute_cycles = compute, load.memory_instructions = memory;
          load.departure_delay = delay, load.memory_latency = 600, load.memory_cycles = 600 * memory;
          const auto time = warp_time(load, Mode::guarded);
          EXPECT_GE(time.execution, warps * compute);
          EXPECT_GE(time.execution, warps * memory * delay);
        }
}

} // namespace
} // namespace jitterscope::model
