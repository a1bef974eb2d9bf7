#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::rocm {

/// Analysis databases of rocprof-compute (tables compute_workload, compute_kernel, compute_dispatch,
/// compute_metric_definition and values). Dispatches are launches. A metric holds for all dispatches of its
/// kernel together: every launch of the kernel gets the metric's mean (else its only value) as an attribute.
bool recognises_compute_db(const sqlite::Database& database);
Expected<void> read_compute_db(sqlite::Database& database, const Input& input, Draft& draft,
                               store::Source& source, const Progress& progress);

} // namespace jitterscope::import::rocm
