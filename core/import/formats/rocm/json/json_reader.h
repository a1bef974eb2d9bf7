#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::rocm {

/// JSON of rocprofv3 ({"rocprofiler-sdk-tool":[…]}), one element per process. The file is read up to
/// three times, as its tables may come after the records that need them: tables, traces, counters.
extern const Reader kJsonReader;

} // namespace jitterscope::import::rocm
