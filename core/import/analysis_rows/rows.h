#pragma once

#include "core/base/spill_vector.h"
#include "core/base/stop.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Analysis rows while they are collected; ordered by start, then by thread.
struct PresentedRows {
  SpillVector<std::int64_t> start, duration;
  SpillVector<std::uint32_t> name, thread, range; ///< StringId, ResourceId, row of "ranges" (kNone if none)
  SpillVector<double> bytes;                      ///< size of MPI calls, NaN for other rows; may be empty
  std::int64_t empty = 0;                         ///< bursts of length 0, which are no rows
  std::size_t size() const { return start.size(); }
};

/// The bursts, ranges or calls of a trace (present.h), with their names.
PresentedRows collect_rows(store::TraceData& data, store::AnalysisRows rows, Stop& stop);

/// Rows of a table grouped by thread, in their original order.
class ByThread {
public:
  ByThread(const SpillVector<std::uint32_t>& threads, std::size_t resources) : first_(resources + 1) {
    for (std::size_t row = 0; row < threads.size(); ++row) {
      SpillMemory::relieve_at(row);
      if (threads[row] < resources) ++first_[threads[row] + 1];
    }
    for (std::size_t r = 0; r < resources; ++r) first_[r + 1] += first_[r];
    rows_.resize(first_[resources]);
    SpillVector<std::size_t> next = first_;
    for (std::uint32_t row = 0; row < threads.size(); ++row) {
      SpillMemory::relieve_at(row);
      if (threads[row] < resources) rows_[next[threads[row]]++] = row;
    }
  }
  std::size_t count(std::uint32_t thread) const { return first_[thread + 1] - first_[thread]; }
  std::uint32_t row(std::uint32_t thread, std::size_t place) const { return rows_[first_[thread] + place]; }

private:
  SpillVector<std::size_t> first_;
  SpillVector<std::uint32_t> rows_;
};

/// Appends the counters of threads as columns to the table "launches".
void add_thread_counters(store::TraceData& data, store::ImportReport& report, Stop& stop);

} // namespace jitterscope::import
