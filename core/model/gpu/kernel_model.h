#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/gpu_specification.h"
#include "core/model/gpu/cache_filter.h"
#include "core/model/gpu/pipes.h"
#include "core/model/gpu/warp_model.h"

namespace jitterscope::model {

/// Treatment of the last, partly filled wave of blocks.
enum class Repetition : std::uint8_t {
  real, ///< counts as a fraction of a wave, as in the paper
  waves ///< counts as a wave with its own number of resident blocks
};

/// Demands of one launch. Instructions are counted per warp.
struct KernelInputs {
  double blocks = 0;
  double threads_per_block = 0;
  double resident_blocks = 0;     ///< per multiprocessor, as occupancy allows
  double memory_instructions = 0; ///< M
  double compute_instructions = 0;
  double synchronisations = 0;
  double transactions = 1;       ///< s: transactions per memory instruction
  SmallVector<double> hit_rates; ///< by level except DRAM: hits / transactions that arrive there
  double tensor_share = 0;       ///< part of the instructions that use matrix units
  double tma_bytes = 0;          ///< read by the tensor memory accelerator, all warps together
  /// Bytes read from and written to DRAM, all warps together, counted: they replace the bytes that follow
  /// from the hit rates, which do not account for lines that are written back later or fetched in larger
  /// pieces.
  double dram_bytes = kUnknownQuantity;
  /// Cycles per warp that the data path of L1 and shared memory is busy, counted: they replace s · d of L1.
  double data_path_cycles = kUnknownQuantity;
  PipeCounts pipes;                       ///< work on pipes other than FP32, counted
  double clock_hz = kUnknownQuantity;     ///< measured; else that of the specification
  double issue_cycles = kUnknownQuantity; ///< refined per pipe; else that of the specification
  double warps = kUnknownQuantity;        ///< measured resident warps of a multiprocessor, replaces N
};

struct KernelOptions {
  Mode mode = Mode::guarded;
  Repetition repetition = Repetition::real;
  double kappa = 0;
};

/// Limitations of a prediction.
enum class KernelNote : std::uint8_t {
  tensor,            ///< matrix instructions are treated like others
  tma,               ///< TMA loads occupy L2 and DRAM; warps do not wait for them
  bandwidth_unknown, ///< a level's bandwidth is unknown: assumed to be unlimited
  level_left_out,    ///< a level's latency is unknown: it is left out
  resident_assumed   ///< resident blocks are unknown: 1 is assumed
};
std::string text_of(KernelNote note);

/// Predicted time of a launch with all terms of the model.
struct KernelPrediction {
  double seconds = 0;
  double cycles = 0;
  WarpTime time; ///< time of a full wave if waves are counted
  WarpLoad load;
  Filtered caches;
  SmallVector<std::string> levels; ///< names of the levels, near to far
  SmallVector<double> delays;      ///< d of each level: cycles between two transactions of a multiprocessor
  SmallVector<double> bytes;       ///< arriving at each level, all warps together
  double warps_in_all = 0;         ///< W
  double clock_hz = 0;
  double waves = 0;           ///< Blocks / (resident blocks · multiprocessors)
  double pipe_cycles = 0;     ///< cycles of the busiest pipe for one warp: lower bound of Comp_cycles
  double dispatch_cycles = 0; ///< cycles to start all blocks: lower bound of the time; 0 if unknown
  double launch_seconds = 0;  ///< time of a kernel that does nothing, added to the prediction; 0 if unknown
  double dram_bytes_by_hit_rates = 0; ///< `bytes` of DRAM by the hit rates, even if bytes were counted
  SmallVector<KernelNote> notes;
  /// "compute", "latency", "dispatch" or the name of the level whose bandwidth is the bottleneck.
  std::string bottleneck() const;
};

/// Time of a launch by the model of Hong and Kim (warp_time) with cache levels (filter_caches). Errors:
/// BadUse for counts that are negative or not finite; for hit rates outside 0 … 1, or too few of them; for a
/// specification without clock, multiprocessors, warp size or latency of DRAM, or with more than kMaxLevels
/// levels. Counted quantities (DRAM bytes, cycles of the data path and of pipes) replace or bound the
/// quantities that the counts imply. PipeRates contains the time to start the blocks and the time of an empty
/// kernel.
Expected<KernelPrediction> predict_kernel(const GpuSpecification& gpu, const KernelInputs& inputs,
                                          const KernelOptions& options = {});

/// Time of the roofline model [s]: the maximum of issuing all instructions at full rate and moving the bytes
/// that reach DRAM at its bandwidth. It is the simplest baseline.
double roofline_seconds(const GpuSpecification& gpu, const KernelPrediction& prediction);

} // namespace jitterscope::model
