#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/gpu/counter_inputs.h"

namespace jitterscope::model {

/// Names of the features of kernel corrections: terms of the model, counts of the launch and, for several
/// GPUs, the specification. The kernel's name is not a feature: it is the group in the validation.
const std::vector<std::string>& kernel_feature_names();

/// Indices of the features that describe the GPU: its multiprocessors, warp size and latencies.
std::vector<std::size_t> kernel_machine_features();

/// Family of a kernel: the same code with other numbers, named with '#' for every number in the name
/// ("gemm<float, 128, 8u>" is of the family "gemm<float, #, #u>").
std::string family_of(std::string_view kernel);

/// Feature values of one launch, in the order of the names; logarithms of sizes and counts. NaN if unknown.
std::vector<double> kernel_features(const GpuSpecification& gpu, const KernelInputs& inputs,
                                    const LaunchFacts& facts, const KernelPrediction& prediction);

} // namespace jitterscope::model
