#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

struct ChromeReport {
  std::int64_t events = 0; ///< number of entries of "traceEvents"
  std::int64_t bytes = 0;
  std::vector<std::string> left_out; ///< one sentence per kind of rows that the format cannot hold
};

/// Writes a session as a Chrome trace with the categories and arguments of PyTorch's profiler (libkineto):
/// kernels, copies, calls, ranges, states and messages as complete events, overlapping ranges as asynchronous
/// ones, samples as counters, a flow "ac2g" from each call to its launches and copies. Each device is a
/// process "GPU n", each stream one of its threads. Times are in µs with three decimals, so they are exact,
/// and are shifted so that none is negative; baseTimeNanoseconds is the absolute time of ts 0, where it is
/// known. Events are sorted by table, not by time. Streaming: a few thousand rows are in memory at once.
/// Errors: BadUse (tables without times), Io, Cancelled.
Expected<ChromeReport> export_chrome(const Session& session, const LaunchColumns& columns,
                                     const std::string& path, const Job& job);

} // namespace jitterscope::analysis
