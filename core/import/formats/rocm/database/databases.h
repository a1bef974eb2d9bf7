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

/// Databases of rocprofv3 (ROCm 7) and rocprof-sys: tables rocpd_<x>, each suffixed with the unique id of a
/// run; a file may hold any number of runs. The views of the file are not used.
bool recognises_rocpd(const sqlite::Database& database);
Expected<void> read_rocpd(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                          const Progress& progress);

/// results.db of rocprof v1: tables HIP, HSA, ROCTX (calls and ranges), OPS and COPY (activities of the GPU),
/// KERN or A (the rows of results.csv). Any of them may be absent.
bool recognises_rocprof_db(const sqlite::Database& database);
Expected<void> read_rocprof_db(sqlite::Database& database, const Input& input, Draft& draft,
                               store::Source& source, const Progress& progress);

/// Databases of rocmProfileData (RPD, schema version 2): rocpd_op, rocpd_api, rocpd_api_ops and others.
bool recognises_rpd(const sqlite::Database& database);
Expected<void> read_rpd(sqlite::Database& database, const Input& input, Draft& draft, store::Source& source,
                        const Progress& progress);

} // namespace jitterscope::import::rocm
