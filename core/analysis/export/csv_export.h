#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

struct CsvReport {
  std::int64_t launches = 0;
  std::int64_t bytes = 0;
  std::vector<std::string> columns;  ///< header, in the order of the file
  std::vector<std::string> left_out; ///< one sentence per group of columns that are not written
};

/// Writes all launches of a session as CSV (RFC 4180), one per row, in session order, with all columns except
/// numbers that are valid only in this session (kernel, configuration, row) and those that need a fitted
/// model. Header: "duration [ns]". Values are exact: integers in full, other numbers with the digits that
/// restore the same double; missing values are empty; control characters in texts, except tab, LF and CR,
/// become Unicode control pictures (U+2400 …). Device and stream are numbers, or texts if numbers do not
/// identify them. The table importer, which recognises the file by its header
/// (import/formats/table/own_export.h), reads the same launches, configurations, devices and streams from it.
/// Streaming: a few thousand launches are in memory at once. Errors: Io, Cancelled.
Expected<CsvReport> export_launches_csv(const Session& session, const LaunchColumns& columns,
                                        const std::string& path, const Job& job);

} // namespace jitterscope::analysis
