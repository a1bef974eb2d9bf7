#pragma once

#include "core/base/gpu_specification.h"

namespace jitterscope::model {

/// Work of a launch on the pipes of a multiprocessor other than FP32: instructions per warp, and operations
/// of the matrix units per warp (a multiply-add is two). 0 if not recorded.
struct PipeCounts {
  double fp64 = 0;           ///< FP64 instructions
  double integer = 0;        ///< instructions of the ALU: integer, comparison, logic
  double transcendental = 0; ///< instructions of the XU: reciprocal, square root, exponential, conversion
  double matrix_half = 0;    ///< operations on FP16 and BF16
  double matrix_tf32 = 0;    ///< operations on TF32
  double matrix_fp64 = 0;    ///< operations on FP64
  double matrix_byte = 0;    ///< operations on FP8 and INT8
  bool counts_matrices() const { return matrix_half + matrix_tf32 + matrix_fp64 + matrix_byte > 0; }
};

/// Rates of one multiprocessor per cycle. Sources: throughput table of the CUDA C++ Programming Guide
/// ("Arithmetic Instructions"), white papers of the architectures for matrix units (dense matrices).
struct PipeRates {
  double fp64 = 0, integer = 0, transcendental = 0;                          ///< lanes per cycle
  double matrix_half = 0, matrix_tf32 = 0, matrix_fp64 = 0, matrix_byte = 0; ///< operations per cycle
  double blocks = 0;         ///< blocks that the whole GPU starts per cycle, as measured; 0 if unknown
  double launch_seconds = 0; ///< duration of a kernel that does nothing, as measured; 0 if unknown
};

/// Rates of a GPU of the table of known GPUs; all 0 for another GPU, whose pipes then do not limit.
const PipeRates& pipe_rates(const GpuSpecification& gpu);

/// Cycles that the busiest pipe needs for one warp; 0 if no pipe was recorded or no rate is known.
double busiest_pipe_cycles(const GpuSpecification& gpu, const PipeCounts& counts);

} // namespace jitterscope::model
