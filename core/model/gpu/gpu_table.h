#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/gpu_specification.h"

namespace jitterscope::model {

/// GPUs that the model knows without a file. Latencies are means of MT4G's pointer chase, bandwidths of L2
/// those of MT4G, bandwidths of DRAM and sizes those of the vendors' data sheets; L1 moves the bytes a clock
/// that the architecture's documentation states. What is taken from another GPU is listed in `assumed`. A
/// MI250 or MI250X is two devices in traces: the entry is one of its dies.
const std::vector<GpuSpecification>& known_gpus();

/// By name, as people and tools write it: "A100-80", "nvidia h100 80gb hbm3", "mi300x"; the longest known
/// name that it holds. Errors: BadUse with the known names.
Expected<GpuSpecification> find_gpu(std::string_view name);

/// The same, null where none is known.
const GpuSpecification* known_gpu(std::string_view name);

/// A specification with what it does not know taken from the table where that knows the GPU, else assumed: an
/// L1 of 128 B a clock and multiprocessor (64 B of AMD), 64 resident warps (32). Each of these is listed in
/// `assumed`.
GpuSpecification completed(GpuSpecification gpu);

/// The specification with another bandwidth of DRAM [B/s], measured by a program.
GpuSpecification with_dram_bandwidth(GpuSpecification gpu, double bytes_per_second,
                                     const std::string& source);

} // namespace jitterscope::model
