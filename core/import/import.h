#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/import/records/draft.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Raised whenever the same files give another trace than before: stores that were imported before are then
/// imported again where they are only kept for speed.
inline constexpr int kReadersRevision = 17;

/// Reads one or several profiler files (compressed or not), folders and archives into one trace on one time
/// axis: recognises each by content, reads it, aligns them, builds context features (context.h) and the
/// import report. Zero of the axis is the zero of the earliest file (by absolute time where known).
///
/// Nothing is ever written beside the files. Rows that cannot be used are dropped and counted in the report;
/// files of one machine (known by the unique ids of its GPUs) share host and devices. Tables without time get
/// an axis that counts their rows. What lies in a folder or archive and cannot be imported is left out and
/// told; what was named must be good. Errors: BadInput with file, place and hint for anything that is not a
/// supported file or holds nothing of a GPU; BadUse for no file or the same file twice; Io when memory does
/// not suffice; Cancelled.
Expected<store::TraceData> import_files(const std::vector<std::string>& files, const Job& job,
                                        const ImportOptions& options = {});

/// Files beside a file that are read with it when it is named (the .pcf of a .prv), as far as they are there.
std::vector<std::string> companions_of(const std::string& file);

} // namespace jitterscope::import
