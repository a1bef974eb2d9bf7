#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/rocm/csv/csv_group.h"

namespace jitterscope::import::rocm {

/// Tables of one row per dispatch: the joined pmc_perf.csv, its passes, the run without counters
/// (timestamps.csv), rocprof's results.csv. One of them provides the launches; the others add the
/// counters that it lacks, matched by kernel, grid and occurrence.
class WideTables {
public:
  explicit WideTables(CsvGroup& group) : group_(group) {}

  void add(const Input& input, const Header& header);
  bool empty() const { return tables_.empty(); }
  /// Number of bytes to read: passes are read twice.
  std::int64_t bytes() const;

  /// Errors: BadInput, Cancelled.
  Expected<void> read();

private:
  struct Table {
    const Input* input;
    bool joined, timed, has_rows;
    std::size_t counters;
  };
  std::size_t base() const;
  /// True for a table joined from passes, with the times of a run without counters.
  bool assembled(const Table& table) const;
  Expected<void> read_base(const Table& base);
  void add_launch(const CsvTable& table, CommonAttributes& common);
  Expected<void> read_pass(const Table& pass);
  Expected<bool> match(const Table& pass, SpillVector<std::uint32_t>& launch_of_row);
  Expected<void> add_pass(const Table& pass, const SpillVector<std::uint32_t>& launch_of_row);
  void prepare_counters(const Header& header, const std::string& file, bool is_base);
  void set_counters(const CsvTable& table, std::size_t launch);
  /// Removes from the compared columns those that differ from the values of the launch.
  void compare_counters(const CsvTable& table, std::size_t launch);
  void judge_times(const Table& base);
  void make_timeless();
  void report_duration_meaning(const Table& base);

  CsvGroup& group_;
  std::vector<Table> tables_;
  SpillVector<DispatchRow> rows_; // rows of the table that became launches
  bool with_grid_ = false;
  bool timed_ = false;
  bool rounded_ = false;        // a time was written with an exponent
  bool fractional_ = false;     // a time has a fraction
  bool replaced_ = false;       // executions are outside their queueing and completion: times of another run
  bool times_vary_ = false;     // two starts differ, or some duration is not 0
  std::set<std::string> taken_; // column names of counters that already have an attribute
  std::vector<std::pair<std::size_t, std::size_t>> counters_; // column of the table → attribute
  std::map<std::string, std::size_t> attribute_of_; // column name of a counter of the base table → attribute
  std::vector<std::pair<std::size_t, std::size_t>> compared_; // column of a pass → attribute that it confirms
  std::set<std::size_t> confirmed_counters_;
  LaunchOfExecution launch_of_;
  std::int64_t confirmed_ = 0; // launches whose times also occur in a run without counters
  PassDurations durations_;
};

} // namespace jitterscope::import::rocm
