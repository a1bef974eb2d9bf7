#pragma once

#include "core/import/input/input.h"
#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::ascend {

/// Databases of Ascend's profilers: ascend_pytorch_profiler_….db of torch_npu, msprof_….db.
bool recognises_db(const sqlite::Database& database);
Expected<void> read_db(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                       const Progress& progress);

} // namespace jitterscope::import::ascend
