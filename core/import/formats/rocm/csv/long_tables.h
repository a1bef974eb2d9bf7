#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/rocm/csv/csv_group.h"
#include "core/import/formats/rocm/csv/csv_traces.h"

namespace jitterscope::import::rocm {

/// Tables of one row per dispatch and counter: counter_collection.csv of rocprofv3, pmc_perf.csv of
/// rocprof-compute 3.2. With a kernel trace, its launches get the counters, matched by kernel, grid and
/// occurrence; otherwise every dispatch becomes a launch, with its executions in several passes merged.
class LongTables {
public:
  LongTables(CsvGroup& group, const CsvTraces& traces, bool others_timed)
      : group_(group), traces_(traces), others_timed_(others_timed) {}

  Expected<void> read(const Input& input, const Header& header);
  void finish();

private:
  struct Dispatch {
    std::uint32_t launch = kNone;
    SpillVector<std::int64_t> starts; // starts of its executions
  };
  struct Accumulated { // a value of SQ_ACCUM_PREV_HIRES, whose level is in another row
    std::uint32_t launch;
    std::int64_t start;
    double value;
  };
  struct Table {
    const CsvTable* rows = nullptr;
    const TraceIndex* trace = nullptr;
    bool timed = false;
    std::string folder;
    LaunchOfExecution launch_of; // launch of each execution in the trace
    std::map<std::int64_t, std::unordered_map<Execution, std::uint32_t, ExecutionHash>> counts; // by slot
    std::map<std::pair<std::pair<std::int64_t, std::int64_t>, std::uint32_t>, Dispatch>
        dispatches; // by (process, dispatch), kernel
    std::vector<Accumulated> accumulated;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::string> levels; // by (launch, start)
  };

  void read_row(Table& table, CommonAttributes& common);
  std::uint32_t launch_of(Table& table, const KernelNames::Known& kernel, CommonAttributes& common,
                          const std::optional<Times>& times);
  void set_counter(Table& table, std::uint32_t launch, std::int64_t start);
  void set(const std::string& title, std::uint32_t launch, double value);
  std::int64_t slot_of(const Table& table);

  CsvGroup& group_;
  const CsvTraces& traces_;
  bool others_timed_;
  bool own_timed_ = false, own_untimed_ = false;
  std::map<std::pair<std::int64_t, std::pair<std::uint32_t, std::int64_t>>, SpillVector<std::uint32_t>>
      own_; // (slot, (kernel, grid)) → launch of every occurrence
  std::map<std::string, std::map<std::int64_t, std::int64_t>> slots_; // folder → process → slot
  std::unordered_map<std::string, std::size_t> columns_;              // column name → attribute
  PassDurations durations_;
};

} // namespace jitterscope::import::rocm
