#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::model {

/// A launch as it would be with other choices.
struct WhatIf {
  std::optional<GpuSpecification> gpu;
  std::optional<double> threads_per_block; ///< the number of threads in all stays
  std::map<std::string, double> hit_rates; ///< by the name of a level, 0 … 1

  bool nothing() const { return !gpu && !threads_per_block && hit_rates.empty(); }
};

/// Changes inputs and facts. On another GPU: its clock, its occupancy, instructions of a thread as before,
/// transactions by the bytes that a thread moves, hit rates as measured. Errors: BadUse for a level that the
/// GPU does not have, a rate outside 0 … 1, and a block that the GPU does not take.
Expected<void> apply(const WhatIf& what_if, const GpuSpecification& recorded_on, KernelInputs& inputs,
                     LaunchFacts& facts);

} // namespace jitterscope::model
