#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::import::rocm {

/// The meaning of a table's column, independent of the tool's version.
enum class Role {
  Counter, ///< any other column: a hardware counter or derived metric
  Ignored, ///< known and not needed; also the duplicates from joining passes ("obj_1")
  Dispatch,
  Kernel,
  Gpu,
  Queue,
  Stream,
  Process,
  Thread,
  Grid,
  GridX,
  GridY,
  GridZ,
  Group,
  GroupX,
  GroupY,
  GroupZ,
  Lds,
  Scratch,
  Vgpr,
  AccumVgpr,
  Sgpr,
  WaveSize,
  Start,
  End,
  Dispatched, ///< when the packet was queued
  Completed,  ///< when the host noticed the end
  Correlation,
  Guid,
  Kind,
  CounterName,
  CounterValue,
  Domain,
  Function,
  Direction,
  SourceAgent,
  TargetAgent,
  Operation,
  AllocationSize,
  AllocationFlags,
  SampleTime,
  StallReason,
  Calls,
  TotalDuration,
  MeanDuration,
  Name,
  Count
};

/// The kinds of tables, distinguished by their columns.
enum class TableKind {
  None,
  Wide,        ///< one row per dispatch, one column per counter (pmc_perf.csv and its passes, results.csv)
  Long,        ///< one row per dispatch and counter (counter_collection.csv)
  KernelTrace, ///< one row per dispatch with sizes along three axes
  CopyTrace,
  ApiTrace,
  MarkerEvents, ///< rocprofv2's roctx_trace: one row per push, pop and mark
  Allocations,
  Scratch,
  PcSampling,
  Instructions, ///< one row per instruction of the kernels analysed by a thread trace
  Statistics,   ///< one row per kernel or function: sums over a run
  DispatchList, ///< one row per dispatch, with nothing but its name
  ErrorLog,
  SystemInfo,
  Roofline,
  AgentInfo
};

/// Letters and digits of a column name in lower case: "gpu-id", "GPU_ID" and "Gpu_Id" are equal.
std::string plain_title(std::string_view title);

/// "obj_1": the name of "obj" from a second pass after joining. Genuine counters may end in a number, too.
bool is_join_double(std::string_view title);

Role role_of(std::string_view title);

/// The header of a table.
struct Header {
  std::vector<std::string> titles;
  std::vector<Role> roles;
  std::array<int, static_cast<std::size_t>(Role::Count)> first{}; ///< column of a role, -1 absent
  std::vector<std::size_t> counters;                              ///< indices of the columns with counters
  bool joined = false; ///< some columns come from a second pass, after joining (is_join_double())
  TableKind kind = TableKind::None;
  char separator = ','; ///< the separator that header_in() found

  int column(Role role) const { return first[static_cast<std::size_t>(role)]; }
  bool has(Role role) const { return column(role) >= 0; }
};

Header header_of(std::span<const std::string_view> titles);

/// "sep=;": a line that states the separator for spreadsheets.
bool is_separator_line(std::span<const std::string_view> fields);

/// The header in the first bytes of a file, which must suffice to determine the kind of table. Tables saved
/// again by a spreadsheet may have semicolons or tabs between fields, and a line "sep=;" before them.
Header header_in(std::string_view head, bool whole);

} // namespace jitterscope::import::rocm
