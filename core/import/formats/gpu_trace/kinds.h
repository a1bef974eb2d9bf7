#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/import/formats/gpu_trace/titles.h"

namespace jitterscope::import::gpu_trace {

/// Content of a table written by nsys stats or nvprof.
enum class Kind {
  None,
  Activities,
  NvprofActivities,
  Ranges,
  Calls,
  NamedTimes, ///< names with times, without a device: read as calls if the names are those of functions
  Messages,   ///< MPI calls with their peers and sizes
  LaunchAndExecution,
  Summary,       ///< one kernel per row, with sums over its launches
  NvprofSums,    ///< one metric or event of a kernel per row, over all its launches
  NvprofMetrics, ///< metrics or events of one launch per row
};

/// Kind of a table, determined by its header.
Kind kind_of(const Titles& titles);
/// The kind of table with this line as its header.
Kind kind_of_line(std::string_view line);
/// The kind of the first table with times, else of the first table. A table of names and times is of
/// Kind::Calls if the names below its header are those of functions.
Kind kind_of_head(std::string_view head);

/// What the rows of a Kind::Summary represent if not kernels; empty for kernels.
std::string_view rows_of_sums(const Titles& titles);
inline constexpr std::string_view kMixedRows = "kernels, copies and calls";

/// "cudaLaunchKernel_v7000", "cuMemcpyHtoDAsync_v2", "hsa_queue_create": a function that programs call, not
/// a kernel.
bool names_function(std::string_view name);

bool is_sums(Kind kind);
bool is_timed(Kind kind);

/// The separator of a line: a comma, or the tab or semicolon that spreadsheets write.
char separator_of(std::string_view line);
/// Splits a header line at its separators; column names contain none.
Titles titles_of(std::string_view line);

/// "==4242== NVPROF is profiling process 4242, command: …": only the number is read.
std::optional<std::int64_t> process_in(std::string_view line);

} // namespace jitterscope::import::gpu_trace
