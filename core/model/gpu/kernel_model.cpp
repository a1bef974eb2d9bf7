#include "core/model/gpu/kernel_model.h"

#include <algorithm>
#include <cmath>

#include "core/model/gpu/occupancy.h"

namespace jitterscope::model {
namespace {

tl::unexpected<Error> refuse(const std::string& message) {
  return failure(ErrorKind::BadUse, message);
}

bool is_count(double value) {
  return std::isfinite(value) && value >= 0;
}

Expected<void> check(const GpuSpecification& gpu, const KernelInputs& in) {
  for (const double value : {in.blocks, in.threads_per_block, in.resident_blocks, in.memory_instructions,
                             in.compute_instructions, in.synchronisations, in.transactions, in.tma_bytes})
    if (!is_count(value)) return refuse("a count of the kernel is negative or not a number");
  if (in.blocks <= 0 || in.threads_per_block <= 0) return refuse("the launch has no blocks or threads");
  if (gpu.multiprocessors <= 0 || gpu.warp_size <= 0)
    return refuse("the GPU specification lacks multiprocessors or warp size");
  if (!(gpu.clock_hz > 0) && !(in.clock_hz > 0)) return refuse("the GPU specification lacks a clock");
  if (gpu.levels.empty() || !std::isfinite(gpu.levels.back().latency))
    return refuse("the GPU specification lacks the latency of its memory");
  if (gpu.levels.size() > kMaxLevels) return refuse("the GPU specification has more than 8 memory levels");
  if (in.hit_rates.size() + 1 < gpu.levels.size()) return refuse("a hit rate is missing");
  for (const double rate : in.hit_rates)
    if (!(rate >= 0 && rate <= 1)) return refuse("a hit rate is outside 0 to 1");
  return {};
}

void note(KernelPrediction& out, KernelNote what) {
  if (std::find(out.notes.begin(), out.notes.end(), what) == out.notes.end()) out.notes.push_back(what);
}

/// Levels of known latency. Hits in a level that is left out go to the next level.
struct UsedLevels {
  SmallVector<FilterLevel> levels;
  SmallVector<double> hit_rates, transaction;
};

/// Bandwidth of a level at the clock of the launch [B/s]. L1 is part of the multiprocessor and moves a
/// constant number of bytes per cycle; the bandwidths of the other levels do not depend on the clock.
double bandwidth_at_clock(const GpuSpecification& gpu, std::size_t level, double clock_hz) {
  const double bandwidth = gpu.levels[level].bandwidth;
  const bool in_multiprocessor = level == 0 && gpu.levels.size() > 1;
  return in_multiprocessor && gpu.clock_hz > 0 ? bandwidth * (clock_hz / gpu.clock_hz) : bandwidth;
}

UsedLevels used_levels(const GpuSpecification& gpu, const KernelInputs& in, KernelPrediction& out) {
  UsedLevels used;
  for (std::size_t l = 0; l < gpu.levels.size(); ++l) {
    const auto& level = gpu.levels[l];
    if (!std::isfinite(level.latency)) {
      note(out, KernelNote::level_left_out);
      continue;
    }
    double delay = 0;
    const double bandwidth = bandwidth_at_clock(gpu, l, out.clock_hz);
    if (bandwidth > 0)
      delay = level.transaction * out.clock_hz * static_cast<double>(gpu.multiprocessors) / bandwidth;
    else
      note(out, KernelNote::bandwidth_unknown);
    used.levels.push_back({level.latency, delay});
    out.delays.push_back(delay);
    used.transaction.push_back(level.transaction);
    out.levels.push_back(level.name);
    if (l + 1 < gpu.levels.size()) used.hit_rates.push_back(in.hit_rates[l]);
  }
  return used;
}

/// TMA loads do not stop the warp: a kernel that loads only with TMA waits once, for the first data.
struct MemoryCounts {
  double instructions = 0, transactions = 1;
};
MemoryCounts memory_counts(const KernelInputs& in) {
  if (in.memory_instructions <= 0 && in.tma_bytes > 0) return {1, 0};
  return {in.memory_instructions, in.transactions};
}

WarpLoad load_of(const GpuSpecification& gpu, const KernelInputs& in, const MemoryCounts& memory,
                 const Filtered& caches) {
  WarpLoad load;
  load.memory_latency = caches.memory_latency;
  load.departure_delay = caches.departure_delay;
  load.memory_instructions = memory.instructions;
  load.memory_cycles = memory.instructions * caches.memory_latency;
  const double issue = in.issue_cycles > 0 ? in.issue_cycles : issue_cycles(gpu);
  load.compute_cycles =
      std::max(issue * (in.compute_instructions + memory.instructions), busiest_pipe_cycles(gpu, in.pipes));
  if (memory.instructions == 0 && in.data_path_cycles > 0) // the data path serves only shared memory
    load.compute_cycles = std::max(load.compute_cycles, in.data_path_cycles);
  load.synchronisations = in.synchronisations;
  return load;
}

/// Adds TMA transactions, which bypass L1, to the occupation of the other levels.
void add_tma(const KernelInputs& in, const MemoryCounts& memory, const UsedLevels& used,
             KernelPrediction& out) {
  double bytes = in.tma_bytes / out.warps_in_all / memory.instructions;
  for (std::size_t l = 1; l < used.levels.size(); ++l) {
    out.caches.occupied[l] += bytes / used.transaction[l] * used.levels[l].delay;
    if (l + 1 < used.levels.size()) bytes *= 1 - used.hit_rates[l];
  }
}

/// Replaces the occupation of L1 and of DRAM by the occupation that follows from counters, if recorded.
void use_counted(const KernelInputs& in, const MemoryCounts& memory, const UsedLevels& used,
                 KernelPrediction& out) {
  auto& occupied = out.caches.occupied;
  const auto last = used.levels.size() - 1;
  if (is_count(in.data_path_cycles) && out.levels[0] == "L1")
    occupied[0] = in.data_path_cycles / memory.instructions;
  if (is_count(in.dram_bytes))
    occupied[last] = in.dram_bytes / used.transaction[last] / out.warps_in_all / memory.instructions *
                     used.levels[last].delay;
}

/// Occupation of the levels by everything that moves through them, and the slowest level.
void occupy(const KernelInputs& in, const MemoryCounts& memory, const UsedLevels& used,
            KernelPrediction& out) {
  if (memory.instructions <= 0) return;
  if (in.tma_bytes > 0) add_tma(in, memory, used, out);
  use_counted(in, memory, used, out);
  auto& caches = out.caches;
  const auto* slowest = std::max_element(caches.occupied.begin(), caches.occupied.end());
  caches.slowest = static_cast<std::size_t>(slowest - caches.occupied.begin());
  caches.departure_delay = *slowest;
}

double warps_of_block(const GpuSpecification& gpu, const KernelInputs& in) {
  return std::ceil(in.threads_per_block / static_cast<double>(gpu.warp_size));
}

void set_blocks(WarpLoad& load, const GpuSpecification& gpu, const KernelInputs& in, double blocks) {
  load.active_blocks = blocks;
  load.warps = blocks * warps_of_block(gpu, in);
}

/// Predicts all waves together, with the last one as a fraction of a wave.
void run_real(const GpuSpecification& gpu, const KernelInputs& in, double resident, Mode mode,
              KernelPrediction& out) {
  const double active = std::min(static_cast<double>(gpu.multiprocessors), in.blocks);
  set_blocks(out.load, gpu, in, resident);
  if (in.warps > 0) out.load.warps = std::max(1.0, in.warps);
  out.load.repetitions = in.blocks / (resident * active);
  out.time = warp_time(out.load, mode);
  out.cycles = out.time.cycles();
}

/// Predicts the full waves, and one wave of the remaining blocks.
void run_waves(const GpuSpecification& gpu, const KernelInputs& in, double resident, Mode mode,
               KernelPrediction& out) {
  const auto all = static_cast<double>(gpu.multiprocessors);
  const double full = std::floor(in.blocks / (resident * all)), tail = in.blocks - full * resident * all;
  set_blocks(out.load, gpu, in, resident);
  out.load.repetitions = 1;
  if (full > 0) {
    out.time = warp_time(out.load, mode);
    out.cycles = full * out.time.cycles();
  }
  if (tail <= 0) return;
  WarpLoad last = out.load;
  set_blocks(last, gpu, in, std::ceil(tail / all));
  const auto time = warp_time(last, mode);
  out.cycles += time.cycles();
  if (full > 0) return;
  out.load = last;
  out.time = time;
}

} // namespace

std::string text_of(KernelNote note) {
  switch (note) {
  case KernelNote::tensor:
    return "matrix instructions are modelled like other instructions: their operations were not counted";
  case KernelNote::tma:
    return "loads of the tensor memory accelerator occupy L2 and memory, but no warp waits for them";
  case KernelNote::bandwidth_unknown:
    return "the bandwidth of a memory level is unknown and is assumed to be unlimited";
  case KernelNote::level_left_out:
    return "a memory level is left out because its latency is unknown";
  case KernelNote::resident_assumed:
    break;
  }
  return "the number of resident blocks is unknown; 1 is assumed";
}

std::string KernelPrediction::bottleneck() const {
  if (dispatch_cycles > 0 && dispatch_cycles >= cycles) return "dispatch";
  if (time.bound != Bound::bandwidth) return to_string(time.bound);
  return caches.slowest < levels.size() ? levels[caches.slowest] : to_string(time.bound);
}

Expected<KernelPrediction> predict_kernel(const GpuSpecification& gpu, const KernelInputs& in,
                                          const KernelOptions& options) {
  if (auto good = check(gpu, in); !good) return forward(good.error());
  KernelPrediction out;
  out.clock_hz = in.clock_hz > 0 ? in.clock_hz : gpu.clock_hz;
  out.warps_in_all = in.blocks * warps_of_block(gpu, in);
  if (in.resident_blocks < 1) note(out, KernelNote::resident_assumed);
  if (in.tensor_share > 0 && !in.pipes.counts_matrices()) note(out, KernelNote::tensor);
  if (in.tma_bytes > 0) note(out, KernelNote::tma);
  const auto used = used_levels(gpu, in, out);
  const auto memory = memory_counts(in);
  out.caches =
      filter_caches({used.levels.data(), used.levels.size()}, {used.hit_rates.data(), used.hit_rates.size()},
                    memory.transactions, options.kappa);
  occupy(in, memory, used, out);
  out.pipe_cycles = busiest_pipe_cycles(gpu, in.pipes);
  out.load = load_of(gpu, in, memory, out.caches);
  const double fair = std::ceil(in.blocks / static_cast<double>(gpu.multiprocessors));
  const double resident = std::max(1.0, std::min(in.resident_blocks, fair));
  out.waves = in.blocks / (resident * static_cast<double>(gpu.multiprocessors));
  if (options.repetition == Repetition::real)
    run_real(gpu, in, resident, options.mode, out);
  else
    run_waves(gpu, in, resident, options.mode, out);
  double tma = in.tma_bytes;
  for (std::size_t l = 0; l < used.levels.size(); ++l) {
    out.bytes.push_back(memory.instructions * memory.transactions * out.caches.reach[l] *
                            used.transaction[l] * out.warps_in_all +
                        (l > 0 ? tma : 0));
    if (l > 0 && l + 1 < used.levels.size()) tma *= 1 - used.hit_rates[l];
  }
  out.dram_bytes_by_hit_rates = out.bytes.back();
  if (is_count(in.dram_bytes)) out.bytes[out.bytes.size() - 1] = in.dram_bytes;
  const auto& rates = pipe_rates(gpu);
  if (rates.blocks > 0) out.dispatch_cycles = in.blocks / rates.blocks;
  out.launch_seconds = rates.launch_seconds;
  out.cycles = std::max(out.cycles, out.dispatch_cycles);
  out.seconds = out.cycles / out.clock_hz + out.launch_seconds;
  return out;
}

double roofline_seconds(const GpuSpecification& gpu, const KernelPrediction& prediction) {
  const double issuing = prediction.load.compute_cycles * prediction.warps_in_all /
                         static_cast<double>(gpu.multiprocessors) / prediction.clock_hz;
  const double bandwidth = gpu.levels.back().bandwidth;
  const double moving = bandwidth > 0 && !prediction.bytes.empty() ? prediction.bytes.back() / bandwidth : 0;
  return std::max(issuing, moving);
}

} // namespace jitterscope::model
