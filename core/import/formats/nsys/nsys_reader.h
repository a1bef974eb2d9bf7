#pragma once

#include "core/import/records/reader.h"
#include "core/import/sqlite/database.h"

namespace jitterscope::import::nsys {

/// Reads Nsight Systems SQLite exports of every schema version from 2020.3 (no version stated) to 3.25.0.
/// Columns are looked up by name; tables and columns that a version lacks are left out.
///
/// Import report codes of this reader (the count is in rows):
///   no-kernels, missing-column                                     missing from the file
///   missing-time, impossible-time, negative-duration,
///   missing-device, missing-name, missing-metric                   row dropped
///   back-trace-duplicates, other-nvtx-events, sample-before-start,
///   unknown-metric, graph-of-kernels                               row dropped: redundant or of unknown use
///   bad-configuration, bad-bytes, overflowed-clock, open-range     value repaired
///   dangling-name, unknown-copy-kind, missing-process, call-after-launch,
///   launch-before-call, ambiguous-call, time-before-start          kept, doubtful
///   zero-duration, unmatched-launches, api-version-suffix,
///   graph-launches                                                 kept, for information
Expected<void> read(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                    const Progress& progress);

bool recognises(const sqlite::Database& database);

} // namespace jitterscope::import::nsys
