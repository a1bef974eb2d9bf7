#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/base/error.h"
#include "core/base/time.h"

namespace jitterscope::efficiency {

/// Kinds of rows that a filter keeps or drops. A row has one or two: a collective kernel is also a kernel, an
/// MPI collective is also MPI, a burst is also a state.
enum class RowKind : std::uint8_t {
  Kernels,     ///< launches on a device
  Collectives, ///< kernels that communicate (store::CollectiveKernels) and MPI collectives
  Transfers,   ///< memory operations
  Calls,       ///< calls of a GPU's runtime and of other libraries
  Mpi,         ///< MPI calls and transmissions
  Ranges,      ///< ranges and marks of the program
  States,      ///< recorded states of host threads
  Bursts,      ///< useful computation: state Running, and rows of the analysis that are bursts
  Samples      ///< samples of counters
};
inline constexpr int kRowKinds = 9;
/// "kernels", "collectives" …: as on the command line.
std::string to_string(RowKind kind);
/// Reads "collectives, bursts" into bits (1 << RowKind). Errors: BadUse, which lists the kinds.
Expected<unsigned> kinds_from(const std::vector<std::string>& names);
inline constexpr unsigned bit_of(RowKind kind) {
  return 1u << static_cast<unsigned>(kind);
}
inline constexpr unsigned kAllKinds = (1u << kRowKinds) - 1;

/// Treatment of a row that extends beyond a border of the range.
enum class Borders : std::uint8_t {
  Full, ///< it stays as recorded, with its true duration
  Clip  ///< its start and duration are clipped to the range (Paraver's break_states)
};

/// Content that a reduced trace keeps. Default: everything.
struct ReductionOptions {
  std::optional<Interval> range; ///< on the session's axis; rows that overlap it are kept
  Borders borders = Borders::Full;
  bool from_zero = false;            ///< moves the start of the range to time 0 (Paraver's original_time 0)
  std::vector<std::int32_t> ranks;   ///< ranks of processes; empty: all
  std::vector<std::int64_t> devices; ///< device numbers; empty: all. Threads do not belong to devices
  std::string tracks;                ///< RE2 on the names of streams and threads in the timeline; empty: all
  unsigned kinds = kAllKinds;        ///< bits of RowKind; a row is kept if one of its kinds is among them
  std::int64_t kernels_above = 0;    ///< [ns]: shorter kernels are dropped
  std::int64_t bursts_above = 0;     ///< [ns]: shorter bursts are dropped
  analysis::Filter where;            ///< filter of launches
  bool software_counters = false;    ///< dropped rows of kept tracks become counters at burst borders
};

} // namespace jitterscope::efficiency
