#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu/kernel_model.h"

namespace jitterscope::model {

/// Whose counters a launch has.
enum class CounterTool : std::uint8_t {
  ncu,    ///< Nsight Compute, models.md 1.5
  rocprof ///< rocprof and what is built on it, models.md 1.6
};

/// A counter as its tool names it.
struct CounterNeed {
  std::string_view metric;
  /// Needs of one alternative number replace each other: one of them suffices. 0: helps, but is not needed.
  int alternative = 0;
};

/// Counters that a launch is predicted from, in the order in which inputs_of() takes their values.
std::span<const CounterNeed> needs_of(CounterTool tool);

/// The metric as a column of a store is named: lower case, one '_' for everything else.
std::string column_of(std::string_view metric);

/// Metrics that are needed and not there; empty when a launch can be predicted. `there`: for each need.
std::vector<std::string> missing_of(CounterTool tool, const std::vector<bool>& there);

/// "ncu --csv --page raw --print-units base --metrics … PROGRAM", or the same of rocprof-compute: what
/// records all that is needed.
std::string how_to_record(CounterTool tool);

/// What a launch's row says beside counters; 0 unknown.
struct LaunchFacts {
  double blocks = 0, threads_per_block = 0;
  double registers_per_thread = 0;
  double shared_bytes = 0; ///< of a block
};

struct CounterInputs {
  KernelInputs kernel;
  double dram_bytes = kUnknownQuantity; ///< counted, for comparison with the model's; NaN where not recorded
  /// Floating-point operations of all precisions: additions, multiplications, 2 for each fused one,
  /// operations of AMD's matrix units; NaN where none of these counters was recorded.
  double flops = kUnknownQuantity;
};

/// Inputs of one launch. `values`: for each of needs_of(), NaN where missing. Counts are divided by the warps
/// launched; h1 counts stores of NVIDIA GPUs as misses. Rates of a L3 have no counter and are 0. Errors:
/// BadUse with the name of the first counter that this launch lacks.
Expected<CounterInputs> inputs_of(CounterTool tool, const GpuSpecification& gpu, const LaunchFacts& facts,
                                  std::span<const double> values);

} // namespace jitterscope::model
