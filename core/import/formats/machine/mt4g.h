#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/base/gpu_specification.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import::machine {

/// The result of MT4G since its rewrite of 2025: one JSON object. Benchmarked values with a confidence below
/// 0.5 are left out and counted; values that HIP reports wrongly are repaired. MT4G measures no L1 bandwidth.
/// Errors: BadInput where the text is not a result of MT4G.
Expected<GpuSpecification> mt4g_of_json(std::string_view text, store::ImportReport& report);

/// The text output of MT4G of 2022: lines "SECTION; key; value; unit; key; …". It has no bandwidths.
/// Errors: BadInput where it has no name of a GPU or no number of multiprocessors.
Expected<GpuSpecification> mt4g_of_2022(std::string_view text, store::ImportReport& report);

} // namespace jitterscope::import::machine
