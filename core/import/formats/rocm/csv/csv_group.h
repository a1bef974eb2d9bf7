#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/rocm/csv/csv_table.h"
#include "core/import/records/draft.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::rocm {

/// The tables of one folder, which are read together.
struct CsvGroup {
  CsvGroup(Draft& target, store::Source& about, const Progress& progress)
      : draft(target), source(about), from(target.sizes()), meter{progress, 0, 0}, kernels(target),
        places(target) {}

  Draft& draft;
  store::Source& source;
  const DraftSizes from; ///< where the rows of this group begin
  Meter meter;
  RowIssues issues;
  KernelNames kernels;
  Places places;
  std::string workload; ///< name of the processes for which no row states a number
};

/// Identifies an execution of a kernel by its position among the executions with the same kernel and grid.
struct Execution {
  std::uint32_t kernel = 0;
  std::int64_t grid = 0; ///< size of the grid in work-items; 0 when the table does not state it
  std::uint32_t occurrence = 0;
  bool operator==(const Execution&) const = default;
};
struct ExecutionHash {
  std::size_t operator()(const Execution& e) const {
    return ((std::uint64_t{e.kernel} << 32 | e.occurrence) ^ static_cast<std::uint64_t>(e.grid) << 17) *
           0x9E3779B97F4A7C15ull;
  }
};

/// One row of a table of dispatches, before its execution is identified.
struct DispatchRow {
  std::uint32_t kernel = 0;
  std::int64_t grid = 0, dispatch = 0;
};

/// Numbers the rows of each kernel in the order of their dispatches (the order in files may differ).
SpillVector<Execution> executions_of(const SpillVector<DispatchRow>& rows, bool with_grid);

using LaunchOfExecution = std::unordered_map<Execution, std::uint32_t, ExecutionHash>;

/// Configuration in a row of a counter table: work-items of the whole grid, group, registers, LDS.
Configuration configuration_of(CsvGroup& group, const CsvTable& table, std::uint32_t kernel);

/// Attributes that every table of dispatches may have in addition to its counters.
class CommonAttributes {
public:
  CommonAttributes(Draft& draft, const Header& header);
  void set(const CsvTable& table, std::size_t launch);

private:
  Draft& draft_;
  std::vector<std::pair<Role, std::size_t>> columns_; // role → attribute
};

/// The attribute of a counter, with the unit from AMD's documentation for derived ones.
std::size_t counter_attribute(Attributes& attributes, const std::string& title);

/// The stream in a row of a counter table.
std::uint32_t stream_of(CsvGroup& group, const CsvTable& table);

/// Durations of the executions of each launch in the passes that read its counters.
class PassDurations {
public:
  void add(std::size_t launch, std::int64_t duration);
  /// Appends the durations as attributes; does nothing when no launch was executed more than once.
  void write(Draft& draft) const;

private:
  struct Sum {
    double sum = 0, minimum = 0, greatest = 0;
    std::int64_t count = 0;
  };
  std::map<std::size_t, Sum> sums_;
};

/// Read the hardware description in sysinfo.csv, roofline.csv and agent_info.csv. Commands, paths and names
/// of users and hosts in them are not imported.
Expected<void> read_system_info(CsvGroup& group, const Input& input);
Expected<void> read_roofline(CsvGroup& group, const Input& input);
Expected<void> read_agents(CsvGroup& group, const Input& input);

} // namespace jitterscope::import::rocm
