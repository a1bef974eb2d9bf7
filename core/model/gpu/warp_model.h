#pragma once

#include <cstdint>
#include <limits>

namespace jitterscope::model {

/// Interpretation of the cases of the warp model.
enum class Mode : std::uint8_t {
  paper,  ///< literally, for comparison with published numbers
  guarded ///< without the clause that makes compute-bound kernels too fast, and with a lower bound
};

/// Workload of one multiprocessor, in the symbols of S. Hong and H. Kim, "An analytical model for a GPU
/// architecture with memory-level and thread-level parallelism awareness", ISCA 2009. Counts are per warp.
struct WarpLoad {
  double memory_latency = 0;      ///< Mem_L: of one memory instruction [cycles]
  double departure_delay = 0;     ///< between two memory instructions of a multiprocessor [cycles]
  double memory_instructions = 0; ///< Mem_insts
  double memory_cycles = 0;       ///< Mem_cycles
  double compute_cycles = 0;      ///< Comp_cycles: of all instructions, those of memory included
  double synchronisations = 0;    ///< Synch_insts
  double warps = 1;               ///< N: warps resident on a multiprocessor
  double active_blocks = 1;       ///< blocks resident on a multiprocessor
  double repetitions = 1;         ///< Rep: how often all multiprocessors are filled
  double peak_mwp =
      std::numeric_limits<double>::infinity(); ///< MWP_peak_BW; infinite if the delays already include it
};

/// Bottleneck of a kernel.
enum class Bound : std::uint8_t {
  compute,  ///< issuing instructions
  latency,  ///< too few warps to hide the memory's latency
  bandwidth ///< the bandwidth of a memory level
};
const char* to_string(Bound bound);

struct WarpTime {
  int which_case = 0;                    ///< 1, 2 or 3 of the paper
  double mwp = 0, cwp_full = 0, cwp = 0; ///< memory and computation warp parallelism
  double execution = 0;                  ///< Exec [cycles]
  double synchronisation = 0;            ///< Synch_cost [cycles]
  Bound bound = Bound::compute;
  bool floor_active = false; ///< the lower bound of Mode::guarded was effective
  double cycles() const { return execution + synchronisation; }
};

/// Time of a kernel by Hong and Kim (2009). In both modes MWP >= 1, a kernel without memory instructions
/// takes N · Comp_cycles · Rep, and one without computation has CWP = N. Mode::guarded drops the clause `or
/// Comp_cycles > Mem_cycles` of case 2 and bounds Exec below by
/// max(N · Comp_cycles, N · Mem_insts · Departure_delay) · Rep.
WarpTime warp_time(const WarpLoad& load, Mode mode);

/// Parameters of the machine and the kernel as the paper names them; counts per thread.
struct PaperMachine {
  double clock_ghz = 1;
  double bandwidth = 80;                              ///< Mem_Bandwidth [GB/s]
  double latency = 420;                               ///< Mem_LD [cycles]
  double delay_uncoalesced = 10, delay_coalesced = 4; ///< Departure_del_* [cycles]
  double transactions_uncoalesced = 32;               ///< Uncoal_per_mw
  double issue_cycles = 4;
  double active_multiprocessors = 16;
  double threads_per_warp = 32;
  double load_bytes_per_warp = 128;
};
struct PaperKernel {
  double compute = 0, uncoalesced = 0, coalesced = 0, synchronisations = 0; ///< instructions
  double threads_per_block = 128, blocks = 80, active_blocks = 5;
};
struct PaperTerms {
  WarpLoad load;
  double mwp_without_bandwidth = 0; ///< MWP_Without_BW_full
  double bandwidth_per_warp = 0;    ///< BW_per_warp [GB/s]
};

/// Terms of the paper that decide between its three cases.
PaperTerms paper_terms(const PaperMachine& machine, const PaperKernel& kernel);

} // namespace jitterscope::model
