#pragma once

#include <cstdint>

#include "core/base/gpu_specification.h"

namespace jitterscope::model {

/// What a block needs of its multiprocessor. 0: unknown or none.
struct BlockNeeds {
  double threads = 0;
  double registers_per_thread = 0;
  double shared_bytes = 0;
};

/// Resident blocks of a multiprocessor: the least of the limits by warps, blocks, registers and shared memory
/// that the specification knows; at least 1. Registers count for whole warps, without the rounding of an
/// architecture's allocator.
double resident_blocks(const GpuSpecification& gpu, const BlockNeeds& needs);

/// Cycles to issue an instruction of a warp: warp size over lanes, never below 1/4 (four schedulers); 1 where
/// the specification does not know its lanes (models.md 1.5).
double issue_cycles(const GpuSpecification& gpu);

} // namespace jitterscope::model
