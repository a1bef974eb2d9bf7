#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/import/assemble/alignment.h"
#include "core/import/assemble/assemble.h"
#include "core/import/records/draft.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// The files with traces next to which logs were opened, by index: their sources and the spans of their
/// events.
struct TracesOfLogs {
  std::vector<store::Source> sources;
  std::vector<FileSpan> spans;
};

/// How the times of a log correspond to those of the traces.
struct LogPlacement {
  bool absolute = true; ///< both state times since 1970; false: log and traces count from the same zero
  std::int64_t zone_offset_ns = 0; ///< offset of the log's local time from UTC, subtracted from its dates
  std::string alignment;           ///< how the placement was found, in words, for Source.alignment
  bool doubtful = false;           ///< the log would also overlap the traces in other time zones
};

/// Finds the placement at which the log and the traces overlap. Dates without a time zone are taken as local
/// time of this machine (environment variable TZ) if the log then covers the traces as long as in any other
/// zone; else the zone (a multiple of 15 minutes) is used in which it covers them longest. Errors: BadInput,
/// with the times of both, when they do not overlap or the traces do not state their time.
Expected<LogPlacement> place_log(const DeviceLog& log, const store::Source& source, const Draft& draft,
                                 const TracesOfLogs& traces);

/// Sets the shift of a log after the traces have theirs. `source`: of the log.
void align_log(const LogPlacement& placement, const TracesOfLogs& aligned, store::Source& source);

/// Attaches the samples of all logs to the devices of the draft, and removes the samples outside the traces
/// and those of other devices. `parts`: of all files; `part_of_log`: index of each log. `aligned`: the traces
/// on the common axis.
///
/// A device is found by its unique id, or by host, rank and number as far as the log states them; a log of
/// one device belongs to the only device of the traces, even if their numbers differ. If several logs sample
/// a quantity of a device, the one with more samples is used.
void attach_logs(Draft& draft, std::vector<FilePart>& parts, const std::vector<std::size_t>& part_of_log,
                 const TracesOfLogs& aligned, store::ImportReport& report);

} // namespace jitterscope::import
