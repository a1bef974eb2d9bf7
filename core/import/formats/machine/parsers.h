#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/gpu_specification.h"
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

/// Runs of OSU micro-benchmarks in a text, which may contain other output around them. One measurement for
/// each header line "# OSU …" with rows; runs without rows are reported. The value of a row is its second
/// column; for non-blocking collectives the pure communication. 1 MB = 10⁶ B. The memory of the buffers (host
/// or device) is taken from the output, else from a command line in it, else from `file_name`; the distance
/// of the processes is taken from `file_name`. Errors: BadInput where no run has rows.
Expected<std::vector<NetworkMeasurement>> osu_of(std::string_view text, std::string_view file_name,
                                                 store::ImportReport& report);

/// The result of MT4G since its rewrite of 2025: one JSON object. Benchmarked values with a confidence below
/// 0.5 are left out and counted; values that HIP reports wrongly are repaired. MT4G measures no L1 bandwidth.
/// Errors: BadInput where the text is not a result of MT4G.
Expected<GpuSpecification> mt4g_of_json(std::string_view text, store::ImportReport& report);

/// The text output of MT4G of 2022: lines "SECTION; key; value; unit; key; …". It has no bandwidths.
/// Errors: BadInput where it has no name of a GPU or no number of multiprocessors.
Expected<GpuSpecification> mt4g_of_2022(std::string_view text, store::ImportReport& report);

} // namespace jitterscope::import::machine
