#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::rocm {

/// results.db of rocprof v1: tables HIP, HSA, ROCTX (calls and ranges), OPS and COPY (activities of the GPU),
/// KERN or A (the rows of results.csv). Any of them may be absent.
bool recognises_rocprof_db(const sqlite::Database& database);
Expected<void> read_rocprof_db(sqlite::Database& database, const Input& input, Draft& draft,
                               store::Source& source, const Progress& progress);

} // namespace jitterscope::import::rocm
