#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/job.h"

namespace jitterscope::efficiency {

/// Contents of an exported Paraver trace, and what was left out.
struct ParaverReport {
  std::int64_t records = 0;          ///< lines of states, events and communications
  std::int64_t bytes = 0;            ///< size of the .prv
  std::vector<std::string> files;    ///< .prv, .pcf, .row
  std::vector<std::string> left_out; ///< one sentence per kind of rows that the format cannot hold
};

/// Files of the Paraver trace that is written to `path`: the .prv, and the .pcf and .row of the same stem.
/// Other paths are returned alone.
std::vector<std::string> paraver_files(const std::string& path);

/// Writes a session as a Paraver trace: `path` (.prv) with the .pcf and .row of the same stem next to it.
/// Event numbers are those of nsys2prv 0.6: 63000006 kernels and 63000007 collectives with their launch
/// parameters, 63000001 memory operations, 63000000 calls of the GPU's runtime, 50000001 to 50000003 MPI,
/// 9600 ranges. States of streams are 1 (kernel) and 17 (memory operation); host threads have their recorded
/// states and counters. Ranks and nodes keep their numbers. A communication leads from each launch call to
/// its kernel (tag 55001) or memory operation (55002). Messages between ranks are written as well. Streaming:
/// about 131,072 events and the ends of open events are in memory at once. Times are on the session's axis,
/// shifted so that none is negative. The files get their names only when all of them are complete. Errors:
/// BadUse (tables without times, a path that does not end in .prv), Io, Cancelled.
Expected<ParaverReport> export_paraver(const analysis::Session& session, const std::string& path,
                                       const Job& job);

} // namespace jitterscope::efficiency
