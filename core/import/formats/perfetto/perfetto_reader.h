#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::perfetto {

/// Traces of Perfetto in protobuf (.pftrace, .perfetto-trace): track events with their tracks, as written by
/// rocprofv3, rocprofiler-systems and programs with Perfetto's SDK. Kernels, copies and calls are recognised
/// by the categories that these tools assign.
extern const Reader kReader;

} // namespace jitterscope::import::perfetto
