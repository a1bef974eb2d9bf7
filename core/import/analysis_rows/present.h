#pragma once

#include <span>
#include <string>

#include "core/base/job.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Makes other rows than kernels the rows of analysis: replaces the tables "launches", "configurations" and
/// "kernels" (whose launches are then left out, and counted in the report) by one row for each
///
///   burst   state Running of a host thread; where a trace records no states, the time between two MPI calls
///   of a
///           thread. Called "MPI_Recv → MPI_Send" by the calls before and after it; on threads without MPI
///           calls by the innermost range around its begin, else by the states before and after it
///   range   range of the program that is no mark and no state; numbers in its name are written as #, so that
///           "step 1" and "step 2" are of one kind
///   call    call of MPI (transmissions left out), of a GPU's runtime and of other libraries
///
/// A row has its thread where a launch has its stream, no grid, and the innermost range around its begin.
/// Columns of its own: each counter of its thread, as the sum of the samples in (start, end] (what the
/// counter counted in it, for counters that are read at both ends); ipc and frequency_ghz where instructions
/// and cycles are counted (PAPI_TOT_INS, PAPI_TOT_CYC); bytes of MPI calls.
///
/// Returns the number of rows; with none the data stays as it was. The context of the rows, the track index
/// and the constant columns come later. Errors: Cancelled; BadUse where `rows` are launches.
Expected<std::int64_t> present_rows(store::TraceData& data, store::AnalysisRows rows,
                                    store::ImportReport& report, const Job& job);

/// The same with context (context.h), track index and constant columns: a complete store of these rows.
/// Errors in addition: BadUse where the trace has no such rows or no times.
Expected<void> present_whole(store::TraceData& data, store::AnalysisRows rows, const Job& job);

/// The rows that an entry "rows=bursts" of a mapping (table_mapping.h) asks for; of several the last.
/// Launches where none does.
store::AnalysisRows rows_of_mapping(std::span<const std::string> entries);

/// Counters of more names than this get no column of their own.
inline constexpr std::size_t kMostThreadCounters = 64;

} // namespace jitterscope::import
