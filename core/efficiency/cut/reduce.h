#pragma once

#include "core/efficiency/cut/row_choice.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::efficiency {

/// Numbers of rows of one table before and after the reduction.
struct ReducedTable {
  std::string table;
  std::string rows; ///< what its rows are: "bursts", "states", "MPI calls and messages"
  std::int64_t before = 0, kept = 0;
  std::array<std::int64_t, kReasons> rows_of = {}; ///< number of rows by Reason
};

struct Reduction {
  store::TraceData data; ///< ready for store::write_store, its report included
  std::vector<ReducedTable> tables;
  std::optional<Interval> range; ///< the requested range, in times of `data`
  std::int64_t counters = 0;     ///< number of software counters made
};

/// Makes a smaller trace: Paraver's filter, software counters and cutter (resources/help/smaller.md). Reads
/// each row once, in order; rows of the result are in spill memory, so that neither trace has to fit into
/// memory. Dropped rows are counted in the import report of the result, by table and reason; it also states
/// thresholds and conditions without effect, and which rows a condition applies to. Deterministic.
///
/// Errors: BadUse (several traces; no such rank or device; a range outside the trace; nothing would be left;
/// all that is requested has no effect), Cancelled.
Expected<Reduction> reduce(const analysis::Session& session, const analysis::LaunchColumns& columns,
                           const ReductionOptions& requested, const Job& job);

} // namespace jitterscope::efficiency
