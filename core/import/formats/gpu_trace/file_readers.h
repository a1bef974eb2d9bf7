#pragma once

#include "core/import/formats/gpu_trace/tables.h"
#include "core/import/formats/gpu_trace/titles.h"
#include "core/import/records/reader.h"

namespace jitterscope::import::gpu_trace {

/// Reads the timeline tables in one file; there may be several, with status lines between them. Errors:
/// BadInput, Cancelled.
Expected<void> read_timed_file(const Input& input, Tables& tables, const Progress& progress);

/// nvprof --metrics … --csv and --events … --csv: one metric or event of one kernel per row, with its
/// minimum, maximum and mean over all launches.
bool is_nvprof_sums(const Titles& titles);

/// Reads the table: every kernel of every device becomes one row. Errors: BadInput, Cancelled.
Expected<void> read_nvprof_sums(const Input& input, char separator, Draft& draft, RowIssues& issues,
                                const Progress& progress);

} // namespace jitterscope::import::gpu_trace
