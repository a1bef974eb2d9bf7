#include "core/model/gpu/warp_model.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::model {
namespace {

double memory_parallelism(const WarpLoad& load) {
  const double without_limit =
      load.departure_delay > 0 ? load.memory_latency / load.departure_delay : load.warps;
  return std::max(1.0, std::min({without_limit, load.peak_mwp, load.warps}));
}

double of_case(const WarpLoad& load, const WarpTime& time) {
  // If only some warps access memory, a warp has less than one memory instruction on average: its computation
  // is then one period.
  const double compute_each = load.compute_cycles / std::max(load.memory_instructions, 1.0);
  switch (time.which_case) {
  case 1:
    return load.memory_cycles + load.compute_cycles + compute_each * (time.mwp - 1);
  case 2:
    return load.memory_cycles * load.warps / time.mwp + compute_each * (time.mwp - 1);
  default:
    return load.memory_latency + load.compute_cycles * load.warps;
  }
}

Bound bound_of(const WarpLoad& load, const WarpTime& time) {
  if (time.floor_active)
    return load.compute_cycles >= load.memory_instructions * load.departure_delay ? Bound::compute
                                                                                  : Bound::bandwidth;
  if (time.which_case == 1) return Bound::latency;
  if (time.which_case == 2)
    return time.mwp < load.warps && load.departure_delay > 0 ? Bound::bandwidth : Bound::latency;
  return load.compute_cycles * load.warps >= load.memory_latency ? Bound::compute : Bound::latency;
}

} // namespace

const char* to_string(Bound bound) {
  switch (bound) {
  case Bound::latency:
    return "latency";
  case Bound::bandwidth:
    return "bandwidth";
  case Bound::compute:
    break;
  }
  return "compute";
}

WarpTime warp_time(const WarpLoad& load, Mode mode) {
  WarpTime time;
  const double n = load.warps;
  const bool memory = load.memory_instructions > 0;
  time.mwp = memory ? memory_parallelism(load) : n;
  time.cwp_full =
      load.compute_cycles > 0 ? (load.memory_cycles + load.compute_cycles) / load.compute_cycles : n;
  time.cwp = std::min(time.cwp_full, n);
  const bool clause = mode == Mode::paper && load.compute_cycles > load.memory_cycles;
  if (time.mwp == n && time.cwp == n)
    time.which_case = 1;
  else
    time.which_case = memory && (time.cwp >= time.mwp || clause) ? 2 : 3;
  if (!memory) {
    time.execution = n * load.compute_cycles;
    time.bound = Bound::compute;
  } else {
    time.execution = of_case(load, time);
    const double floor = n * std::max(load.compute_cycles, load.memory_instructions * load.departure_delay);
    time.floor_active = mode == Mode::guarded && floor > time.execution;
    if (time.floor_active) time.execution = floor;
    time.bound = bound_of(load, time);
  }
  time.execution *= load.repetitions;
  time.synchronisation = memory ? load.departure_delay * (time.mwp - 1) * load.synchronisations *
                                      load.active_blocks * load.repetitions
                                : 0;
  return time;
}

PaperTerms paper_terms(const PaperMachine& machine, const PaperKernel& kernel) {
  PaperTerms terms;
  auto& load = terms.load;
  const double memory = kernel.uncoalesced + kernel.coalesced;
  const double uncoalesced = memory > 0 ? kernel.uncoalesced / memory : 0;
  const double coalesced = memory > 0 ? kernel.coalesced / memory : 0;
  const double latency_uncoalesced =
      machine.latency + (machine.transactions_uncoalesced - 1) * machine.delay_uncoalesced;
  load.memory_latency = latency_uncoalesced * uncoalesced + machine.latency * coalesced;
  load.departure_delay = machine.delay_uncoalesced * machine.transactions_uncoalesced * uncoalesced +
                         machine.delay_coalesced * coalesced;
  load.memory_instructions = memory;
  load.memory_cycles = latency_uncoalesced * kernel.uncoalesced + machine.latency * kernel.coalesced;
  load.compute_cycles = machine.issue_cycles * (kernel.compute + memory);
  load.synchronisations = kernel.synchronisations;
  load.active_blocks = kernel.active_blocks;
  load.warps = kernel.active_blocks * std::ceil(kernel.threads_per_block / machine.threads_per_warp);
  load.repetitions = kernel.blocks / (kernel.active_blocks * machine.active_multiprocessors);
  if (memory > 0) {
    terms.mwp_without_bandwidth = load.memory_latency / load.departure_delay;
    terms.bandwidth_per_warp = machine.clock_ghz * machine.load_bytes_per_warp / load.memory_latency;
    load.peak_mwp = machine.bandwidth / (terms.bandwidth_per_warp * machine.active_multiprocessors);
  }
  return terms;
}

} // namespace jitterscope::model
