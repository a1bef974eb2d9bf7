#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::nvprof {

/// Databases of nvprof and the Visual Profiler (.nvvp): the tables of CUPTI with mangled names, numbered
/// calls and times since 1970.
bool recognises(const sqlite::Database& database);
Expected<void> read(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                    const Progress& progress);

/// The name of a call by CUPTI's number; "CUDA runtime call 999" for an unknown number.
std::string runtime_call(std::int64_t number);
std::string driver_call(std::int64_t number);

} // namespace jitterscope::import::nvprof
