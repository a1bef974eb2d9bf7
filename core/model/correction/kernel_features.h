#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::model {

/// Names of the features that corrections of kernels learn from (models.md section 4): terms of the model,
/// counts of the launch and, for several GPUs, the specification. The kernel's name is none: it is the group
/// of validation.
const std::vector<std::string>& kernel_feature_names();

/// Which of them describe the GPU: its multiprocessors, warp size and latencies.
std::vector<std::size_t> kernel_machine_features();

/// Kernels of one family are the same code with other numbers: the name with '#' for every number in it
/// ("gemm<float, 128, 8u>" is of the family "gemm<float, #, #u>").
std::string family_of(std::string_view kernel);

/// Their values for one launch, in the order of the names; logarithms of sizes and counts. NaN where unknown.
std::vector<double> kernel_features(const GpuSpecification& gpu, const KernelInputs& inputs,
                                    const LaunchFacts& facts, const KernelPrediction& prediction);

} // namespace jitterscope::model
