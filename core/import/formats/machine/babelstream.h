#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/network_measurement.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import::machine {

/// Best bandwidths of every function in outputs of BabelStream (formerly GPU-STREAM; also its --csv) and of
/// STREAM, which may contain other text. 1 MB = 10⁶ B. The device of STREAM is "host". Errors: BadInput
/// without any.
Expected<std::vector<BandwidthMeasurement>> babelstream_of(std::string_view text,
                                                           store::ImportReport& report);

/// The first line of `babelstream --csv`.
inline constexpr std::string_view kBabelStreamCsv =
    "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime";

} // namespace jitterscope::import::machine
