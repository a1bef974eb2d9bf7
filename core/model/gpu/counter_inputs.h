#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu/kernel_model.h"

namespace jitterscope::model {

/// The tool that recorded a launch's counters.
enum class CounterTool : std::uint8_t {
  ncu,    ///< Nsight Compute
  rocprof ///< rocprof and tools based on it
};

/// A counter, under the name that its tool uses.
struct CounterNeed {
  std::string_view metric;
  /// Needs with the same alternative number replace each other: one suffices. 0: useful, but optional.
  int alternative = 0;
};

/// Counters for predicting a launch, in the order in which inputs_of() takes their values.
std::span<const CounterNeed> needs_of(CounterTool tool);

/// Column name of a metric in a store: lower case, '_' for everything that is not a letter or digit.
std::string column_of(std::string_view metric);

/// Required metrics that are missing; empty if a launch can be predicted. `there`: by need, whether it is
/// recorded.
std::vector<std::string> missing_of(CounterTool tool, const std::vector<bool>& there);

/// Command that records all required metrics: "ncu --csv --page raw --print-units base --metrics … PROGRAM",
/// or the corresponding command of rocprof-compute.
std::string how_to_record(CounterTool tool);

/// Data of a launch's row other than counters; 0 if unknown.
struct LaunchFacts {
  double blocks = 0, threads_per_block = 0;
  double registers_per_thread = 0;
  double shared_bytes = 0; ///< shared memory per block
};

struct CounterInputs {
  KernelInputs kernel;
  /// Floating-point operations of all precisions: additions, multiplications, 2 for each fused multiply-add,
  /// operations of AMD's matrix units; NaN if none of these counters was recorded.
  double flops = kUnknownQuantity;
};

/// Inputs of one launch. `values`: by needs_of(), NaN if missing. Counts are divided by the number of
/// launched warps; h1 counts stores of NVIDIA GPUs as misses. Hit rates of an L3 have no counter and are 0.
/// Errors: BadUse with the name of the first counter that this launch lacks, or without its grid, block or
/// waves.
Expected<CounterInputs> inputs_of(CounterTool tool, const GpuSpecification& gpu, const LaunchFacts& facts,
                                  std::span<const double> values);

} // namespace jitterscope::model
