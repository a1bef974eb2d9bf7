#pragma once

#include <cstdint>

#include "core/base/gpu_specification.h"

namespace jitterscope::model {

/// Resources of a multiprocessor that a block needs. 0: unknown or none.
struct BlockNeeds {
  double threads = 0;
  double registers_per_thread = 0;
  double shared_bytes = 0;
};

/// Resident blocks of a multiprocessor: the minimum of the limits by warps, blocks, registers and shared
/// memory that the specification states; at least 1. On NVIDIA GPUs registers are allocated in units of 256
/// for each warp, within one of the four partitions of a multiprocessor, and shared memory in units of 128 B
/// with 1 KiB for the driver (256 B and none before compute capability 8.0), as the occupancy calculator of
/// CUDA (cuda_occupancy.h) does; elsewhere nothing is rounded.
double resident_blocks(const GpuSpecification& gpu, const BlockNeeds& needs);

/// Cycles to issue an instruction of a warp: warp size divided by lanes, at least 1/4 (four schedulers); 1 if
/// the specification does not state its lanes.
double issue_cycles(const GpuSpecification& gpu);

} // namespace jitterscope::model
