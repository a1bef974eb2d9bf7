#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::rocm {

/// Databases of rocmProfileData (RPD, schema version 2): rocpd_op, rocpd_api, rocpd_api_ops and others.
bool recognises_rpd(const sqlite::Database& database);
Expected<void> read_rpd(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                        const Progress& progress);

} // namespace jitterscope::import::rocm
