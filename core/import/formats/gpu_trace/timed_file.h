#pragma once

#include "core/base/error.h"
#include "core/import/formats/gpu_trace/tables.h"
#include "core/import/input/input.h"
#include "core/import/records/reader.h"

namespace jitterscope::import::gpu_trace {

/// Reads the timeline tables in one file; there may be several, with status lines between them. Errors:
/// BadInput, Cancelled.
Expected<void> read_timed_file(const Input& input, Tables& tables, const Progress& progress);

} // namespace jitterscope::import::gpu_trace
