#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::rocm {

/// Databases of rocprofv3 (ROCm 7) and rocprof-sys: tables rocpd_<x>, each suffixed with the unique id of a
/// run; a file may hold any number of runs. The views of the file are not used.
bool recognises_rocpd(const sqlite::Database& database);
Expected<void> read_rocpd(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                          const Progress& progress);

} // namespace jitterscope::import::rocm
