#include "core/model/gpu/what_if.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/model/gpu/occupancy.h"

namespace jitterscope::model {
namespace {

/// Bytes that one thread moves per memory instruction with one transaction.
double bytes_of_thread(const GpuSpecification& gpu) {
  return gpu.levels.front().transaction / static_cast<double>(gpu.warp_size);
}

void move(const GpuSpecification& from, const GpuSpecification& to, KernelInputs& in) {
  in.issue_cycles = in.warps = kUnknownQuantity;
  if (from.name != to.name) in.clock_hz = kUnknownQuantity; // the same GPU keeps its recorded clock
  if (!from.levels.empty() && !to.levels.empty() && from.warp_size > 0 && to.warp_size > 0)
    in.transactions = std::max(1.0, in.transactions * bytes_of_thread(from) / bytes_of_thread(to));
  SmallVector<double> rates;
  for (std::size_t l = 0; l + 1 < std::min(to.levels.size(), kMaxLevels); ++l) {
    double rate = 0;
    for (std::size_t k = 0; k + 1 < from.levels.size() && k < in.hit_rates.size(); ++k)
      if (from.levels[k].name == to.levels[l].name) rate = in.hit_rates[k];
    rates.push_back(rate);
  }
  in.hit_rates = rates;
  if (from.vendor != to.vendor) in.data_path_cycles = kUnknownQuantity;
}

/// Bytes that reach DRAM according to the hit rates.
double bytes_by_hit_rates(const GpuSpecification& gpu, const KernelInputs& in) {
  if (gpu.levels.empty() || gpu.warp_size <= 0) return 0;
  double bytes = in.blocks * std::ceil(in.threads_per_block / static_cast<double>(gpu.warp_size)) *
                 in.memory_instructions * in.transactions * gpu.levels.back().transaction;
  for (const double rate : in.hit_rates) bytes *= 1 - rate;
  return bytes;
}

} // namespace

Expected<void> apply(const WhatIf& what_if, const GpuSpecification& recorded_on, KernelInputs& in,
                     LaunchFacts& facts) {
  const auto& gpu = what_if.gpu ? *what_if.gpu : recorded_on;
  if (what_if.gpu) move(recorded_on, gpu, in);
  if (what_if.threads_per_block) {
    const double block = *what_if.threads_per_block;
    const auto maximum = gpu.max_threads_per_block > 0 ? gpu.max_threads_per_block : 1024;
    if (!(block >= 1) || block > static_cast<double>(maximum) || block != std::floor(block))
      return failure(ErrorKind::BadUse, fmt::format("the GPU does not support a block of {} threads", block),
                     {}, "--what-if", fmt::format("Use a whole number from 1 to {}.", maximum));
    in.blocks = std::ceil(in.blocks * in.threads_per_block / block);
    in.threads_per_block = block;
    facts.shared_bytes *= block / facts.threads_per_block;
    facts.blocks = in.blocks, facts.threads_per_block = block;
  }
  if (what_if.gpu || what_if.threads_per_block)
    in.resident_blocks =
        resident_blocks(gpu, {facts.threads_per_block, facts.registers_per_thread, facts.shared_bytes});
  const double before = bytes_by_hit_rates(gpu, in);
  for (const auto& [level, rate] : what_if.hit_rates) {
    if (!(rate >= 0 && rate <= 1))
      return failure(ErrorKind::BadUse, "a hit rate must be between 0 and 1", {}, "--what-if");
    bool found = false;
    for (std::size_t l = 0; l + 1 < gpu.levels.size() && l < in.hit_rates.size(); ++l)
      if (gpu.levels[l].name == level) in.hit_rates[l] = rate, found = true;
    if (!found)
      return failure(ErrorKind::BadUse, fmt::format("{} has no cache {}", gpu.name, level), {}, "--what-if",
                     "Example: --what-if hit-rate=L2:0.9");
  }
  // The part of the counted bytes that the hit rates do not explain stays the same.
  if (!what_if.hit_rates.empty() && std::isfinite(in.dram_bytes))
    in.dram_bytes = std::max(0.0, in.dram_bytes + bytes_by_hit_rates(gpu, in) - before);
  return {};
}

} // namespace jitterscope::model
