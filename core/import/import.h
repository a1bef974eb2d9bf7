#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/records/draft.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Reads one or several profiler files (compressed or not), folders and archives into one trace on one time
/// axis. Files are recognised by their content. The trace gets context features (context.h) and the import
/// report. Zero of the axis is the zero of the earliest file (by absolute time where known).
///
/// Nothing is ever written next to the files. Unusable rows are dropped and counted in the report; files of
/// one machine (identified by the unique ids of its GPUs) share host and devices. Tables without times get an
/// axis that counts their rows. Contents of folders and archives that cannot be imported are left out and
/// reported; files that were named must be valid. Errors: BadInput with file, place and hint for unsupported
/// files and files without GPU data; BadUse for no file or the same file twice; Io when memory is
/// insufficient; Cancelled.
Expected<store::TraceData> import_files(const std::vector<std::string>& files, const Job& job,
                                        const ImportOptions& options = {});

/// Existing files that are read together with a named file (the .pcf of a .prv).
std::vector<std::string> companions_of(const std::string& file);

/// True if a reader recognises the file, so that an import of its folder reads it. False for stores.
bool is_readable(const std::string& file);

} // namespace jitterscope::import
