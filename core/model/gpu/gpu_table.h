#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/gpu_specification.h"

namespace jitterscope::model {

/// The built-in table of GPUs. Latencies are means of MT4G's pointer chase, L2 bandwidths those of MT4G, DRAM
/// bandwidths and sizes those of the vendors' data sheets (H100 SXM: DRAM bandwidth measured); L1 bandwidths
/// (bytes per clock) those of the architecture's documentation. Values taken from another GPU are listed in
/// `assumed`. A MI250 or MI250X is two devices in traces: the entry is one of its dies.
const std::vector<GpuSpecification>& known_gpus();

/// Finds a GPU by a name as written by people and tools: "A100-80", "nvidia h100 80gb hbm3", "mi300x". The
/// longest known name contained in `name` is used. Errors: BadUse with the known names.
Expected<GpuSpecification> find_gpu(std::string_view name);

/// Same as find_gpu(), but returns null if no GPU is found.
const GpuSpecification* known_gpu(std::string_view name);

/// Fills in unknown values of a specification, from the table if the GPU is in it, else by assumption: 64
/// lanes, 64 resident warps (32 for AMD), an L1 of 128 B per clock and multiprocessor (64 B for AMD). Every
/// value filled in is listed in `assumed`.
GpuSpecification completed(GpuSpecification gpu);

/// The specification with another DRAM bandwidth [B/s], measured by a program.
GpuSpecification with_dram_bandwidth(GpuSpecification gpu, double bytes_per_second,
                                     const std::string& source);

} // namespace jitterscope::model
