#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::model {

/// Changes to a launch for a what-if prediction.
struct WhatIf {
  std::optional<GpuSpecification> gpu;
  std::optional<double> threads_per_block; ///< the total number of threads stays the same
  std::map<std::string, double> hit_rates; ///< hit rate by the name of a level, 0 … 1

  bool nothing() const { return !gpu && !threads_per_block && hit_rates.empty(); }
};

/// Applies the changes to inputs and facts. Another GPU, by name, has its own clock and occupancy;
/// instructions and bytes per thread stay the same (transactions change accordingly), and so do hit rates.
/// Errors: BadUse for a level that the GPU does not have, a rate outside 0 … 1, and a block that the GPU does
/// not support.
Expected<void> apply(const WhatIf& what_if, const GpuSpecification& recorded_on, KernelInputs& inputs,
                     LaunchFacts& facts);

} // namespace jitterscope::model
