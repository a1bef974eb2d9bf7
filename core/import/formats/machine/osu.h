#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/network_measurement.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import::machine {

/// Runs of OSU micro-benchmarks in a text, which may contain other output around them. One measurement for
/// each header line "# OSU …" with rows; runs without rows are reported. The value of a row is its second
/// column; for non-blocking collectives the pure communication. 1 MB = 10⁶ B. The memory of the buffers (host
/// or device) is taken from the output, else from a command line in it, else from `file_name`; the distance
/// of the processes is taken from `file_name`. Errors: BadInput where no run has rows.
Expected<std::vector<NetworkMeasurement>> osu_of(std::string_view text, std::string_view file_name,
                                                 store::ImportReport& report);

} // namespace jitterscope::import::machine
