#pragma once

#include <span>
#include <string>

#include "core/base/job.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Makes bursts, ranges or calls the analysis rows, in place of launches. The tables "launches",
/// "configurations" and "kernels" get one row for each burst, range or call; the launches themselves are left
/// out and counted in the report.
///
///   burst: state Running of a host thread or, if a trace records no states, the time between two MPI calls
///     of a thread. Named "MPI_Recv → MPI_Send" after the calls before and after it; on threads without MPI
///     calls after the innermost range around its start, else after the states before and after it
///   range: range of the program, neither a mark nor a state; numbers in its name are replaced by #, so that
///     "step 1" and "step 2" have the same kind
///   call: call of MPI (transmissions left out), of a GPU's runtime and of other libraries
///
/// A row has its thread in place of a launch's stream, no grid, and the innermost range around its start.
/// Additional columns: each counter of its thread, as the sum of the samples in (start, end] (the count in
/// the row, for counters that are read at both ends); ipc and frequency_ghz where instructions and cycles
/// are counted (PAPI_TOT_INS, PAPI_TOT_CYC); bytes of MPI calls.
///
/// Returns the number of rows; the data is unchanged when there are none. The context of the rows, the track
/// index and the constant columns are added later. Errors: Cancelled; BadUse where `rows` are launches.
Expected<std::int64_t> present_rows(store::TraceData& data, store::AnalysisRows rows,
                                    store::ImportReport& report, const Job& job);

/// Same as present_rows(), but adds context (context.h), track index and constant columns: a complete store
/// of these rows. Additional errors: BadUse if the trace has no such rows or no times.
Expected<void> present_all(store::TraceData& data, store::AnalysisRows rows, const Job& job);

/// The rows requested by the last entry "rows=…" of a mapping (table_mapping.h); launches without such an
/// entry.
store::AnalysisRows rows_of_mapping(std::span<const std::string> entries);

/// Maximum number of counter names that get a column of their own.
inline constexpr std::size_t kMaxThreadCounters = 64;

} // namespace jitterscope::import
